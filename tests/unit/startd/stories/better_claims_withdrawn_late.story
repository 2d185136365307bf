# A claim that is released while a better one waits for its slot, requests that are withdrawn one by one, and one of a hook.
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> claim slot2@vm by=carl
>> ready c2
>> run c2 2.0
> better slot1@vm user by=bob
| slot1: State change: preempting claim based on user priority
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c1 code=1019
slot1@vm: Activity = "Vacating"  PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
    Requirements = false  State = "Preempting"
vm: ClaimRequests = 3  JobPreemptions = 1  JobUserPrioPreemptions = 1  RecentJobPreemptions = 1
    RecentJobUserPrioPreemptions = 1
> better slot2@vm user by=bob
| slot2: State change: preempting claim based on user priority
| slot2: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot2: State change: retiring due to preempting claim.
| slot2: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c2 code=1019
slot2@vm: Activity = "Vacating"  PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
    Requirements = false  State = "Preempting"
vm: ClaimRequests = 4  JobPreemptions = 2  JobUserPrioPreemptions = 2  RecentJobPreemptions = 2
    RecentJobUserPrioPreemptions = 2
> WithdrawClaim id=r3
| slot1: State change: the preempting claim is gone
slot1@vm: -PreemptingOwner  -PreemptingRank  -PreemptingUser
> end c1 1.0
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000000  GlobalJobId
    = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0
    RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User =
    "alice@example.net"
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1019 reason=Preempted for a Priority user idle=True
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
> WithdrawClaim id=r4
| slot2: State change: the preempting claim is gone
slot2@vm: -PreemptingOwner  -PreemptingRank  -PreemptingUser
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimePreemptingVacating = 1

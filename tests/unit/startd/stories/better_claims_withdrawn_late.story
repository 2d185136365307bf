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
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c1 code=1019
slot1@vm: Activity = "Vacating"
slot1@vm: PreemptingOwner = "bob"
slot1@vm: PreemptingRank = 0.0
slot1@vm: PreemptingUser = "bob@example.net"
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
vm: ClaimRequests = 3
vm: JobPreemptions = 1
vm: JobUserPrioPreemptions = 1
vm: RecentJobPreemptions = 1
vm: RecentJobUserPrioPreemptions = 1
> better slot2@vm user by=bob
| slot2: State change: preempting claim based on user priority
| slot2: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot2: State change: retiring due to preempting claim.
| slot2: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c2 code=1019
slot2@vm: Activity = "Vacating"
slot2@vm: PreemptingOwner = "bob"
slot2@vm: PreemptingRank = 0.0
slot2@vm: PreemptingUser = "bob@example.net"
slot2@vm: Requirements = false
slot2@vm: State = "Preempting"
vm: ClaimRequests = 4
vm: JobPreemptions = 2
vm: JobUserPrioPreemptions = 2
vm: RecentJobPreemptions = 2
vm: RecentJobUserPrioPreemptions = 2
> WithdrawClaim id=r3
| slot1: State change: the preempting claim is gone
[Publish]
slot1@vm: - PreemptingOwner
slot1@vm: - PreemptingRank
slot1@vm: - PreemptingUser
> end c1 1.0
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = true
    CompletionDate = 1795000000
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 0
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1019 reason=Preempted for a Priority user idle=True
slot1@vm: Activity = "Idle"
slot1@vm: Requirements = Start && WithinResourceLimits
slot1@vm: State = "Unclaimed"
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
slot1@vm: - StarterPid
vm: ExpectedMachineGracefulDrainingBadput = 2400
vm: ExpectedMachineQuickDrainingBadput = 2400
> WithdrawClaim id=r4
| slot2: State change: the preempting claim is gone
[Publish]
slot2@vm: - PreemptingOwner
slot2@vm: - PreemptingRank
slot2@vm: - PreemptingUser
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalClaimRunTime = 1
slot2@vm: TotalJobRunTime = 1
slot2@vm: TotalTimePreemptingVacating = 1
vm: ExpectedMachineGracefulDrainingBadput = 2404
vm: ExpectedMachineGracefulDrainingCompletion = 1795000601
vm: ExpectedMachineQuickDrainingBadput = 2404
vm: ExpectedMachineQuickDrainingCompletion = 1795000601

# A better claim, by rank: one at a time waits; the job retires; the slot is handed over.
> policy max_job_retirement_time=100 machine_max_vacate_time=20 rank="TARGET.Good"
> static 1
>> start
>> claim slot1@vm Good=1
>> ready c1
>> run c1 1.0 Good=1
>> started c1
> better slot1@vm rank Good=5
| slot1: State change: preempting claim based on machine rank
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
slot1@vm: Activity = "Retiring"  PreemptingOwner = "bob"  PreemptingRank = 5.0  PreemptingUser = "bob@example.net"
vm: ClaimRequests = 2
> better slot1@vm rank by=cyd Good=9
| slot1: Request refused: Slot is already being preempted
[ClaimRefused] id=r3 reason=Slot is already being preempted fault=False
[unpublished]
vm: ClaimRequests = 3
> wait 80
| slot1: Evicting job with 20s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1018
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 20  State = "Preempting"
    TotalClaimRunTime = 80  TotalJobRunTime = 80  TotalTimeClaimedRetiring = 80
vm: JobPreemptions = 1  JobRankPreemptions = 1  RecentJobPreemptions = 1  RecentJobRankPreemptions = 1
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    20
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: preempting claim exists - going to Claimed state
| slot1: Remote owner is bob@example.net
| slot1: Changing state and activity: Preempting/Vacating -> Claimed/Idle
| slot1: State change: claiming protocol successful
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1018 vacate_reason=Preempted for a higher Ranked job
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000100  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  Good = 1  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 100  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Preempted for a
    higher Ranked job"  VacateReasonCode = 1018  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1018 reason=Preempted for a higher Ranked job idle=True
[StartStarter] claim=c2 slot_name=slot1@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot1@vm
slot1@vm: Activity = "Idle"  CurrentRank = 5.0  PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."  RemoteOwner =
    "bob@example.net"  RemoteUser = "bob@example.net"  Requirements = Start && WithinResourceLimits  State =
    "Claimed"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PreemptingOwner  -PreemptingRank
    -PreemptingUser  -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
> ready c2
> run c2 2.0 Good=5
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"bob@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=2.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000100
    JobUniverse = 5  RemoteUser = "alice@example.net"  RetirementTimeRemaining = 100  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 2  RecentJobStarts = 2
> better slot1@vm rank RequestCpus=99 Good=9
| slot1: Request refused: Not enough Cpus (91.00 short)
[ClaimRefused] id=r4 reason=Not enough Cpus (91.00 short) fault=False
[unpublished]
vm: ClaimRequests = 4
> better slot1@vm rank by=cyd Good=9
| slot1: State change: preempting claim based on machine rank
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
slot1@vm: Activity = "Retiring"  PreemptingOwner = "cyd"  PreemptingRank = 9.0  PreemptingUser = "cyd@example.net"
vm: ClaimRequests = 5
> withdraw
| slot1: State change: the preempting claim is gone
| slot1: eval_policy state should be: Claimed/Busy 1 unretiring because no preempting claim exists
| slot1: State change: unretiring because no preempting claim exists.
| slot1: Changing activity: Retiring -> Busy
slot1@vm: Activity = "Busy"  -PreemptingOwner  -PreemptingRank  -PreemptingUser
> wait 1
slot1@vm: RetirementTimeRemaining = 99  TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimeClaimedBusy = 1
> end c2 2.0 exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c2 job=2.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000101
    ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  Good = 5  JobStatus = 4  JobUniverse = 5
    RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 1  RequestCpus = 1
    RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
slot1@vm: Activity = "Idle"  RetirementTimeRemaining = 0  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse
    -StarterPid  -TotalJobRunTime
> better slot1@vm priority by=dan Good=5
| slot1: State change: preempting claim based on user priority
| slot1: eval_policy state should be: Preempting/Idle 10 preempting idle claim
| slot1: State change: preempting idle claim.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: preempting claim exists - going to Claimed state
| slot1: Remote owner is dan@example.net
| slot1: Changing state and activity: Preempting/Vacating -> Claimed/Idle
| slot1: State change: claiming protocol successful
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1019 reason=Preempted for a Priority user idle=True
[StartStarter] claim=c3 slot_name=slot1@vm
[ClaimGranted] request_id=r6 claim=c3 slot_name=slot1@vm
slot1@vm: EnteredCurrentState = 1795000101  PublicClaimId = "<127.0.0.1:9618>#1795000000#3#..."  RemoteOwner =
    "dan@example.net"  RemoteUser = "dan@example.net"  -TotalClaimRunTime
vm: ClaimRequests = 6
> better slot9@vm rank
[ClaimRefused] id=r7 reason=There is no slot slot9@vm fault=False
[unpublished]
vm: ClaimRequests = 7
> withdraw

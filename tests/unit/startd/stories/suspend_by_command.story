# condor_suspend and condor_continue, and condor_vacate_job -fast of a suspended job.
> static 1
>> start
>> claim slot1@vm
> SuspendClaim claim=c1
> ready c1
> run c1 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 1  JobStarts = 1  RecentJobStarts = 1
> ContinueClaim claim=c1
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> SuspendClaim claim=c1
| slot1: State change: received SUSPEND_CLAIM command
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"
> SuspendClaim claim=c1
| slot1: State change: received SUSPEND_CLAIM command
> wait 10
slot1@vm: TotalClaimSuspendTime = 10  TotalJobSuspendTime = 10  TotalTimeClaimedSuspended = 10
> ContinueClaim claim=c1
| slot1: State change: received CONTINUE_CLAIM command
| slot1: Changing activity: Suspended -> Busy
[ContinueJob] claim=c1
slot1@vm: Activity = "Busy"
> SuspendClaim claim=c1
| slot1: State change: received SUSPEND_CLAIM command
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"
> Deactivate claim=c1 graceful=True code=1 reason=why
| slot1: Changing activity: Suspended -> Busy
| slot1: Called deactivate_claim()
[ContinueJob] claim=c1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'false'), ('Success', 'true'))
[SoftKill] claim=c1 code=1
[unpublished]
slot1@vm: Activity = "Busy"
> wait 1
slot1@vm: TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimeClaimedBusy = 1
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1 vacate_reason=why
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000011
    ExitBySignal = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 11  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "why"
    VacateReasonCode = 1  VacateReasonSubCode = 0
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
    -TotalJobRunTime  -TotalJobSuspendTime
> run c1 2.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=2.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000011
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 2  RecentJobStarts = 2
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> SuspendClaim claim=c1
| slot1: State change: received SUSPEND_CLAIM command
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"
> wait 10
slot1@vm: TotalClaimSuspendTime = 20  TotalJobSuspendTime = 10  TotalTimeClaimedSuspended = 20
> Vacate slot=slot1@vm graceful=False
| slot1: State change: received VACATE_CLAIM_FAST command
| slot1: Changing state and activity: Claimed/Suspended -> Preempting/Killing
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1010'), ('Kill', 'true'), ('Reason', '"Claim vacated by the administrator"'))
[ContinueJob] claim=c1
[HardKill] claim=c1
slot1@vm: Activity = "Killing"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> end c1 2.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=2.0 run=1 exit_signal=9 vacated=True vacate_code=1010 vacate_reason=Claim vacated by the administrator
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000021
    ExitBySignal = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 10  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Claim vacated by
    the administrator"  VacateReasonCode = 1010  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1010 reason=Claim vacated by the administrator idle=True
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalClaimSuspendTime  -TotalJobSuspendTime

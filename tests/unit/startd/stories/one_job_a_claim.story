# CLAIM_WORKLIFE = 0: a claim runs one job, and the slot is matched anew for the next.
> with claim_worklife=0
> static 1
>> start
>> claim slot1@vm
>> ready c1
> wait 10
slot1@vm: TotalTimeClaimedIdle = 10
> run c1 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000010
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 1  JobStarts = 1  RecentJobStarts = 1
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> wait 5
slot1@vm: TotalClaimRunTime = 5  TotalJobRunTime = 5  TotalTimeClaimedBusy = 5
> end c1 1.0 exit_signal=11 core_dumped=True
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
| slot1: eval_policy state should be: Preempting/Idle 12 idle claim shutting down due to CLAIM_WORKLIFE
| slot1: State change: idle claim shutting down due to CLAIM_WORKLIFE.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=11 core_dumped=True
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000015
    ExitBySignal = true  ExitSignal = 11  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 5  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1017 reason=Claim was released idle=True
slot1@vm: Activity = "Idle"  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId
    -JobPid  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner
    -RemoteScheddName  -RemoteUser  -StarterPid  -TotalClaimRunTime  -TotalJobRunTime

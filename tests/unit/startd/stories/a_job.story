# A job from claim to end on a partitionable slot, and the claim given back.
> start
| slot1: New pSlot allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> claim slot1@vm RequestCpus=2 RequestMemory=1000
| slot1_1: New dSlot allocated
| slot1_1: 	Cpus: 2.00, Memory: 1024, Swap: 0, Disk: 1024, GPUs: 0
| slot1: Request accepted.
| slot1_1: Remote owner is alice@example.net
| slot1_1: Changing state: Owner -> Claimed
| slot1_1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_1"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1_1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1_1@vm
slot1@vm: ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  Memory = 14976  NumDynamicSlots = 1
slot1_1@vm: new
vm: ClaimRequests = 1  TotalSlots = 2
> wake
never
> ready c1
> run c1 1.0 RequestCpus=2 RequestMemory=1000
| slot1_1: Got activate_claim request from shadow (127.0.0.1)
| slot1_1: Remote job ID is 1.0
| slot1_1: Got universe "VANILLA" (5) from request classad
| slot1_1: State change: claim-activation protocol successful, Starter 4711
| slot1_1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 1) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
slot1_1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 1  JobStarts = 1  RecentJobStarts = 1
> started c1
[unpublished]
slot1_1@vm: JobPid = 5000
> wait 60
slot1@vm: TotalTimeUnclaimedIdle = 60
slot1_1@vm: TotalClaimRunTime = 60  TotalJobRunTime = 60  TotalTimeClaimedBusy = 60
> usage c1 ResidentSetSize=2000 RemoteUserCpu=30.0 DiskUsage=10
slot1@vm: LoadAvg = 0.0
slot1_1@vm: CondorLoadAvg = 0.25  CpusUsage = 0.5  DiskUsage = 10  LoadAvg = 0.25  ResidentSetSize = 2000
vm: TotalCondorLoadAvg = 0.25
> wait 60
[unpublished]
slot1@vm: LoadAvg = 0.25  TotalTimeUnclaimedIdle = 120
slot1_1@vm: CondorLoadAvg = 0.0  LoadAvg = 0.0  TotalClaimRunTime = 120  TotalJobRunTime = 120  TotalTimeClaimedBusy
    = 120
vm: TotalCondorLoadAvg = 0.0
> end c1 1.0 exit_code=0
| slot1_1: Received final job ClassAd update from starter.
| slot1_1: Changing activity: Busy -> Cleaning
| slot1_1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 1) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000120  DiskUsage =
    10  ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1_1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 120  RequestCpus = 2  RequestDisk =
    1024  RequestMemory = 1000  ResidentSetSize = 2000  StarterExitStatus = 0  User = "alice@example.net"
slot1_1@vm: Activity = "Idle"  -CpusUsage  -DiskUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse
    -ResidentSetSize  -StarterPid  -TotalJobRunTime
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 130
slot1_1@vm: TotalTimeClaimedIdle = 10
> ReleaseClaim claim=c1
| slot1_1: State change: received RELEASE_CLAIM command
| slot1_1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1_1: State change: No preempting claim, returning to owner
| slot1_1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1_1: State change: IS_OWNER is false
| slot1_1: Changing state: Owner -> Unclaimed
| slot1_1: Slot slot1_1 no longer needed, deleting
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 1) attributes=(('Success', 'true'),)
[StopStarter] claim=c1
slot1@vm: ChildState = {  }  Cpus = 8  Disk = 75600000  Memory = 16000  NumDynamicSlots = 0  NumDynamicSlotsTime =
    1795000130
slot1_1@vm: gone
vm: TotalSlots = 1
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 140

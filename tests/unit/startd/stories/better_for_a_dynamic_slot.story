# A job that needs more than the dynamic slot that it preempts: its parent has the room then.
> policy machine_max_vacate_time=20
> start
| slot1: New pSlot allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> claim slot1@vm RequestCpus=2
| slot1_1: New dSlot allocated
| slot1_1: 	Cpus: 2.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0
| slot1: Request accepted.
| slot1_1: Remote owner is alice@example.net
| slot1_1: Changing state: Owner -> Claimed
| slot1_1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_1"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1_1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1_1@vm
slot1@vm: ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  Memory = 15872  NumDynamicSlots = 1
slot1_1@vm: new
vm: ClaimRequests = 1  TotalSlots = 2
> ready c1
> run c1 1.0 RequestCpus=2
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
> better slot1_1@vm priority RequestCpus=6
| slot1_1: State change: preempting claim based on user priority
| slot1_1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1_1: State change: retiring due to preempting claim.
| slot1_1: Changing activity: Busy -> Retiring
| slot1_1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1_1: State change: claim retirement ended/expired.
| slot1_1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 1) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c1 code=1019
slot1@vm: ChildState = { "Preempting" }
slot1_1@vm: Activity = "Vacating"  PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
    Requirements = false  State = "Preempting"
vm: ClaimRequests = 2  JobPreemptions = 1  JobUserPrioPreemptions = 1  RecentJobPreemptions = 1
    RecentJobUserPrioPreemptions = 1
> wait 20
| slot1_1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: TotalTimeUnclaimedIdle = 20
slot1_1@vm: TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimePreemptingVacating = 20
> end c1 1.0 vacated=True exit_signal=15
| slot1_1: Received final job ClassAd update from starter.
| slot1_1: State change: preempting claim exists - going to Claimed state
| slot1_1: State change: No preempting claim, returning to owner
| slot1_1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1_1: State change: IS_OWNER is false
| slot1_1: Changing state: Owner -> Unclaimed
| slot1_1: Slot slot1_1 no longer needed, deleting
| slot1_1: New dSlot allocated
| slot1_1: 	Cpus: 6.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0
| slot1: Request accepted.
| slot1_1: Remote owner is bob@example.net
| slot1_1: Changing state: Owner -> Claimed
| slot1_1: State change: claiming protocol successful
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1019 vacate_reason=Preempted for a Priority user
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000020  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1_1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 20  RequestCpus = 2  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Preempted for a Priority
    user"  VacateReasonCode = 1019  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1019 reason=Preempted for a Priority user idle=True
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_1"'), ('RemoteUser', '"bob@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot1_1@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot1_1@vm
slot1@vm: ChildState = { "Claimed" }  Cpus = 2  NumDynamicSlotsTime = 1795000020
slot1_1@vm: Activity = "Idle"  Cpus = 6  PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."  RemoteOwner =
    "bob@example.net"  RemoteUser = "bob@example.net"  Requirements = Start && WithinResourceLimits  State =
    "Claimed"  TotalSlotCpus = 6  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -PreemptingOwner
    -PreemptingRank  -PreemptingUser  -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
    -TotalTimePreemptingVacating
vm: ClaimRequests = 3

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
[StartStarter] claim_id=c1 slot_name=slot1_1@vm
[ClaimGranted] request_id=r1 claim_id=c1 slot_name=slot1_1@vm
[Publish]
slot1@vm: ChildState = { "Claimed" }
slot1@vm: Cpus = 6
slot1@vm: Disk = 75598976
slot1@vm: Memory = 15872
slot1@vm: NumDynamicSlots = 1
slot1_1@vm: new
vm: ClaimRequests = 1
vm: TotalSlots = 2
> ready c1
> run c1 1.0 RequestCpus=2
| slot1_1: Got activate_claim request from shadow (127.0.0.1)
| slot1_1: Remote job ID is 1.0
| slot1_1: Got universe "VANILLA" (5) from request classad
| slot1_1: State change: claim-activation protocol successful, Starter 4711
| slot1_1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 1) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
[Publish]
slot1_1@vm: Activity = "Busy"
slot1_1@vm: CpusUsage = 0.0
slot1_1@vm: GlobalJobId = "vm#1.0#1"
slot1_1@vm: JobId = "1.0"
slot1_1@vm: JobStart = 1795000000
slot1_1@vm: JobUniverse = 5
slot1_1@vm: StarterPid = 4711
vm: ActivationRequests = 1
vm: ExpectedMachineGracefulDrainingBadput = 40
vm: ExpectedMachineGracefulDrainingCompletion = 1795000020
vm: ExpectedMachineQuickDrainingBadput = 40
vm: ExpectedMachineQuickDrainingCompletion = 1795000020
vm: JobStarts = 1
vm: RecentJobStarts = 1
> better slot1_1@vm priority RequestCpus=6
| slot1_1: State change: preempting claim based on user priority
| slot1_1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1_1: State change: retiring due to preempting claim.
| slot1_1: Changing activity: Busy -> Retiring
| slot1_1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1_1: State change: claim retirement ended/expired.
| slot1_1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 1) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
[SoftKill] claim=c1 code=1019
slot1@vm: ChildState = { "Preempting" }
slot1_1@vm: Activity = "Vacating"
slot1_1@vm: PreemptingOwner = "bob"
slot1_1@vm: PreemptingRank = 0.0
slot1_1@vm: PreemptingUser = "bob@example.net"
slot1_1@vm: Requirements = false
slot1_1@vm: State = "Preempting"
vm: ClaimRequests = 2
vm: JobPreemptions = 1
vm: JobUserPrioPreemptions = 1
vm: RecentJobPreemptions = 1
vm: RecentJobUserPrioPreemptions = 1
> wait 20
| slot1_1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: TotalTimeUnclaimedIdle = 20
slot1_1@vm: TotalClaimRunTime = 20
slot1_1@vm: TotalJobRunTime = 20
slot1_1@vm: TotalTimePreemptingVacating = 20
vm: ExpectedMachineGracefulDrainingBadput = 80
vm: ExpectedMachineGracefulDrainingCompletion = 1795000040
vm: ExpectedMachineQuickDrainingBadput = 80
vm: ExpectedMachineQuickDrainingCompletion = 1795000040
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
[Vacated] claim_id=c1 job=1.0 run=1 code=1019 reason=Preempted for a Priority user subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = true
    CompletionDate = 1795000020
    ExitBySignal = true
    ExitSignal = 15
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1_1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 20
    RequestCpus = 2
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "Preempted for a Priority user"
    VacateReasonCode = 1019
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1019 reason=Preempted for a Priority user idle=True
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_1"'), ('RemoteUser', '"bob@example.net"'), ('Success', 'true'))
[StartStarter] claim_id=c2 slot_name=slot1_1@vm
[ClaimGranted] request_id=r2 claim_id=c2 slot_name=slot1_1@vm
slot1@vm: ChildState = { "Claimed" }
slot1@vm: Cpus = 2
slot1@vm: NumDynamicSlotsTime = 1795000020
slot1_1@vm: Activity = "Idle"
slot1_1@vm: Cpus = 6
slot1_1@vm: EnteredCurrentActivity = 1795000020
slot1_1@vm: EnteredCurrentState = 1795000020
slot1_1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."
slot1_1@vm: RemoteOwner = "bob@example.net"
slot1_1@vm: RemoteUser = "bob@example.net"
slot1_1@vm: Requirements = Start && WithinResourceLimits
slot1_1@vm: State = "Claimed"
slot1_1@vm: TotalSlotCpus = 6
slot1_1@vm: - CpusUsage
slot1_1@vm: - GlobalJobId
slot1_1@vm: - JobId
slot1_1@vm: - JobStart
slot1_1@vm: - JobUniverse
slot1_1@vm: - PreemptingOwner
slot1_1@vm: - PreemptingRank
slot1_1@vm: - PreemptingUser
slot1_1@vm: - StarterPid
slot1_1@vm: - TotalClaimRunTime
slot1_1@vm: - TotalJobRunTime
slot1_1@vm: - TotalTimePreemptingVacating
vm: ClaimRequests = 3
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000020
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000020

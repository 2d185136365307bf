# Claims and jobs that are refused, and why.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> policy start="TARGET.Good =!= false" is_owner="KeyboardIdle < 5"
> static 1
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> claim slot9@vm
[ClaimRefused] id=r1 reason=There is no slot slot9@vm fault=False
vm: ClaimRequests = 1
> claim slot1@vm Good=false
| slot1: Request refused: Slot Requirements not satisfied: START is not true
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r2 reason=Slot Requirements not satisfied: START is not true fault=False
vm: ClaimRequests = 2
> claim slot1@vm RequestCpus=99
| slot1: Request refused: Not enough Cpus (91.00 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=Not enough Cpus (91.00 short) fault=False
vm: ClaimRequests = 3
> claim slot1@vm RequestMemory=99999
| slot1: Request refused: Not enough Memory (83999 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r4 reason=Not enough Memory (83999 short) fault=False
vm: ClaimRequests = 4
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim_id=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r5 claim_id=c1 slot_name=slot1@vm
[Publish]
slot1@vm: ClaimEndTime = 0
slot1@vm: ClientMachine = "vm"
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
slot1@vm: RemoteAutoregroup = false
slot1@vm: RemoteNegotiatingGroup = "<none>"
slot1@vm: RemoteOwner = "alice@example.net"
slot1@vm: RemoteScheddName = "vm"
slot1@vm: RemoteUser = "alice@example.net"
slot1@vm: State = "Claimed"
vm: ClaimRequests = 5
> claim slot1@vm
| slot1: Request refused: Slot is already claimed
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r6 reason=Slot is already claimed fault=False
vm: ClaimRequests = 6
> run c1 1.0 Good=false
| slot1: activate_claim refused: Slot Requirements not satisfied: START is not true
[ActivateRefused] claim_id=c1 job=1.0 run=1 reason=Slot Requirements not satisfied: START is not true fault=False
vm: ActivationRequests = 1
> ready c1
> run c1 1.0 Good=false
| slot1: activate_claim refused: Slot Requirements not satisfied: START is not true
[ActivateRefused] claim_id=c1 job=1.0 run=1 reason=Slot Requirements not satisfied: START is not true fault=False
vm: ActivationRequests = 2
> run c1 1.0 RequestCpus=99
| slot1: activate_claim refused: Not enough Cpus (91.00 short)
[ActivateRefused] claim_id=c1 job=1.0 run=1 reason=Not enough Cpus (91.00 short) fault=False
vm: ActivationRequests = 3
> run c1 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: GlobalJobId = "vm#1.0#1"
slot1@vm: JobId = "1.0"
slot1@vm: JobStart = 1795000000
slot1@vm: JobUniverse = 5
slot1@vm: StarterPid = 4711
vm: ActivationRequests = 4
vm: ExpectedMachineGracefulDrainingBadput = 4800
vm: ExpectedMachineGracefulDrainingCompletion = 1795000600
vm: ExpectedMachineQuickDrainingBadput = 4800
vm: ExpectedMachineQuickDrainingCompletion = 1795000600
vm: JobStarts = 1
vm: RecentJobStarts = 1
> run c1 2.0
| slot1: activate_claim refused: Slot is not idle
[ActivateRefused] claim_id=c1 job=2.0 run=1 reason=Slot is not idle fault=False
vm: ActivationRequests = 5
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Vacating
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[Publish]
[SoftKill] claim=c1 code=1017
slot1@vm: Activity = "Vacating"
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c1 job=1.0 run=1 code=1017 reason=Claim was released subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000000
    ExitBySignal = true
    ExitSignal = 15
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
    VacateReason = "Claim was released"
    VacateReasonCode = 1017
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
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
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000000
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000000
> run c1 3.0
| activate_claim refused: ClaimId not found
[ActivateRefused] claim_id=c1 job=3.0 run=1 reason=ClaimId not found fault=False
vm: ActivationRequests = 6
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Owner/Idle 15 IS_OWNER is TRUE
| slot1: State change: IS_OWNER is TRUE.
| slot1: Changing state: Unclaimed -> Owner
[Publish]
slot1@vm: EnteredCurrentActivity = 1795000010
slot1@vm: EnteredCurrentState = 1795000010
slot1@vm: State = "Owner"
slot1@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010
vm: ExpectedMachineQuickDrainingCompletion = 1795000010
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Owner -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim_id=c2 slot_name=slot1@vm
[ClaimGranted] request_id=r7 claim_id=c2 slot_name=slot1@vm
[Publish]
slot1@vm: ClaimEndTime = 0
slot1@vm: ClientMachine = "vm"
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."
slot1@vm: RemoteAutoregroup = false
slot1@vm: RemoteNegotiatingGroup = "<none>"
slot1@vm: RemoteOwner = "alice@example.net"
slot1@vm: RemoteScheddName = "vm"
slot1@vm: RemoteUser = "alice@example.net"
slot1@vm: State = "Claimed"
vm: ClaimRequests = 7

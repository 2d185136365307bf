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
[unpublished]
vm: ClaimRequests = 1
> claim slot1@vm Good=false
| slot1: Request refused: Slot Requirements not satisfied: START is not true
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r2 reason=Slot Requirements not satisfied: START is not true fault=False
[unpublished]
vm: ClaimRequests = 2
> claim slot1@vm RequestCpus=99
| slot1: Request refused: Not enough Cpus (91.00 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=Not enough Cpus (91.00 short) fault=False
[unpublished]
vm: ClaimRequests = 3
> claim slot1@vm RequestMemory=99999
| slot1: Request refused: Not enough Memory (83999 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r4 reason=Not enough Memory (83999 short) fault=False
[unpublished]
vm: ClaimRequests = 4
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r5 claim=c1 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
    RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "alice@example.net"
    RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 5
> claim slot1@vm
| slot1: Request refused: Slot is already claimed
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r6 reason=Slot is already claimed fault=False
[unpublished]
vm: ClaimRequests = 6
> run c1 1.0 Good=false
| slot1: activate_claim refused: Slot Requirements not satisfied: START is not true
[RunEnded] claim_id=c1 job=1.0 run=1 error=Slot Requirements not satisfied: START is not true
[unpublished]
vm: ActivationRequests = 1
> ready c1
> run c1 1.0 Good=false
| slot1: activate_claim refused: Slot Requirements not satisfied: START is not true
[RunEnded] claim_id=c1 job=1.0 run=1 error=Slot Requirements not satisfied: START is not true
[unpublished]
vm: ActivationRequests = 2
> run c1 1.0 RequestCpus=99
| slot1: activate_claim refused: Not enough Cpus (91.00 short)
[RunEnded] claim_id=c1 job=1.0 run=1 error=Not enough Cpus (91.00 short)
[unpublished]
vm: ActivationRequests = 3
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
vm: ActivationRequests = 4  JobStarts = 1  RecentJobStarts = 1
> run c1 2.0
| slot1: activate_claim refused: Slot is not idle
[RunEnded] claim_id=c1 job=2.0 run=1 error=Slot is not idle
[unpublished]
vm: ActivationRequests = 5
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Vacating
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[SoftKill] claim=c1 code=1017
slot1@vm: Activity = "Vacating"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1017 vacate_reason=Claim was released
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000000
    ExitBySignal = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Claim was
    released"  VacateReasonCode = 1017  VacateReasonSubCode = 0
[StopStarter] claim=c1
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
> run c1 3.0
| activate_claim refused: ClaimId not found
[RunEnded] claim_id=c1 job=3.0 run=1 error=ClaimId not found
[unpublished]
vm: ActivationRequests = 6
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Owner/Idle 15 IS_OWNER is TRUE
| slot1: State change: IS_OWNER is TRUE.
| slot1: Changing state: Unclaimed -> Owner
slot1@vm: EnteredCurrentActivity = 1795000010  State = "Owner"  TotalTimeUnclaimedIdle = 10
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Owner -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot1@vm
[ClaimGranted] request_id=r7 claim=c2 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."
    RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "alice@example.net"
    RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 7

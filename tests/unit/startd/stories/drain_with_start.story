# A drain that lets others in meanwhile (-start).
> estimates
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 3
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 10
slot1@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
slot3@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineQuickDrainingBadput = 60  ExpectedMachineQuickDrainingCompletion = 1795000030
> Drain start="TARGET.Backfill =?= true"
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 90s.
| slot1: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
| slot3: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot3: State change: entering Drained state (from unclaimed).
| slot3: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: graceful  last_start:
    1795000010  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    TARGET.Backfill =?= true  unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  LoadAvg = 0.25  Start = TARGET.Backfill =?= true
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Start = TARGET.Backfill =?= true  State = "Drained"
slot3@vm: Activity = "Retiring"  Start = TARGET.Backfill =?= true  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000010
> claim slot2@vm Backfill=true
| slot2: Request accepted.
| slot2: Remote owner is alice@example.net
| slot2: Changing state and activity: Drained/Retiring -> Claimed/Idle
| slot2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot2@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot2@vm
slot2@vm: AcceptedWhileDraining = true  Activity = "Idle"  ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#2#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 2
> claim slot3@vm Backfill=false
| slot3: Request refused: Slot is draining
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(3, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=Slot is draining fault=False
[unpublished]
vm: ClaimRequests = 3
> ready c2
> run c2 2.0 Backfill=true
| slot2: Got activate_claim request from shadow (127.0.0.1)
| slot2: Remote job ID is 2.0
| slot2: Got universe "VANILLA" (5) from request classad
| slot2: State change: claim-activation protocol successful, Starter 4711
| slot2: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(2, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=2.0 run=1
slot2@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000010
    JobUniverse = 5  RetirementTimeRemaining = 100  StarterPid = 4711
vm: ActivationRequests = 2  ExpectedMachineGracefulDrainingBadput = 400  ExpectedMachineGracefulDrainingCompletion =
    1795000110  ExpectedMachineQuickDrainingBadput = 100  JobStarts = 2  RecentJobStarts = 2
> started c2
[unpublished]
slot2@vm: JobPid = 5000
> wait 50
slot1@vm: RetirementTimeRemaining = 40  TotalClaimRunTime = 60  TotalJobRunTime = 60  TotalTimeClaimedRetiring = 50
slot2@vm: RetirementTimeRemaining = 50  TotalClaimRunTime = 50  TotalJobRunTime = 50  TotalTimeClaimedBusy = 50
slot3@vm: TotalTimeDrainedRetiring = 50
vm: ExpectedMachineQuickDrainingBadput = 300  ExpectedMachineQuickDrainingCompletion = 1795000080
    TotalMachineDrainingUnclaimedTime = 100
> wait 20
| slot1: Evicting job with 20s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 20  State = "Preempting"
    TotalClaimRunTime = 80  TotalJobRunTime = 80  TotalTimeClaimedRetiring = 70
slot2@vm: RetirementTimeRemaining = 30  TotalClaimRunTime = 70  TotalJobRunTime = 70  TotalTimeClaimedBusy = 70
slot3@vm: TotalTimeDrainedRetiring = 70
vm: ExpectedMachineQuickDrainingBadput = 380  ExpectedMachineQuickDrainingCompletion = 1795000100  JobPreemptions =
    1  RecentJobPreemptions = 1  TotalMachineDrainingBadput = 160  TotalMachineDrainingUnclaimedTime = 140
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot2: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate = 1795000080  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 80  RequestCpus = 1  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was draining"
    VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[SoftKill] claim=c2 code=1014
slot1@vm: Activity = "Retiring"  RetirementTimeRemaining = 0  Start = false  State = "Drained"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalJobRunTime
slot2@vm: Activity = "Vacating"  Requirements = false  Start = false  State = "Preempting"
slot3@vm: Requirements = false  Start = false
vm: ExpectedMachineGracefulDrainingBadput = 200  ExpectedMachineQuickDrainingBadput = 180  JobPreemptions = 2
    RecentJobPreemptions = 2  TotalMachineDrainingBadput = 300
> wait 30
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: TotalTimeDrainedRetiring = 30
slot2@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    30
slot3@vm: TotalTimeDrainedRetiring = 100
vm: ExpectedMachineGracefulDrainingBadput = 240  ExpectedMachineGracefulDrainingCompletion = 1795000130
    ExpectedMachineQuickDrainingBadput = 240  ExpectedMachineQuickDrainingCompletion = 1795000130
    TotalMachineDrainingUnclaimedTime = 260
> end c2 2.0 vacated=True exit_signal=15
| slot2: Received final job ClassAd update from starter.
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot2: State change: entering Drained state (from owner).
| slot2: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
| slot3: eval_policy state should be: Drained/Idle 20 draining is complete
| slot3: State change: draining is complete.
| slot3: Changing activity: Retiring -> Idle
[RunEnded] claim_id=c2 job=2.0 run=1 exit_signal=15 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] Backfill = true  BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate =
    1795000110  ExitBySignal = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5
    RemoteHost = "slot2@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 100  RequestCpus = 1
    RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason =
    "Startd was draining"  VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1014 reason=Startd was draining idle=True
slot1@vm: Activity = "Idle"
slot2@vm: AcceptedWhileDraining = false  Activity = "Idle"  State = "Drained"  -ClaimEndTime  -ClientMachine
    -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid  -TotalClaimRunTime
    -TotalJobRunTime
slot3@vm: Activity = "Idle"
vm: ExpectedMachineGracefulDrainingBadput = 0  ExpectedMachineGracefulDrainingCompletion = 1795000110
    ExpectedMachineQuickDrainingBadput = 0  ExpectedMachineQuickDrainingCompletion = 1795000110
> wait 10
slot1@vm: TotalTimeDrainedIdle = 10
slot2@vm: TotalTimeDrainedIdle = 10
slot3@vm: TotalTimeDrainedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000120  ExpectedMachineQuickDrainingCompletion = 1795000120
    TotalMachineDrainingUnclaimedTime = 320
> CancelDrain
| slot1: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot1: State change: slot is no longer draining.
| slot1: Changing state: Drained -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot2: State change: slot is no longer draining.
| slot2: Changing state: Drained -> Owner
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
| slot3: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot3: State change: slot is no longer draining.
| slot3: Changing state: Drained -> Owner
| slot3: State change: IS_OWNER is false
| slot3: Changing state: Owner -> Unclaimed
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 300.0  boot_time: 0  counted_until: 1795000120.0  how: graceful  last_start:
    1795000010  last_stop: 1795000120  on_completion: nothing  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 320.0
slot1@vm: EnteredCurrentActivity = 1795000120  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
slot2@vm: EnteredCurrentActivity = 1795000120  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
slot3@vm: EnteredCurrentActivity = 1795000120  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
vm: LastDrainStopTime = 1795000120  -DrainReason  -Draining  -DrainingRequestId

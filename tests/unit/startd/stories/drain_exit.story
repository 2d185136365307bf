# -exit-on-completion, of a startd with two jobs of different retirement.
> estimates
> policy max_job_retirement_time="TARGET.Long ?: 10" machine_max_vacate_time=5
>> start
>> claim slot1@vm RequestCpus=2
>> claim slot1@vm RequestCpus=3
>> ready c1
>> ready c2
>> run c1 1.0 RequestCpus=2 Long=100
>> run c2 2.0 RequestCpus=3 Long=50
>> started c1
>> started c2
> Drain on_completion=exit
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 100s.
| slot1_1: Changing activity: Busy -> Retiring
| slot1_2: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot1: State change: entering Drained state (from unclaimed).
| slot1: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: exit  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 1) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 2) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  Requirements = false  Start = false  State = "Drained"
slot1_1@vm: Activity = "Retiring"  Requirements = false  Start = false
slot1_2@vm: Activity = "Retiring"  Requirements = false  Start = false
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
> ads vm ExpectedMachineGracefulDrainingCompletion ExpectedMachineGracefulDrainingBadput ExpectedMachineQuickDrainingCompletion ExpectedMachineQuickDrainingBadput
ExpectedMachineGracefulDrainingCompletion = 1795000100
ExpectedMachineGracefulDrainingBadput = 350
ExpectedMachineQuickDrainingCompletion = 1795000005
ExpectedMachineQuickDrainingBadput = 25
> wait 45
| slot1_2: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot1_2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1_2: State change: claim retirement ended/expired.
| slot1_2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c2 code=1014
slot1@vm: ChildState = { "Claimed","Preempting" }  TotalTimeDrainedRetiring = 45
slot1_1@vm: RetirementTimeRemaining = 55  TotalClaimRunTime = 45  TotalJobRunTime = 45  TotalTimeClaimedRetiring =
    45
slot1_2@vm: Activity = "Vacating"  RetirementTimeRemaining = 5  State = "Preempting"  TotalClaimRunTime = 45
    TotalJobRunTime = 45  TotalTimeClaimedRetiring = 45
vm: ExpectedMachineQuickDrainingBadput = 250  ExpectedMachineQuickDrainingCompletion = 1795000050  JobPreemptions =
    1  RecentJobPreemptions = 1  TotalMachineDrainingBadput = 135  TotalMachineDrainingUnclaimedTime = 135
> end c2 2.0 vacated=True exit_signal=15
| slot1_2: Received final job ClassAd update from starter.
| slot1_2: State change: No preempting claim, returning to owner
| slot1_2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1_2: State change: IS_OWNER is false
| slot1_2: Changing state: Owner -> Unclaimed
| slot1_2: Slot slot1_2 no longer needed, deleting
[RunEnded] claim_id=c2 job=2.0 run=1 exit_signal=15 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate = 1795000045  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  Long = 50  RemoteHost =
    "slot1_2@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 45  RequestCpus = 3  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was
    draining"  VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1014 reason=Startd was draining idle=True
slot1@vm: ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  Memory = 15872  NumDynamicSlots = 1
    NumDynamicSlotsTime = 1795000045
slot1_2@vm: gone
vm: ExpectedMachineGracefulDrainingBadput = 200  ExpectedMachineQuickDrainingBadput = 100  TotalSlots = 2
> wait 50
| slot1_1: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot1_1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1_1: State change: claim retirement ended/expired.
| slot1_1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1014
slot1@vm: ChildState = { "Preempting" }  TotalTimeDrainedRetiring = 95
slot1_1@vm: Activity = "Vacating"  RetirementTimeRemaining = 5  State = "Preempting"  TotalClaimRunTime = 95
    TotalJobRunTime = 95  TotalTimeClaimedRetiring = 95
vm: ExpectedMachineQuickDrainingBadput = 200  ExpectedMachineQuickDrainingCompletion = 1795000100  JobPreemptions =
    2  RecentJobPreemptions = 2  TotalMachineDrainingBadput = 325  TotalMachineDrainingUnclaimedTime = 435
> end c1 1.0 vacated=True exit_signal=15
| slot1_1: Received final job ClassAd update from starter.
| slot1_1: State change: No preempting claim, returning to owner
| slot1_1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1_1: State change: IS_OWNER is false
| slot1_1: Changing state: Owner -> Unclaimed
| slot1_1: Slot slot1_1 no longer needed, deleting
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate = 1795000095  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  Long = 100  RemoteHost =
    "slot1_1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 95  RequestCpus = 2  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was
    draining"  VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[RememberDrain] active: False  badput: 325.0  boot_time: 0  counted_until: 1795000095.0  how: graceful  last_start:
    1795000000  last_stop: 1795000095  on_completion: exit  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 435.0
[Exit] restart=False stay_away=True
slot1@vm: Activity = "Idle"  ChildState = {  }  Cpus = 8  Disk = 75600000  Memory = 16000  NumDynamicSlots = 0
    NumDynamicSlotsTime = 1795000095  Requirements = Start && WithinResourceLimits  Start = true
slot1_1@vm: gone
vm: ExpectedMachineGracefulDrainingBadput = 0  ExpectedMachineGracefulDrainingCompletion = 1795000095
    ExpectedMachineQuickDrainingBadput = 0  ExpectedMachineQuickDrainingCompletion = 1795000095  LastDrainStopTime =
    1795000095  TotalSlots = 1  -DrainReason  -Draining  -DrainingRequestId
> wait 1
| slot1: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot1: State change: slot is no longer draining.
| slot1: Changing state: Drained -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
slot1@vm: EnteredCurrentActivity = 1795000096  State = "Unclaimed"  TotalTimeDrainedIdle = 1
vm: ExpectedMachineGracefulDrainingCompletion = 1795000096  ExpectedMachineQuickDrainingCompletion = 1795000096

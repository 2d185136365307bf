# A graceful drain ends with all slots drained, and -resume-on-completion opens them again.
> estimates
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 2
>> start
>> claim slot1@vm RequestCpus=2
>> ready c1
>> run c1 1.0
>> started c1
> wait 30
slot1@vm: RetirementTimeRemaining = 70  TotalClaimRunTime = 30  TotalJobRunTime = 30  TotalTimeClaimedBusy = 30
slot2@vm: TotalTimeUnclaimedIdle = 30
vm: ExpectedMachineQuickDrainingBadput = 200  ExpectedMachineQuickDrainingCompletion = 1795000050
> Drain on_completion=resume
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 70s.
| slot1: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000030.0  how: graceful  last_start:
    1795000030  last_stop: 0  on_completion: resume  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  LoadAvg = 0.25  Requirements = false  Start = false
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000030
> wait 50
| slot1: Evicting job with 20s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"  RetirementTimeRemaining = 20  State = "Preempting"  TotalClaimRunTime = 80
    TotalJobRunTime = 80  TotalTimeClaimedRetiring = 50
slot2@vm: TotalTimeDrainedRetiring = 50
vm: ExpectedMachineQuickDrainingBadput = 400  ExpectedMachineQuickDrainingCompletion = 1795000100  JobPreemptions =
    1  RecentJobPreemptions = 1  TotalMachineDrainingBadput = 320  TotalMachineDrainingUnclaimedTime = 200
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    20
slot2@vm: TotalTimeDrainedRetiring = 70
vm: ExpectedMachineGracefulDrainingBadput = 480  ExpectedMachineGracefulDrainingCompletion = 1795000120
    ExpectedMachineQuickDrainingBadput = 480  ExpectedMachineQuickDrainingCompletion = 1795000120
    TotalMachineDrainingUnclaimedTime = 280
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
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
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate = 1795000100  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 100  RequestCpus = 1  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was draining"
    VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[RememberDrain] active: False  badput: 320.0  boot_time: 0  counted_until: 1795000100.0  how: graceful  last_start:
    1795000030  last_stop: 1795000100  on_completion: resume  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 280.0
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  Start = true  State = "Unclaimed"
    -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse
    -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
    -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
slot2@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  Start = true  State = "Unclaimed"
vm: ExpectedMachineGracefulDrainingBadput = 0  ExpectedMachineGracefulDrainingCompletion = 1795000100
    ExpectedMachineQuickDrainingBadput = 0  ExpectedMachineQuickDrainingCompletion = 1795000100  LastDrainStopTime =
    1795000100  -DrainReason  -Draining  -DrainingRequestId
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalTimeUnclaimedIdle = 31
vm: ExpectedMachineGracefulDrainingCompletion = 1795000101  ExpectedMachineQuickDrainingCompletion = 1795000101

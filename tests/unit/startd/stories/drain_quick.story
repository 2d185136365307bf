# A quick drain takes the retirement away, and leaves the vacate time; one that is suspended goes on for that.
> estimates
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
>> SuspendClaim claim=c1
>> wait 10
> Drain how=quick
| Initiating quick draining.
| slot1: Changing state and activity: Claimed/Suspended -> Preempting/Vacating
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: quick  last_start:
    1795000010  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[ContinueJob] claim=c1
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"  LoadAvg = 0.25  Requirements = false  Start = false  State = "Preempting"
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  JobPreemptions = 1  LastDrainStartTime =
    1795000010  RecentJobPreemptions = 1
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 80  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimePreemptingVacating =
    20
slot2@vm: TotalTimeDrainedRetiring = 20
vm: ExpectedMachineQuickDrainingBadput = 160  ExpectedMachineQuickDrainingCompletion = 1795000050
    TotalMachineDrainingUnclaimedTime = 80
> end c1 1.0 vacated=True exit_signal=9
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
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 vacated=True vacate_code=1014 vacate_reason=Startd was draining
[RunOver] BadputCausedByDraining = true  BadputCausedByPreemption = false  CompletionDate = 1795000030  ExitBySignal
    = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 30  RequestCpus = 1  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was draining"
    VacateReasonCode = 1014  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
slot1@vm: Activity = "Idle"  RetirementTimeRemaining = 0  State = "Drained"  -ClaimEndTime  -ClientMachine
    -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid  -TotalClaimRunTime
    -TotalClaimSuspendTime  -TotalJobRunTime  -TotalJobSuspendTime
slot2@vm: Activity = "Idle"
vm: ExpectedMachineGracefulDrainingBadput = 0  ExpectedMachineGracefulDrainingCompletion = 1795000030
    ExpectedMachineQuickDrainingBadput = 0  ExpectedMachineQuickDrainingCompletion = 1795000030
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
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000030.0  how: quick  last_start:
    1795000010  last_stop: 1795000030  on_completion: nothing  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 80.0
slot1@vm: Requirements = Start && WithinResourceLimits  Start = true  State = "Unclaimed"
slot2@vm: Requirements = Start && WithinResourceLimits  Start = true  State = "Unclaimed"
vm: LastDrainStopTime = 1795000030  -DrainReason  -Draining  -DrainingRequestId

# A graceful drain: the job has its retirement; the other slot is drained at once; then it is cancelled.
> estimates
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 30
slot1@vm: RetirementTimeRemaining = 70  TotalClaimRunTime = 30  TotalJobRunTime = 30  TotalTimeClaimedBusy = 30
slot2@vm: TotalTimeUnclaimedIdle = 30
vm: ExpectedMachineQuickDrainingBadput = 200  ExpectedMachineQuickDrainingCompletion = 1795000050
> Drain reason=because check="Cpus > 99"
[DrainReply] ok=False error_code=10003 text=Draining check expression is false on slot1@vm.
> Drain check="Nonsense("
[DrainReply] ok=False error_code=10003 text=Draining check expression does not evaluate to a bool on slot1@vm.
> Drain check="NoSuch" 
[DrainReply] ok=False error_code=10003 text=Draining check expression does not evaluate to a bool on slot1@vm.
> Drain start="Nonsense("
[DrainReply] ok=False error_code=10003 text=Draining START expression does not parse.
> Drain reason=because check="Cpus > 0"
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 70s.
| slot1: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000030.0  how: graceful  last_start:
    1795000030  last_stop: 0  on_completion: nothing  reason: because  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  LoadAvg = 0.25  Requirements = false  Start = false
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "because"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000030
> Drain
[DrainReply] ok=False error_code=10001 text=Draining already in progress.
> claim slot2@vm
| slot2: Request refused: Slot is draining
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r2 reason=Slot is draining fault=False
[unpublished]
vm: ClaimRequests = 2
> run c1 3.0
| slot1: activate_claim refused: Slot is not idle
[RunEnded] claim_id=c1 job=3.0 run=1 error=Slot is not idle
[unpublished]
vm: ActivationRequests = 2
> wait 10
slot1@vm: RetirementTimeRemaining = 60  TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimeClaimedRetiring = 10
slot2@vm: TotalTimeDrainedRetiring = 10
vm: ExpectedMachineQuickDrainingBadput = 240  ExpectedMachineQuickDrainingCompletion = 1795000060
    TotalMachineDrainingUnclaimedTime = 40
> CancelDrain request_id=7
[DrainReply] ok=False error_code=10002 text=No matching draining request id 7.
> CancelDrain request_id=1
[DrainReply] ok=False error_code=10002 text=No matching draining request id 1.
> CancelDrain
| slot1: eval_policy state should be: Claimed/Busy 1 unretiring because no preempting claim exists
| slot1: State change: unretiring because no preempting claim exists.
| slot1: Changing activity: Retiring -> Busy
| slot2: eval_policy state should be: Owner/Retiring 19 slot is no longer draining
| slot2: State change: slot is no longer draining.
| slot2: Changing state and activity: Drained/Retiring -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000040.0  how: graceful  last_start:
    1795000030  last_stop: 1795000040  on_completion: nothing  reason: because  request_id: 1  requests: 1  start:
    unclaimed: 40.0
slot1@vm: Activity = "Busy"  LoadAvg = 0.0  Requirements = Start && WithinResourceLimits  Start = true
slot2@vm: Activity = "Idle"  LoadAvg = 0.25  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
vm: LastDrainStopTime = 1795000040  -DrainReason  -Draining  -DrainingRequestId
> wait 5
slot1@vm: RetirementTimeRemaining = 55  TotalClaimRunTime = 45  TotalJobRunTime = 45  TotalTimeClaimedBusy = 35
slot2@vm: TotalTimeUnclaimedIdle = 35
vm: ExpectedMachineQuickDrainingBadput = 260  ExpectedMachineQuickDrainingCompletion = 1795000065
> Drain how=quick
| Initiating quick draining.
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Vacating
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000045.0  how: quick  last_start:
    1795000045  last_stop: 1795000040  on_completion: nothing  reason: by command  request_id: 2  requests: 2
    start:   unclaimed: 40.0
[DrainReply] ok=True request_id=2 error_code=0
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"  LoadAvg = 0.25  Requirements = false  Start = false  State = "Preempting"
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "2"  JobPreemptions = 1  LastDrainStartTime =
    1795000045  RecentJobPreemptions = 1  TotalMachineDrainingBadput = 180
> again
| Draining continues (request 2)
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 4.00, Memory: 8000, Swap: 8192000, Disk: 37800000, GPUs: 0
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot2: New Slot of type 1 allocated
| slot2: 	Cpus: 4.00, Memory: 8000, Swap: 8192000, Disk: 37800000, GPUs: 0
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot2: State change: entering Drained state (from owner).
| slot2: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
[Publish]
> wait 10
slot1@vm: TotalTimeDrainedIdle = 10
slot2@vm: TotalTimeDrainedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010  ExpectedMachineQuickDrainingCompletion = 1795000010
    TotalMachineDrainingUnclaimedTime = 120
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
[DrainReply] ok=True request_id=2 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: quick  last_start:
    1795000045  last_stop: 1795000010  on_completion: nothing  reason: by command  request_id: 2  requests: 2
    start:   unclaimed: 120.0
slot1@vm: EnteredCurrentActivity = 1795000010  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
slot2@vm: EnteredCurrentActivity = 1795000010  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
vm: LastDrainStopTime = 1795000010  -DrainReason  -Draining  -DrainingRequestId

# What a startd remembers of draining: totals, and a drain that goes on.
> estimates
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> Drain reason=maintenance on_completion=restart start="TARGET.Backfill"
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 100s.
| slot1: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: restart  reason: maintenance  request_id: 1  requests: 1  start:
    TARGET.Backfill  unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  LoadAvg = 0.25  Start = TARGET.Backfill
slot2@vm: Activity = "Retiring"  LoadAvg = 0.0  Start = TARGET.Backfill  State = "Drained"
vm: DrainReason = "maintenance"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
> again
| Draining continues (request 1)
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
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 1795000000  on_completion: restart  reason: maintenance  request_id: 1  requests: 1
    start:   unclaimed: 0.0
[Exit] restart=True stay_away=False
[Publish]
> wait 100
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
slot1@vm: EnteredCurrentActivity = 1795000100  State = "Unclaimed"  TotalTimeDrainedIdle = 100
slot2@vm: EnteredCurrentActivity = 1795000100  State = "Unclaimed"  TotalTimeDrainedIdle = 100
vm: ExpectedMachineGracefulDrainingCompletion = 1795000100  ExpectedMachineQuickDrainingCompletion = 1795000100
> Drain
| Initiating graceful draining.
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot1: State change: entering Drained state (from unclaimed).
| slot1: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000100.0  how: graceful  last_start:
    1795000100  last_stop: 1795000000  on_completion: nothing  reason: by command  request_id: 2  requests: 2
    start:   unclaimed: 0.0
[DrainReply] ok=True request_id=2 error_code=0
slot1@vm: Requirements = false  Start = false  State = "Drained"
slot2@vm: Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "2"  LastDrainStartTime = 1795000100
> CancelDrain request_id=1
[DrainReply] ok=False error_code=10002 text=No matching draining request id 1.
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

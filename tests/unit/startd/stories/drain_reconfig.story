# -reconfig-on-completion of an empty startd.
> estimates
> static 2
>> start
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010  ExpectedMachineQuickDrainingCompletion = 1795000010
> Drain how=quick on_completion=reconfig
| Initiating quick draining.
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
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: quick  last_start:
    1795000010  last_stop: 0  on_completion: reconfig  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[Reread]
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: quick  last_start:
    1795000010  last_stop: 1795000010  on_completion: reconfig  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 0.0
slot1@vm: EnteredCurrentActivity = 1795000010  EnteredCurrentState = 1795000010
slot2@vm: EnteredCurrentActivity = 1795000010  EnteredCurrentState = 1795000010
vm: LastDrainStartTime = 1795000010  LastDrainStopTime = 1795000010
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 20
slot2@vm: TotalTimeUnclaimedIdle = 20
vm: ExpectedMachineGracefulDrainingCompletion = 1795000020  ExpectedMachineQuickDrainingCompletion = 1795000020

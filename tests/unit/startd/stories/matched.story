# A match that nobody claims, one that START forbids, one that is drained away.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> with match_timeout=60
> policy start="KeyboardIdle > 5"
> static 1
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> Match slot=slot9@vm
> Match slot=slot1@vm
| slot1: State change: match notification protocol successful
| slot1: Changing state: Unclaimed -> Matched
slot1@vm: Requirements = false  State = "Matched"
> wake
in 60 s
> wait 60
| slot1: State change: match timed out
| slot1: Changing state: Matched -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
slot1@vm: EnteredCurrentActivity = 1795000060  Requirements = Start && WithinResourceLimits  State = "Unclaimed"
    TotalTimeMatchedIdle = 60
> Match slot=slot1@vm
| slot1: State change: match notification protocol successful
| slot1: Changing state: Unclaimed -> Matched
slot1@vm: Requirements = false  State = "Matched"
> wait 10 keyboard_idle=0
| slot1: State change: START is false
| slot1: Changing state: Matched -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
slot1@vm: EnteredCurrentActivity = 1795000070  Requirements = Start && WithinResourceLimits  State = "Unclaimed"
    TotalTimeMatchedIdle = 70
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 10
> Match slot=slot1@vm
| slot1: State change: match notification protocol successful
| slot1: Changing state: Unclaimed -> Matched
slot1@vm: EnteredCurrentActivity = 1795000080  Requirements = false  State = "Matched"
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing state: Matched -> Owner
slot1@vm: Requirements = Start && WithinResourceLimits  State = "Owner"
> Match slot=slot1@vm
| slot1: State change: match notification protocol successful
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Owner -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
    RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "alice@example.net"
    RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 1
> Match slot=slot1@vm
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[StopStarter] claim=c1
slot1@vm: State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> Match slot=slot1@vm
| slot1: State change: match notification protocol successful
| slot1: Changing state: Unclaimed -> Matched
slot1@vm: Requirements = false  State = "Matched"
> Drain
| Initiating graceful draining.
| slot1: State change: the match is given up
| slot1: Changing state: Matched -> Owner
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000080.0  how: graceful  last_start:
    1795000080  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
slot1@vm: Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000080
> CancelDrain
| slot1: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot1: State change: slot is no longer draining.
| slot1: Changing state: Drained -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000080.0  how: graceful  last_start:
    1795000080  last_stop: 1795000080  on_completion: nothing  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 0.0
slot1@vm: Requirements = Start && WithinResourceLimits  Start = KeyboardIdle > 5  State = "Unclaimed"
vm: LastDrainStopTime = 1795000080  -DrainReason  -Draining  -DrainingRequestId

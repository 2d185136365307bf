# Idle claims go at once; a job that waits for its starter is refused; a matched slot is given up.
> estimates
> static 3
>> start
>> claim slot1@vm
>> claim slot2@vm
>> run c2 1.0
>> Match slot=slot3@vm
> Drain
| Initiating graceful draining.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot2: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot2: State change: entering Drained state (from owner).
| slot2: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot3: State change: the match is given up
| slot3: Changing state: Matched -> Owner
| slot3: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot3: State change: entering Drained state (from owner).
| slot3: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
| slot3: eval_policy state should be: Drained/Idle 20 draining is complete
| slot3: State change: draining is complete.
| slot3: Changing activity: Retiring -> Idle
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[RunEnded] claim_id=c2 job=1.0 run=1 error=Startd was draining
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1014 reason=Startd was draining idle=True
slot1@vm: Requirements = false  Start = false  State = "Drained"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
slot2@vm: Requirements = false  Start = false  State = "Drained"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
slot3@vm: Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000

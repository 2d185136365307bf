# Idle claims go at once; a job that waits for its starter is refused; a matched slot is given up.
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
[RememberDrain]
    active: True
    badput: 0.0
    boot_time: 0
    counted_until: 1795000000.0
    how: graceful
    last_start: 1795000000
    last_stop: 0
    on_completion: nothing
    reason: by command
    request_id: 1
    requests: 1
    start: 
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[ActivateRefused] claim_id=c2 job=1.0 run=1 reason=Startd was draining fault=False
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1014 reason=Startd was draining idle=True
slot1@vm: Requirements = false
slot1@vm: Start = false
slot1@vm: State = "Drained"
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
slot2@vm: Requirements = false
slot2@vm: Start = false
slot2@vm: State = "Drained"
slot2@vm: - ClaimEndTime
slot2@vm: - ClientMachine
slot2@vm: - PublicClaimId
slot2@vm: - RemoteAutoregroup
slot2@vm: - RemoteNegotiatingGroup
slot2@vm: - RemoteOwner
slot2@vm: - RemoteScheddName
slot2@vm: - RemoteUser
slot3@vm: Start = false
slot3@vm: State = "Drained"
vm: DrainReason = "by command"
vm: Draining = true
vm: DrainingRequestId = "1"
vm: LastDrainStartTime = 1795000000

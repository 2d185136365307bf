# While the startd drains, no slot becomes a data slot.
> policy max_job_retirement_time=100 machine_max_vacate_time=10
>> start
>> claim slot1@vm
> Drain start="true"
| Initiating graceful draining.
| slot1_1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1_1: State change: No preempting claim, returning to owner
| slot1_1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1_1: State change: IS_OWNER is false
| slot1_1: Changing state: Owner -> Unclaimed
| slot1_1: Slot slot1_1 no longer needed, deleting
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot1: State change: entering Drained state (from unclaimed).
| slot1: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start: true
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 1) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
slot1@vm: ChildState = {  }  Cpus = 8  Disk = 75600000  Memory = 16000  NumDynamicSlots = 0  Requirements = false
    Start = false  State = "Drained"
slot1_1@vm: gone
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
    TotalSlots = 1
> ready c1
> stage c1 1.-1000
| activate_claim refused: ClaimId not found
[RunEnded] claim_id=c1 job=1.-1000 run=1 error=ClaimId not found
[unpublished]
vm: ActivationRequests = 1
> staged c1 A

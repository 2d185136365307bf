# A job that retires because of PREEMPT goes on to do so, whoever wants its slot meanwhile or does not any more.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> policy preempt="KeyboardIdle < 5" max_job_retirement_time=100 machine_max_vacate_time=20
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
>> wait 10 keyboard_idle=0
> better slot1@vm priority
| slot1: State change: preempting claim based on user priority
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
slot1@vm: PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
vm: ClaimRequests = 2
> withdraw
[unpublished]
slot1@vm: -PreemptingOwner  -PreemptingRank  -PreemptingUser
> Drain
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 90s.
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: graceful  last_start:
    1795000010  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Requirements = false  Start = false
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000010
> CancelDrain
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: graceful  last_start:
    1795000010  last_stop: 1795000010  on_completion: nothing  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 0.0
slot1@vm: Requirements = Start && WithinResourceLimits  Start = true
vm: LastDrainStopTime = 1795000010  -DrainReason  -Draining  -DrainingRequestId
> wait 10
slot1@vm: RetirementTimeRemaining = 80  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedRetiring = 10
> Shutdown
| shutdown graceful
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
slot1@vm: Requirements = false  Start = false
> wait 70
| slot1: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is FALSE
[SoftKill] claim=c1 code=1011
slot1@vm: Activity = "Vacating"  RetirementTimeRemaining = 10  State = "Preempting"  TotalClaimRunTime = 90
    TotalJobRunTime = 90  TotalTimeClaimedRetiring = 80
vm: JobPreemptions = 1  RecentJobPreemptions = 1

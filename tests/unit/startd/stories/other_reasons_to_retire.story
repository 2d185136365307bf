# A job that retires for a better claim, and then for a drain: the last reason counts; PREEMPT takes its place.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> policy preempt="KeyboardIdle < 5" max_job_retirement_time=100 machine_max_vacate_time=20 want_suspend="TARGET.Soft =?= true"
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
>> claim slot2@vm Soft=true
>> ready c2
>> run c2 2.0 Soft=true
>> started c2
> better slot1@vm rank
| slot1: State change: preempting claim based on machine rank
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
slot1@vm: Activity = "Retiring"  PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
vm: ClaimRequests = 3
> Drain
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 100s.
| slot2: Changing activity: Busy -> Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Requirements = false  Start = false
slot2@vm: Activity = "Retiring"  Requirements = false  Start = false
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
slot1@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot2@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
> wait 80
| slot1: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is FALSE
| slot2: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1011
[SoftKill] claim=c2 code=1014
slot1@vm: Activity = "Vacating"  RetirementTimeRemaining = 10  State = "Preempting"  TotalClaimRunTime = 90
    TotalJobRunTime = 90  TotalTimeClaimedRetiring = 90
slot2@vm: Activity = "Vacating"  RetirementTimeRemaining = 10  State = "Preempting"  TotalClaimRunTime = 90
    TotalJobRunTime = 90  TotalTimeClaimedRetiring = 90
vm: JobPreemptions = 2  RecentJobPreemptions = 2  TotalMachineDrainingBadput = 360

# A graceful drain waits for the longest retirement: a job that the present START would take goes on until then.
> policy max_job_retirement_time="TARGET.Long ?: 20" machine_max_vacate_time=5
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0 Long=100
>> started c1
>> claim slot2@vm
>> ready c2
>> run c2 2.0 Kind=1
>> started c2
> Drain start="TARGET.Kind =?= 1"
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 100s.
| slot1: Changing activity: Busy -> Retiring
| slot2: Changing activity: Busy -> Retiring
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
    start: TARGET.Kind =?= 1
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"
slot1@vm: Start = TARGET.Kind =?= 1
slot2@vm: Activity = "Retiring"
slot2@vm: Start = TARGET.Kind =?= 1
vm: DrainReason = "by command"
vm: Draining = true
vm: DrainingRequestId = "1"
vm: LastDrainStartTime = 1795000000
> wait 15
slot1@vm: RetirementTimeRemaining = 85
slot1@vm: TotalClaimRunTime = 15
slot1@vm: TotalJobRunTime = 15
slot1@vm: TotalTimeClaimedRetiring = 15
slot2@vm: RetirementTimeRemaining = 5
slot2@vm: TotalClaimRunTime = 15
slot2@vm: TotalJobRunTime = 15
slot2@vm: TotalTimeClaimedRetiring = 15
vm: ExpectedMachineQuickDrainingBadput = 160
vm: ExpectedMachineQuickDrainingCompletion = 1795000020
> wait 79
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[SoftKill] claim=c2 code=1014
slot1@vm: RetirementTimeRemaining = 6
slot1@vm: TotalClaimRunTime = 94
slot1@vm: TotalJobRunTime = 94
slot1@vm: TotalTimeClaimedRetiring = 94
slot2@vm: Activity = "Vacating"
slot2@vm: EnteredCurrentActivity = 1795000094
slot2@vm: EnteredCurrentState = 1795000094
slot2@vm: Requirements = false
slot2@vm: RetirementTimeRemaining = 0
slot2@vm: State = "Preempting"
slot2@vm: TotalClaimRunTime = 94
slot2@vm: TotalJobRunTime = 94
slot2@vm: TotalTimeClaimedRetiring = 94
vm: ExpectedMachineGracefulDrainingBadput = 796
vm: ExpectedMachineQuickDrainingBadput = 792
vm: ExpectedMachineQuickDrainingCompletion = 1795000099
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
vm: TotalMachineDrainingBadput = 376
> wait 1
| slot1: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000095
slot1@vm: EnteredCurrentState = 1795000095
slot1@vm: Requirements = false
slot1@vm: RetirementTimeRemaining = 5
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 95
slot1@vm: TotalJobRunTime = 95
slot1@vm: TotalTimeClaimedRetiring = 95
slot2@vm: TotalClaimRunTime = 95
slot2@vm: TotalJobRunTime = 95
slot2@vm: TotalTimePreemptingVacating = 1
vm: ExpectedMachineGracefulDrainingBadput = 800
vm: ExpectedMachineQuickDrainingBadput = 800
vm: ExpectedMachineQuickDrainingCompletion = 1795000100
vm: JobPreemptions = 2
vm: RecentJobPreemptions = 2
vm: TotalMachineDrainingBadput = 756
> wait 4
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: RetirementTimeRemaining = 1
slot1@vm: TotalClaimRunTime = 99
slot1@vm: TotalJobRunTime = 99
slot1@vm: TotalTimePreemptingVacating = 4
slot2@vm: TotalClaimRunTime = 99
slot2@vm: TotalJobRunTime = 99
slot2@vm: TotalTimePreemptingVacating = 5
vm: ExpectedMachineGracefulDrainingBadput = 832
vm: ExpectedMachineGracefulDrainingCompletion = 1795000104
vm: ExpectedMachineQuickDrainingBadput = 832
vm: ExpectedMachineQuickDrainingCompletion = 1795000104
> wait 1
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0
slot1@vm: TotalClaimRunTime = 100
slot1@vm: TotalJobRunTime = 100
slot1@vm: TotalTimePreemptingVacating = 5
slot2@vm: TotalClaimRunTime = 100
slot2@vm: TotalJobRunTime = 100
slot2@vm: TotalTimePreemptingVacating = 6
vm: ExpectedMachineGracefulDrainingBadput = 840
vm: ExpectedMachineGracefulDrainingCompletion = 1795000105
vm: ExpectedMachineQuickDrainingBadput = 840
vm: ExpectedMachineQuickDrainingCompletion = 1795000105

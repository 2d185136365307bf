# A graceful drain waits for the longest retirement: a job that the present START would take goes on until then.
> estimates
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
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    TARGET.Kind =?= 1  unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
slot1@vm: Activity = "Retiring"  Start = TARGET.Kind =?= 1
slot2@vm: Activity = "Retiring"  Start = TARGET.Kind =?= 1
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
> wait 15
slot1@vm: RetirementTimeRemaining = 85  TotalClaimRunTime = 15  TotalJobRunTime = 15  TotalTimeClaimedRetiring = 15
slot2@vm: RetirementTimeRemaining = 5  TotalClaimRunTime = 15  TotalJobRunTime = 15  TotalTimeClaimedRetiring = 15
vm: ExpectedMachineQuickDrainingBadput = 160  ExpectedMachineQuickDrainingCompletion = 1795000020
> wait 79
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c2 code=1014
slot1@vm: RetirementTimeRemaining = 6  TotalClaimRunTime = 94  TotalJobRunTime = 94  TotalTimeClaimedRetiring = 94
slot2@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 0  State = "Preempting"
    TotalClaimRunTime = 94  TotalJobRunTime = 94  TotalTimeClaimedRetiring = 94
vm: ExpectedMachineGracefulDrainingBadput = 796  ExpectedMachineQuickDrainingBadput = 792
    ExpectedMachineQuickDrainingCompletion = 1795000099  JobPreemptions = 1  RecentJobPreemptions = 1
    TotalMachineDrainingBadput = 376
> wait 1
| slot1: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 5  State = "Preempting"
    TotalClaimRunTime = 95  TotalJobRunTime = 95  TotalTimeClaimedRetiring = 95
slot2@vm: TotalClaimRunTime = 95  TotalJobRunTime = 95  TotalTimePreemptingVacating = 1
vm: ExpectedMachineGracefulDrainingBadput = 800  ExpectedMachineQuickDrainingBadput = 800
    ExpectedMachineQuickDrainingCompletion = 1795000100  JobPreemptions = 2  RecentJobPreemptions = 2
    TotalMachineDrainingBadput = 756
> wait 4
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: RetirementTimeRemaining = 1  TotalClaimRunTime = 99  TotalJobRunTime = 99  TotalTimePreemptingVacating = 4
slot2@vm: TotalClaimRunTime = 99  TotalJobRunTime = 99  TotalTimePreemptingVacating = 5
vm: ExpectedMachineGracefulDrainingBadput = 832  ExpectedMachineGracefulDrainingCompletion = 1795000104
    ExpectedMachineQuickDrainingBadput = 832  ExpectedMachineQuickDrainingCompletion = 1795000104
> wait 1
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    5
slot2@vm: TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating = 6
vm: ExpectedMachineGracefulDrainingBadput = 840  ExpectedMachineGracefulDrainingCompletion = 1795000105
    ExpectedMachineQuickDrainingBadput = 840  ExpectedMachineQuickDrainingCompletion = 1795000105

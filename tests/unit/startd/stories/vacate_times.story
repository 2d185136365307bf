# What a job says of its own retirement and vacate time.
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 4
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0 JobMaxVacateTime=10
>> started c1
>> claim slot2@vm
>> ready c2
>> run c2 2.0 JobMaxVacateTime=60
>> started c2
>> claim slot3@vm
>> ready c3
>> run c3 3.0 MaxJobRetirementTime=30 KillSigTimeout=25
>> started c3
>> claim slot4@vm
>> ready c4
>> run c4 4.0 MaxJobRetirementTime=500 JobMaxVacateTime=-5
>> started c4
> Vacate slot=None
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Retiring
| slot2: State change: received VACATE_CLAIM command
| slot2: Changing activity: Busy -> Retiring
| slot3: State change: received VACATE_CLAIM command
| slot3: Changing activity: Busy -> Retiring
| slot4: State change: received VACATE_CLAIM command
| slot4: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(3, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(4, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
slot1@vm: Activity = "Retiring"
slot2@vm: Activity = "Retiring"
slot3@vm: Activity = "Retiring"
slot4@vm: Activity = "Retiring"
> wait 10
| slot3: Evicting job with 20s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot3: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot3: State change: claim retirement ended/expired.
| slot3: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[SoftKill] claim=c3 code=1010
slot1@vm: RetirementTimeRemaining = 90
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedRetiring = 10
slot2@vm: RetirementTimeRemaining = 90
slot2@vm: TotalClaimRunTime = 10
slot2@vm: TotalJobRunTime = 10
slot2@vm: TotalTimeClaimedRetiring = 10
slot3@vm: Activity = "Vacating"
slot3@vm: EnteredCurrentActivity = 1795000010
slot3@vm: EnteredCurrentState = 1795000010
slot3@vm: Requirements = false
slot3@vm: RetirementTimeRemaining = 20
slot3@vm: State = "Preempting"
slot3@vm: TotalClaimRunTime = 10
slot3@vm: TotalJobRunTime = 10
slot3@vm: TotalTimeClaimedRetiring = 10
slot4@vm: RetirementTimeRemaining = 90
slot4@vm: TotalClaimRunTime = 10
slot4@vm: TotalJobRunTime = 10
slot4@vm: TotalTimeClaimedRetiring = 10
vm: ExpectedMachineQuickDrainingBadput = 260
vm: ExpectedMachineQuickDrainingCompletion = 1795000070
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> wait 30
| slot2: Evicting job with 60s of retirement time remaining in order to accommodate this job's max vacate time of 60s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot3[3.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[Publish]
[SoftKill] claim=c2 code=1010
[HardKill] claim=c3
slot1@vm: RetirementTimeRemaining = 60
slot1@vm: TotalClaimRunTime = 40
slot1@vm: TotalJobRunTime = 40
slot1@vm: TotalTimeClaimedRetiring = 40
slot2@vm: Activity = "Vacating"
slot2@vm: EnteredCurrentActivity = 1795000040
slot2@vm: EnteredCurrentState = 1795000040
slot2@vm: Requirements = false
slot2@vm: RetirementTimeRemaining = 60
slot2@vm: State = "Preempting"
slot2@vm: TotalClaimRunTime = 40
slot2@vm: TotalJobRunTime = 40
slot2@vm: TotalTimeClaimedRetiring = 40
slot3@vm: RetirementTimeRemaining = 0
slot3@vm: TotalClaimRunTime = 40
slot3@vm: TotalJobRunTime = 40
slot3@vm: TotalTimePreemptingVacating = 30
slot4@vm: RetirementTimeRemaining = 60
slot4@vm: TotalClaimRunTime = 40
slot4@vm: TotalJobRunTime = 40
slot4@vm: TotalTimeClaimedRetiring = 40
vm: ExpectedMachineGracefulDrainingBadput = 720
vm: ExpectedMachineQuickDrainingBadput = 500
vm: ExpectedMachineQuickDrainingCompletion = 1795000100
vm: JobPreemptions = 2
vm: RecentJobPreemptions = 2
> wait 50
| slot1: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 10s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot3[3.0]: starter (pid 4711) is not responding to the request to hardkill its job
[Publish]
[SoftKill] claim=c1 code=1010
[KillStarter] claim=c3
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000090
slot1@vm: EnteredCurrentState = 1795000090
slot1@vm: Requirements = false
slot1@vm: RetirementTimeRemaining = 10
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 90
slot1@vm: TotalJobRunTime = 90
slot1@vm: TotalTimeClaimedRetiring = 90
slot2@vm: RetirementTimeRemaining = 10
slot2@vm: TotalClaimRunTime = 90
slot2@vm: TotalJobRunTime = 90
slot2@vm: TotalTimePreemptingVacating = 50
slot3@vm: TotalClaimRunTime = 90
slot3@vm: TotalJobRunTime = 90
slot3@vm: TotalTimePreemptingVacating = 80
slot4@vm: RetirementTimeRemaining = 10
slot4@vm: TotalClaimRunTime = 90
slot4@vm: TotalJobRunTime = 90
slot4@vm: TotalTimeClaimedRetiring = 90
vm: ExpectedMachineGracefulDrainingBadput = 840
vm: ExpectedMachineGracefulDrainingCompletion = 1795000110
vm: ExpectedMachineQuickDrainingBadput = 820
vm: ExpectedMachineQuickDrainingCompletion = 1795000110
vm: JobPreemptions = 3
vm: RecentJobPreemptions = 3
> wait 10
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
| slot4: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot4: State change: claim retirement ended/expired.
| slot4: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[HardKill] claim=c1
[HardKill] claim=c2
[Publish]
[SoftKill] claim=c4 code=1010
slot1@vm: RetirementTimeRemaining = 0
slot1@vm: TotalClaimRunTime = 100
slot1@vm: TotalJobRunTime = 100
slot1@vm: TotalTimePreemptingVacating = 10
slot2@vm: RetirementTimeRemaining = 0
slot2@vm: TotalClaimRunTime = 100
slot2@vm: TotalJobRunTime = 100
slot2@vm: TotalTimePreemptingVacating = 60
slot3@vm: TotalClaimRunTime = 100
slot3@vm: TotalJobRunTime = 100
slot3@vm: TotalTimePreemptingVacating = 90
slot4@vm: Activity = "Vacating"
slot4@vm: EnteredCurrentActivity = 1795000100
slot4@vm: EnteredCurrentState = 1795000100
slot4@vm: Requirements = false
slot4@vm: RetirementTimeRemaining = 0
slot4@vm: State = "Preempting"
slot4@vm: TotalClaimRunTime = 100
slot4@vm: TotalJobRunTime = 100
slot4@vm: TotalTimeClaimedRetiring = 100
vm: ExpectedMachineGracefulDrainingBadput = 900
vm: ExpectedMachineGracefulDrainingCompletion = 1795000120
vm: ExpectedMachineQuickDrainingBadput = 900
vm: ExpectedMachineQuickDrainingCompletion = 1795000120
vm: JobPreemptions = 4
vm: RecentJobPreemptions = 4
> wait 60
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot2[2.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot3[3.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot4[4.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[KillStarter] claim=c1
[KillStarter] claim=c2
[KillStarter] claim=c3
[HardKill] claim=c4
slot1@vm: TotalClaimRunTime = 160
slot1@vm: TotalJobRunTime = 160
slot1@vm: TotalTimePreemptingVacating = 70
slot2@vm: TotalClaimRunTime = 160
slot2@vm: TotalJobRunTime = 160
slot2@vm: TotalTimePreemptingVacating = 120
slot3@vm: TotalClaimRunTime = 160
slot3@vm: TotalJobRunTime = 160
slot3@vm: TotalTimePreemptingVacating = 150
slot4@vm: TotalClaimRunTime = 160
slot4@vm: TotalJobRunTime = 160
slot4@vm: TotalTimePreemptingVacating = 60
vm: ExpectedMachineGracefulDrainingBadput = 1380
vm: ExpectedMachineGracefulDrainingCompletion = 1795000180
vm: ExpectedMachineQuickDrainingBadput = 1380
vm: ExpectedMachineQuickDrainingCompletion = 1795000180

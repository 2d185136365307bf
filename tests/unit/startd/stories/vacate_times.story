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
[SoftKill] claim=c3 code=1010
slot1@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot2@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot3@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 20  State = "Preempting"
    TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot4@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wait 30
| slot2: Evicting job with 60s of retirement time remaining in order to accommodate this job's max vacate time of 60s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot3[3.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[SoftKill] claim=c2 code=1010
[HardKill] claim=c3
slot1@vm: RetirementTimeRemaining = 60  TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimeClaimedRetiring = 40
slot2@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 60  State = "Preempting"
    TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimeClaimedRetiring = 40
slot3@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimePreemptingVacating =
    30
slot4@vm: RetirementTimeRemaining = 60  TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimeClaimedRetiring = 40
vm: JobPreemptions = 2  RecentJobPreemptions = 2
> wait 50
| slot1: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 10s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot3[3.0]: starter (pid 4711) is not responding to the request to hardkill its job
[SoftKill] claim=c1 code=1010
[KillStarter] claim=c3
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 10  State = "Preempting"
    TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimeClaimedRetiring = 90
slot2@vm: RetirementTimeRemaining = 10  TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimePreemptingVacating =
    50
slot3@vm: TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimePreemptingVacating = 80
slot4@vm: RetirementTimeRemaining = 10  TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimeClaimedRetiring = 90
vm: JobPreemptions = 3  RecentJobPreemptions = 3
> wait 10
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
| slot4: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot4: State change: claim retirement ended/expired.
| slot4: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[HardKill] claim=c1
[HardKill] claim=c2
[SoftKill] claim=c4 code=1010
slot1@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    10
slot2@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating =
    60
slot3@vm: TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimePreemptingVacating = 90
slot4@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 0  State = "Preempting"
    TotalClaimRunTime = 100  TotalJobRunTime = 100  TotalTimeClaimedRetiring = 100
vm: JobPreemptions = 4  RecentJobPreemptions = 4
> wait 60
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot2[2.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot3[3.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot4[4.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[KillStarter] claim=c1
[KillStarter] claim=c2
[KillStarter] claim=c3
[HardKill] claim=c4
slot1@vm: TotalClaimRunTime = 160  TotalJobRunTime = 160  TotalTimePreemptingVacating = 70
slot2@vm: TotalClaimRunTime = 160  TotalJobRunTime = 160  TotalTimePreemptingVacating = 120
slot3@vm: TotalClaimRunTime = 160  TotalJobRunTime = 160  TotalTimePreemptingVacating = 150
slot4@vm: TotalClaimRunTime = 160  TotalJobRunTime = 160  TotalTimePreemptingVacating = 60

# Jobs that are evicted while they are suspended: condor_vacate lets the job stay as it is for its retirement, the hard kill and PREEMPT resume it first.
> with killing_timeout=20
> policy machine_max_vacate_time="60" max_job_retirement_time="100" preempt="TotalLoadAvg > 5" want_suspend="true" continue_="false" want_vacate="true" want_hold="true"
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> claim slot2@vm
>> ready c2
>> run c2 2.0
>> SuspendClaim claim=c1
>> SuspendClaim claim=c2
> Vacate slot=slot1@vm graceful=True code=1007 reason=why
| slot1: State change: received VACATE_CLAIM command
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1007'), ('Reason', '"why"'))
> wait 10
slot1@vm: TotalClaimSuspendTime = 10  TotalJobSuspendTime = 10  TotalTimeClaimedSuspended = 10
slot2@vm: TotalClaimSuspendTime = 10  TotalJobSuspendTime = 10  TotalTimeClaimedSuspended = 10
# The second fast one finds it killed already.
> Vacate slot=slot1@vm graceful=False code=1007 reason=why
| slot1: State change: received VACATE_CLAIM_FAST command
| slot1: Changing state and activity: Claimed/Suspended -> Preempting/Killing
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1007'), ('Kill', 'true'), ('Reason', '"why"'))
[ContinueJob] claim=c1
[HardKill] claim=c1
slot1@vm: Activity = "Killing"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> Vacate slot=slot1@vm graceful=False code=1007 reason=why
| slot1: State change: received VACATE_CLAIM_FAST command
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1007'), ('Kill', 'true'), ('Reason', '"why"'))
[Publish]
> wake
in 20 s
>> end c1 1.0 vacated=True
> wait 1 load_avg=6.0
| slot2: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot2: State change: PREEMPT is TRUE.
| slot2: Changing activity: Suspended -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
[ContinueJob] claim=c2
slot1@vm: LoadAvg = 4.0  TotalTimeUnclaimedIdle = 1
slot2@vm: Activity = "Retiring"  LoadAvg = 2.0  TotalClaimSuspendTime = 11  TotalJobSuspendTime = 11
    TotalTimeClaimedSuspended = 11
vm: TotalLoadAvg = 6.0
> wait 90
| slot2: Evicting job with 10s of retirement time remaining in order to accommodate this job's max vacate time of 60s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: WANT_VACATE is TRUE
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot2: State change: WANT_HOLD is TRUE
[SoftKill] claim=c2 code=1011
slot1@vm: LoadAvg = 0.25  TotalTimeUnclaimedIdle = 91
slot2@vm: Activity = "Vacating"  LoadAvg = 0.0  Requirements = false  RetirementTimeRemaining = 10  State =
    "Preempting"  TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimeClaimedRetiring = 90
vm: JobPreemptions = 2  RecentJobPreemptions = 2  TotalLoadAvg = 0.25
> wait 60
| slot2[2.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: TotalTimeUnclaimedIdle = 151
slot2@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 150  TotalJobRunTime = 150  TotalTimePreemptingVacating =
    60
> SuspendClaim claim=c2
>> end c2 2.0 vacated=True

# SUSPEND and CONTINUE; a suspended job that is preempted, and one that retires.
> policy want_suspend=true suspend="TotalLoadAvg > 5" continue_="TotalLoadAvg < 1" preempt="Activity == \"Suspended\" && TotalLoadAvg > 8" max_job_retirement_time=300 machine_max_vacate_time=20
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 10 load_avg=6.0
| slot1: eval_policy state should be: Claimed/Suspended 7 SUSPEND is TRUE
| slot1: State change: SUSPEND is TRUE.
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"  LoadAvg = 6.0  RetirementTimeRemaining = 290  TotalClaimRunTime = 10
    TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=6.0
slot1@vm: TotalClaimSuspendTime = 10  TotalJobSuspendTime = 10  TotalTimeClaimedSuspended = 10
> wait 10 load_avg=0.5
| slot1: eval_policy state should be: Claimed/Busy 8 CONTINUE is TRUE
| slot1: State change: CONTINUE is TRUE.
| slot1: Changing activity: Suspended -> Busy
[ContinueJob] claim=c1
slot1@vm: Activity = "Busy"  LoadAvg = 0.5  TotalClaimSuspendTime = 20  TotalJobSuspendTime = 20
    TotalTimeClaimedSuspended = 20
vm: TotalLoadAvg = 0.5
> better slot1@vm priority
| slot1: State change: preempting claim based on user priority
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
slot1@vm: Activity = "Retiring"  PreemptingOwner = "bob"  PreemptingRank = 0.0  PreemptingUser = "bob@example.net"
vm: ClaimRequests = 2
> wait 10 load_avg=6.0
| slot1: eval_policy state should be: Claimed/Suspended 7 SUSPEND is TRUE
| slot1: State change: SUSPEND is TRUE.
| slot1: Changing activity: Retiring -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"  LoadAvg = 6.0  RetirementTimeRemaining = 280  TotalClaimRunTime = 20
    TotalJobRunTime = 20  TotalTimeClaimedRetiring = 10
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=0.5
| slot1: eval_policy state should be: Claimed/Retiring 6 CONTINUE is TRUE
| slot1: State change: CONTINUE is TRUE.
| slot1: Changing activity: Suspended -> Retiring
[ContinueJob] claim=c1
slot1@vm: Activity = "Retiring"  LoadAvg = 0.5  TotalClaimSuspendTime = 30  TotalJobSuspendTime = 30
    TotalTimeClaimedSuspended = 30
vm: TotalLoadAvg = 0.5
> withdraw r9
> withdraw r2
| slot1: State change: the preempting claim is gone
| slot1: eval_policy state should be: Claimed/Busy 1 unretiring because no preempting claim exists
| slot1: State change: unretiring because no preempting claim exists.
| slot1: Changing activity: Retiring -> Busy
slot1@vm: Activity = "Busy"  -PreemptingOwner  -PreemptingRank  -PreemptingUser
> wait 10 load_avg=6.0
| slot1: eval_policy state should be: Claimed/Suspended 7 SUSPEND is TRUE
| slot1: State change: SUSPEND is TRUE.
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
slot1@vm: Activity = "Suspended"  LoadAvg = 6.0  RetirementTimeRemaining = 270  TotalClaimRunTime = 30
    TotalJobRunTime = 30  TotalTimeClaimedBusy = 20
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=9.0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
| slot1: Changing activity: Suspended -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
[ContinueJob] claim=c1
slot1@vm: Activity = "Retiring"  LoadAvg = 8.0  TotalClaimSuspendTime = 40  TotalJobSuspendTime = 40
    TotalTimeClaimedSuspended = 40
vm: TotalLoadAvg = 9.0
> wait 400 load_avg=9.0
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is FALSE
[SoftKill] claim=c1 code=1011
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 0  State = "Preempting"
    TotalClaimRunTime = 430  TotalJobRunTime = 430  TotalTimeClaimedRetiring = 410
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
[unpublished]
slot1@vm: LoadAvg = 0.25  TotalClaimRunTime = 450  TotalJobRunTime = 450  TotalTimePreemptingVacating = 20
vm: TotalLoadAvg = 0.25
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True vacate_code=1011 vacate_reason=PREEMPT expression evaluated to True
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000490  ExitBySignal
    = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 490  RequestCpus = 1  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "PREEMPT expression
    evaluated to True"  VacateReasonCode = 1011  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1011 reason=PREEMPT expression evaluated to True idle=True
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalClaimSuspendTime  -TotalJobRunTime  -TotalJobSuspendTime

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
[Publish]
slot1@vm: Activity = "Suspended"
slot1@vm: EnteredCurrentActivity = 1795000010
slot1@vm: LoadAvg = 6.0
slot1@vm: RetirementTimeRemaining = 290
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedBusy = 10
vm: ExpectedMachineQuickDrainingBadput = 240
vm: ExpectedMachineQuickDrainingCompletion = 1795000030
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=6.0
slot1@vm: TotalClaimSuspendTime = 10
slot1@vm: TotalJobSuspendTime = 10
slot1@vm: TotalTimeClaimedSuspended = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000310
vm: ExpectedMachineQuickDrainingCompletion = 1795000040
> wait 10 load_avg=0.5
| slot1: eval_policy state should be: Claimed/Busy 8 CONTINUE is TRUE
| slot1: State change: CONTINUE is TRUE.
| slot1: Changing activity: Suspended -> Busy
[ContinueJob] claim=c1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: EnteredCurrentActivity = 1795000030
slot1@vm: LoadAvg = 0.5
slot1@vm: TotalClaimSuspendTime = 20
slot1@vm: TotalJobSuspendTime = 20
slot1@vm: TotalTimeClaimedSuspended = 20
vm: ExpectedMachineGracefulDrainingCompletion = 1795000320
vm: ExpectedMachineQuickDrainingCompletion = 1795000050
vm: TotalLoadAvg = 0.5
> better slot1@vm priority
| slot1: State change: preempting claim based on user priority
| slot1: eval_policy state should be: Claimed/Retiring 9 retiring due to preempting claim
| slot1: State change: retiring due to preempting claim.
| slot1: Changing activity: Busy -> Retiring
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1019'), ('Reason', '"Preempted for a Priority user"'))
slot1@vm: Activity = "Retiring"
slot1@vm: PreemptingOwner = "bob"
slot1@vm: PreemptingRank = 0.0
slot1@vm: PreemptingUser = "bob@example.net"
vm: ClaimRequests = 2
> wait 10 load_avg=6.0
| slot1: eval_policy state should be: Claimed/Suspended 7 SUSPEND is TRUE
| slot1: State change: SUSPEND is TRUE.
| slot1: Changing activity: Retiring -> Suspended
[SuspendJob] claim=c1
[Publish]
slot1@vm: Activity = "Suspended"
slot1@vm: EnteredCurrentActivity = 1795000040
slot1@vm: LoadAvg = 6.0
slot1@vm: RetirementTimeRemaining = 280
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimeClaimedRetiring = 10
vm: ExpectedMachineQuickDrainingBadput = 320
vm: ExpectedMachineQuickDrainingCompletion = 1795000060
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=0.5
| slot1: eval_policy state should be: Claimed/Retiring 6 CONTINUE is TRUE
| slot1: State change: CONTINUE is TRUE.
| slot1: Changing activity: Suspended -> Retiring
[ContinueJob] claim=c1
[Publish]
slot1@vm: Activity = "Retiring"
slot1@vm: EnteredCurrentActivity = 1795000050
slot1@vm: LoadAvg = 0.5
slot1@vm: TotalClaimSuspendTime = 30
slot1@vm: TotalJobSuspendTime = 30
slot1@vm: TotalTimeClaimedSuspended = 30
vm: ExpectedMachineGracefulDrainingCompletion = 1795000330
vm: ExpectedMachineQuickDrainingCompletion = 1795000070
vm: TotalLoadAvg = 0.5
> withdraw r9
> withdraw r2
| slot1: State change: the preempting claim is gone
| slot1: eval_policy state should be: Claimed/Busy 1 unretiring because no preempting claim exists
| slot1: State change: unretiring because no preempting claim exists.
| slot1: Changing activity: Retiring -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: - PreemptingOwner
slot1@vm: - PreemptingRank
slot1@vm: - PreemptingUser
> wait 10 load_avg=6.0
| slot1: eval_policy state should be: Claimed/Suspended 7 SUSPEND is TRUE
| slot1: State change: SUSPEND is TRUE.
| slot1: Changing activity: Busy -> Suspended
[SuspendJob] claim=c1
[Publish]
slot1@vm: Activity = "Suspended"
slot1@vm: EnteredCurrentActivity = 1795000060
slot1@vm: LoadAvg = 6.0
slot1@vm: RetirementTimeRemaining = 270
slot1@vm: TotalClaimRunTime = 30
slot1@vm: TotalJobRunTime = 30
slot1@vm: TotalTimeClaimedBusy = 20
vm: ExpectedMachineQuickDrainingBadput = 400
vm: ExpectedMachineQuickDrainingCompletion = 1795000080
vm: TotalLoadAvg = 6.0
> wait 10 load_avg=9.0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
| slot1: Changing activity: Suspended -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
[ContinueJob] claim=c1
[Publish]
slot1@vm: Activity = "Retiring"
slot1@vm: EnteredCurrentActivity = 1795000070
slot1@vm: LoadAvg = 8.0
slot1@vm: TotalClaimSuspendTime = 40
slot1@vm: TotalJobSuspendTime = 40
slot1@vm: TotalTimeClaimedSuspended = 40
vm: ExpectedMachineGracefulDrainingCompletion = 1795000340
vm: ExpectedMachineQuickDrainingCompletion = 1795000090
vm: TotalLoadAvg = 9.0
> wait 400 load_avg=9.0
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is FALSE
[Publish]
[SoftKill] claim=c1 code=1011
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000470
slot1@vm: EnteredCurrentState = 1795000470
slot1@vm: Requirements = false
slot1@vm: RetirementTimeRemaining = 0
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 430
slot1@vm: TotalJobRunTime = 430
slot1@vm: TotalTimeClaimedRetiring = 410
vm: ExpectedMachineGracefulDrainingBadput = 3600
vm: ExpectedMachineGracefulDrainingCompletion = 1795000490
vm: ExpectedMachineQuickDrainingBadput = 3600
vm: ExpectedMachineQuickDrainingCompletion = 1795000490
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: LoadAvg = 0.25
slot1@vm: TotalClaimRunTime = 450
slot1@vm: TotalJobRunTime = 450
slot1@vm: TotalTimePreemptingVacating = 20
vm: ExpectedMachineGracefulDrainingBadput = 3760
vm: ExpectedMachineGracefulDrainingCompletion = 1795000510
vm: ExpectedMachineQuickDrainingBadput = 3760
vm: ExpectedMachineQuickDrainingCompletion = 1795000510
vm: TotalLoadAvg = 0.25
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c1 job=1.0 run=1 code=1011 reason=PREEMPT expression evaluated to True subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = true
    CompletionDate = 1795000490
    ExitBySignal = true
    ExitSignal = 15
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 490
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "PREEMPT expression evaluated to True"
    VacateReasonCode = 1011
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1011 reason=PREEMPT expression evaluated to True idle=True
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000490
slot1@vm: EnteredCurrentState = 1795000490
slot1@vm: Requirements = Start && WithinResourceLimits
slot1@vm: State = "Unclaimed"
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobPid
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
slot1@vm: - StarterPid
slot1@vm: - TotalClaimRunTime
slot1@vm: - TotalClaimSuspendTime
slot1@vm: - TotalJobRunTime
slot1@vm: - TotalJobSuspendTime
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000490
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000490

# PREEMPT: retirement first, then the vacate time, then the kill; WANT_VACATE and WANT_HOLD are asked on the way.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> policy preempt="KeyboardIdle < 5" max_job_retirement_time=100 machine_max_vacate_time=20 want_hold="true" want_hold_subcode=7 want_hold_reason="\"out of here\""
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 50
slot1@vm: RetirementTimeRemaining = 50  TotalClaimRunTime = 50  TotalJobRunTime = 50  TotalTimeClaimedBusy = 50
slot2@vm: TotalTimeUnclaimedIdle = 50
> wait 5 keyboard_idle=0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
slot1@vm: Activity = "Retiring"  RetirementTimeRemaining = 45  TotalClaimRunTime = 55  TotalJobRunTime = 55
    TotalTimeClaimedBusy = 55
slot2@vm: TotalTimeUnclaimedIdle = 55
> wait 10
slot1@vm: RetirementTimeRemaining = 35  TotalClaimRunTime = 65  TotalJobRunTime = 65  TotalTimeClaimedRetiring = 10
slot2@vm: TotalTimeUnclaimedIdle = 65
> wait 24
| slot1: Evicting job with 11s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is TRUE
[SoftKill] claim=c1 code=1011
slot1@vm: Activity = "Vacating"  Requirements = false  RetirementTimeRemaining = 11  State = "Preempting"
    TotalClaimRunTime = 89  TotalJobRunTime = 89  TotalTimeClaimedRetiring = 34
slot2@vm: TotalTimeUnclaimedIdle = 89
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wake
in 20 s
> wait 1
slot1@vm: RetirementTimeRemaining = 10  TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimePreemptingVacating =
    1
slot2@vm: TotalTimeUnclaimedIdle = 90
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0  TotalClaimRunTime = 110  TotalJobRunTime = 110  TotalTimePreemptingVacating =
    21
slot2@vm: TotalTimeUnclaimedIdle = 110
> wake
in 30 s
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 hold_code=21 hold_subcode=7 hold_reason=out of here vacated=True vacate_code=1011 vacate_reason=PREEMPT expression evaluated to True
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000110  ExitBySignal
    = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 110  RequestCpus = 1  RequestDisk = 1024
    RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "PREEMPT expression
    evaluated to True"  VacateReasonCode = 1011  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1011 reason=PREEMPT expression evaluated to True idle=True
slot1@vm: Activity = "Idle"  LoadAvg = 0.25  Requirements = Start && WithinResourceLimits  State = "Unclaimed"
    -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse
    -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
    -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
slot2@vm: LoadAvg = 0.0

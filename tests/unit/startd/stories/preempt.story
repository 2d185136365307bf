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
slot1@vm: RetirementTimeRemaining = 50
slot1@vm: TotalClaimRunTime = 50
slot1@vm: TotalJobRunTime = 50
slot1@vm: TotalTimeClaimedBusy = 50
slot2@vm: TotalTimeUnclaimedIdle = 50
vm: ExpectedMachineQuickDrainingBadput = 280
vm: ExpectedMachineQuickDrainingCompletion = 1795000070
> wait 5 keyboard_idle=0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
| slot1: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
[Publish]
slot1@vm: Activity = "Retiring"
slot1@vm: EnteredCurrentActivity = 1795000055
slot1@vm: RetirementTimeRemaining = 45
slot1@vm: TotalClaimRunTime = 55
slot1@vm: TotalJobRunTime = 55
slot1@vm: TotalTimeClaimedBusy = 55
slot2@vm: TotalTimeUnclaimedIdle = 55
vm: ExpectedMachineQuickDrainingBadput = 300
vm: ExpectedMachineQuickDrainingCompletion = 1795000075
> wait 10
slot1@vm: RetirementTimeRemaining = 35
slot1@vm: TotalClaimRunTime = 65
slot1@vm: TotalJobRunTime = 65
slot1@vm: TotalTimeClaimedRetiring = 10
slot2@vm: TotalTimeUnclaimedIdle = 65
vm: ExpectedMachineQuickDrainingBadput = 340
vm: ExpectedMachineQuickDrainingCompletion = 1795000085
> wait 24
| slot1: Evicting job with 11s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: WANT_VACATE is TRUE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
| slot1: State change: WANT_HOLD is TRUE
[Publish]
[SoftKill] claim=c1 code=1011
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000089
slot1@vm: EnteredCurrentState = 1795000089
slot1@vm: Requirements = false
slot1@vm: RetirementTimeRemaining = 11
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 89
slot1@vm: TotalJobRunTime = 89
slot1@vm: TotalTimeClaimedRetiring = 34
slot2@vm: TotalTimeUnclaimedIdle = 89
vm: ExpectedMachineGracefulDrainingBadput = 436
vm: ExpectedMachineGracefulDrainingCompletion = 1795000109
vm: ExpectedMachineQuickDrainingBadput = 436
vm: ExpectedMachineQuickDrainingCompletion = 1795000109
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> wake
in 20 s
> wait 1
slot1@vm: RetirementTimeRemaining = 10
slot1@vm: TotalClaimRunTime = 90
slot1@vm: TotalJobRunTime = 90
slot1@vm: TotalTimePreemptingVacating = 1
slot2@vm: TotalTimeUnclaimedIdle = 90
vm: ExpectedMachineGracefulDrainingBadput = 440
vm: ExpectedMachineGracefulDrainingCompletion = 1795000110
vm: ExpectedMachineQuickDrainingBadput = 440
vm: ExpectedMachineQuickDrainingCompletion = 1795000110
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0
slot1@vm: TotalClaimRunTime = 110
slot1@vm: TotalJobRunTime = 110
slot1@vm: TotalTimePreemptingVacating = 21
slot2@vm: TotalTimeUnclaimedIdle = 110
vm: ExpectedMachineGracefulDrainingBadput = 520
vm: ExpectedMachineGracefulDrainingCompletion = 1795000130
vm: ExpectedMachineQuickDrainingBadput = 520
vm: ExpectedMachineQuickDrainingCompletion = 1795000130
> wake
in 30 s
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c1 job=1.0 run=1 code=1011 reason=PREEMPT expression evaluated to True subcode=0 hold_code=21 hold_subcode=7 hold_reason=out of here
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = true
    CompletionDate = 1795000110
    ExitBySignal = true
    ExitSignal = 9
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 110
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
slot1@vm: EnteredCurrentActivity = 1795000110
slot1@vm: EnteredCurrentState = 1795000110
slot1@vm: LoadAvg = 0.25
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
slot1@vm: - TotalJobRunTime
slot2@vm: LoadAvg = 0.0
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000110
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000110

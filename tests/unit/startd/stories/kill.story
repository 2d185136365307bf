# KILL ends the vacating of a job before its time.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> policy kill="KeyboardIdle < 5" machine_max_vacate_time=1000
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[Publish]
[SoftKill] claim=c1 code=1010
slot1@vm: Activity = "Vacating"
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
> wait 10
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimePreemptingVacating = 10
vm: ExpectedMachineGracefulDrainingBadput = 8080
vm: ExpectedMachineGracefulDrainingCompletion = 1795001010
vm: ExpectedMachineQuickDrainingBadput = 8080
vm: ExpectedMachineQuickDrainingCompletion = 1795001010
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Preempting/Killing 14 KILL is TRUE
| slot1: State change: KILL is TRUE.
| slot1: Changing activity: Vacating -> Killing
[HardKill] claim=c1
slot1@vm: Activity = "Killing"
slot1@vm: EnteredCurrentActivity = 1795000020
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimePreemptingVacating = 20
vm: ExpectedMachineGracefulDrainingBadput = 8160
vm: ExpectedMachineGracefulDrainingCompletion = 1795001020
vm: ExpectedMachineQuickDrainingBadput = 8160
vm: ExpectedMachineQuickDrainingCompletion = 1795001020
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c1 job=1.0 run=1 code=1010 reason=Claim vacated by the administrator subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000020
    ExitBySignal = true
    ExitSignal = 9
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 20
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "Claim vacated by the administrator"
    VacateReasonCode = 1010
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1010 reason=Claim vacated by the administrator idle=True
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentState = 1795000020
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
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000020
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000020

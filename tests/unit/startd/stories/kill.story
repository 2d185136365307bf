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
[SoftKill] claim=c1 code=1010
slot1@vm: Activity = "Vacating"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
> wait 10
slot1@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimePreemptingVacating = 10
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Preempting/Killing 14 KILL is TRUE
| slot1: State change: KILL is TRUE.
| slot1: Changing activity: Vacating -> Killing
[HardKill] claim=c1
[unpublished]
slot1@vm: Activity = "Killing"  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimePreemptingVacating = 20
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 vacated=True vacate_code=1010 vacate_reason=Claim vacated by the administrator
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000020
    ExitBySignal = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 20  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Claim vacated by
    the administrator"  VacateReasonCode = 1010  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1010 reason=Claim vacated by the administrator idle=True
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalJobRunTime

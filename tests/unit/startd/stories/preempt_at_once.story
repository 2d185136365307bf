# PREEMPT without retirement, and with WANT_VACATE false: the job is killed at once, and the starter if that does not help.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> with killing_timeout=30
> policy preempt="KeyboardIdle < 5" want_vacate=false want_hold=true
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 50 keyboard_idle=0
| slot1: eval_policy state should be: Claimed/Retiring 5 PREEMPT is TRUE
| slot1: State change: PREEMPT is TRUE.
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 3 claim retirement ended/expired
| slot1: State change: WANT_VACATE is FALSE
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Killing
| slot1: State change: WANT_HOLD is TRUE
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1011'), ('Reason', '"PREEMPT expression evaluated to True"'))
[HardKill] claim=c1
slot1@vm: Activity = "Killing"  Requirements = false  State = "Preempting"  TotalClaimRunTime = 50  TotalJobRunTime
    = 50  TotalTimeClaimedBusy = 50
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wake
in 30 s
> wait 29
slot1@vm: TotalClaimRunTime = 79  TotalJobRunTime = 79  TotalTimePreemptingKilling = 29
> wait 1
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 80  TotalJobRunTime = 80  TotalTimePreemptingKilling = 30
> wait 30
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 110  TotalJobRunTime = 110  TotalTimePreemptingKilling = 60
> starter-gone c1 9
| Starter pid 4711 died on signal 9 (signal 9 (Killed))
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000110  GlobalJobId
    = "vm#1.0#1"  JobStatus = 3  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteWallClockTime = 110  RequestCpus =
    1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 9  User = "alice@example.net"  VacateReason =
    "PREEMPT expression evaluated to True"  VacateReasonCode = 1011  VacateReasonSubCode = 0
[ClaimLost] claim=c1 code=1011 reason=PREEMPT expression evaluated to True idle=False
slot1@vm: Activity = "Idle"  Requirements = Start && WithinResourceLimits  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalJobRunTime
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1

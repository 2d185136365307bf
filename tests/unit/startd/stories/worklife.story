# CLAIM_WORKLIFE, and an owner who is back.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> with claim_worklife=100
> policy is_owner="KeyboardIdle < 5"
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 90
slot1@vm: TotalClaimRunTime = 90  TotalJobRunTime = 90  TotalTimeClaimedBusy = 90
slot2@vm: TotalTimeUnclaimedIdle = 90
> end c1 1.0 exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000090
    ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 90  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
    -TotalJobRunTime
> wait 10
slot1@vm: TotalTimeClaimedIdle = 10
slot2@vm: TotalTimeUnclaimedIdle = 100
> wait 1
| slot1: eval_policy state should be: Preempting/Idle 12 idle claim shutting down due to CLAIM_WORKLIFE
| slot1: State change: idle claim shutting down due to CLAIM_WORKLIFE.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1017 reason=Claim was released idle=True
slot1@vm: EnteredCurrentActivity = 1795000101  LoadAvg = 0.25  State = "Unclaimed"  TotalTimeClaimedIdle = 11
    -ClaimEndTime  -ClientMachine  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner
    -RemoteScheddName  -RemoteUser  -TotalClaimRunTime
slot2@vm: LoadAvg = 0.0  TotalTimeUnclaimedIdle = 101
> claim slot2@vm
| slot2: Request accepted.
| slot2: Remote owner is alice@example.net
| slot2: Changing state: Unclaimed -> Claimed
| slot2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot2@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot2@vm
slot2@vm: ClaimEndTime = 0  ClientMachine = "vm"  EnteredCurrentActivity = 1795000101  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#2#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 2
> ready c2
> wait 10 keyboard_idle=0
| slot1: eval_policy state should be: Owner/Idle 15 IS_OWNER is TRUE
| slot1: State change: IS_OWNER is TRUE.
| slot1: Changing state: Unclaimed -> Owner
| slot2: eval_policy state should be: Preempting/Idle 11 IS_OWNER is true
| slot2: State change: IS_OWNER is true.
| slot2: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1017 reason=Claim was released idle=True
slot1@vm: EnteredCurrentActivity = 1795000111  State = "Owner"  TotalTimeUnclaimedIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000111  State = "Owner"  TotalTimeClaimedIdle = 10  -ClaimEndTime
    -ClientMachine  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName
    -RemoteUser
> wait 10
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
slot1@vm: EnteredCurrentActivity = 1795000121  State = "Unclaimed"  TotalTimeOwnerIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000121  State = "Unclaimed"  TotalTimeOwnerIdle = 10

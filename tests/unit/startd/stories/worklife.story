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
slot1@vm: TotalClaimRunTime = 90
slot1@vm: TotalJobRunTime = 90
slot1@vm: TotalTimeClaimedBusy = 90
slot2@vm: TotalTimeUnclaimedIdle = 90
vm: ExpectedMachineGracefulDrainingBadput = 2760
vm: ExpectedMachineGracefulDrainingCompletion = 1795000690
vm: ExpectedMachineQuickDrainingBadput = 2760
vm: ExpectedMachineQuickDrainingCompletion = 1795000690
> end c1 1.0 exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000090
    ExitBySignal = false
    ExitCode = 0
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 90
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000090
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobPid
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - StarterPid
slot1@vm: - TotalJobRunTime
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000090
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000090
> wait 10
slot1@vm: TotalTimeClaimedIdle = 10
slot2@vm: TotalTimeUnclaimedIdle = 100
vm: ExpectedMachineGracefulDrainingCompletion = 1795000100
vm: ExpectedMachineQuickDrainingCompletion = 1795000100
> wait 1
| slot1: eval_policy state should be: Preempting/Idle 12 idle claim shutting down due to CLAIM_WORKLIFE
| slot1: State change: idle claim shutting down due to CLAIM_WORKLIFE.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1017 reason=Claim was released idle=True
slot1@vm: EnteredCurrentActivity = 1795000101
slot1@vm: EnteredCurrentState = 1795000101
slot1@vm: LoadAvg = 0.25
slot1@vm: State = "Unclaimed"
slot1@vm: TotalTimeClaimedIdle = 11
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
slot1@vm: - TotalClaimRunTime
slot2@vm: LoadAvg = 0.0
slot2@vm: TotalTimeUnclaimedIdle = 101
vm: ExpectedMachineGracefulDrainingCompletion = 1795000101
vm: ExpectedMachineQuickDrainingCompletion = 1795000101
> claim slot2@vm
| slot2: Request accepted.
| slot2: Remote owner is alice@example.net
| slot2: Changing state: Unclaimed -> Claimed
| slot2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim_id=c2 slot_name=slot2@vm
[ClaimGranted] request_id=r2 claim_id=c2 slot_name=slot2@vm
[Publish]
slot2@vm: ClaimEndTime = 0
slot2@vm: ClientMachine = "vm"
slot2@vm: EnteredCurrentActivity = 1795000101
slot2@vm: EnteredCurrentState = 1795000101
slot2@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."
slot2@vm: RemoteAutoregroup = false
slot2@vm: RemoteNegotiatingGroup = "<none>"
slot2@vm: RemoteOwner = "alice@example.net"
slot2@vm: RemoteScheddName = "vm"
slot2@vm: RemoteUser = "alice@example.net"
slot2@vm: State = "Claimed"
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
[Publish]
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1017 reason=Claim was released idle=True
slot1@vm: EnteredCurrentActivity = 1795000111
slot1@vm: EnteredCurrentState = 1795000111
slot1@vm: State = "Owner"
slot1@vm: TotalTimeUnclaimedIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000111
slot2@vm: EnteredCurrentState = 1795000111
slot2@vm: State = "Owner"
slot2@vm: TotalTimeClaimedIdle = 10
slot2@vm: - ClaimEndTime
slot2@vm: - ClientMachine
slot2@vm: - PublicClaimId
slot2@vm: - RemoteAutoregroup
slot2@vm: - RemoteNegotiatingGroup
slot2@vm: - RemoteOwner
slot2@vm: - RemoteScheddName
slot2@vm: - RemoteUser
vm: ExpectedMachineGracefulDrainingCompletion = 1795000111
vm: ExpectedMachineQuickDrainingCompletion = 1795000111
> wait 10
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[Publish]
slot1@vm: EnteredCurrentActivity = 1795000121
slot1@vm: EnteredCurrentState = 1795000121
slot1@vm: State = "Unclaimed"
slot1@vm: TotalTimeOwnerIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000121
slot2@vm: EnteredCurrentState = 1795000121
slot2@vm: State = "Unclaimed"
slot2@vm: TotalTimeOwnerIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000121
vm: ExpectedMachineQuickDrainingCompletion = 1795000121

# CLAIM_WORKLIFE = 0
> with claim_worklife=0
> static 1
>> start
>> claim slot1@vm
>> ready c1
> wait 10
slot1@vm: TotalTimeClaimedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010
vm: ExpectedMachineQuickDrainingCompletion = 1795000010
> run c1 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: EnteredCurrentActivity = 1795000010
slot1@vm: GlobalJobId = "vm#1.0#1"
slot1@vm: JobId = "1.0"
slot1@vm: JobStart = 1795000010
slot1@vm: JobUniverse = 5
slot1@vm: StarterPid = 4711
vm: ActivationRequests = 1
vm: ExpectedMachineGracefulDrainingBadput = 4800
vm: ExpectedMachineGracefulDrainingCompletion = 1795000610
vm: ExpectedMachineQuickDrainingBadput = 4800
vm: ExpectedMachineQuickDrainingCompletion = 1795000610
vm: JobStarts = 1
vm: RecentJobStarts = 1
> started c1
slot1@vm: JobPid = 5000
> wait 5
slot1@vm: TotalClaimRunTime = 5
slot1@vm: TotalJobRunTime = 5
slot1@vm: TotalTimeClaimedBusy = 5
vm: ExpectedMachineGracefulDrainingBadput = 4840
vm: ExpectedMachineGracefulDrainingCompletion = 1795000615
vm: ExpectedMachineQuickDrainingBadput = 4840
vm: ExpectedMachineQuickDrainingCompletion = 1795000615
> end c1 1.0 exit_signal=11 core_dumped=True
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
| slot1: eval_policy state should be: Preempting/Idle 12 idle claim shutting down due to CLAIM_WORKLIFE
| slot1: State change: idle claim shutting down due to CLAIM_WORKLIFE.
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000015
    ExitBySignal = true
    ExitSignal = 11
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 5
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1017 reason=Claim was released idle=True
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000015
slot1@vm: EnteredCurrentState = 1795000015
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
vm: ExpectedMachineGracefulDrainingCompletion = 1795000015
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000015

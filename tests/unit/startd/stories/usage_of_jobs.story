# CPU time between two looks makes the load of a slot; what is no number is left alone; nothing becomes negative.
> static 1
>> start
>> claim slot1@vm
> usage c1 RemoteUserCpu=1.0
>> ready c1
>> run c1 1.0
>> started c1
> wait 10
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedBusy = 10
vm: ExpectedMachineGracefulDrainingBadput = 4880
vm: ExpectedMachineGracefulDrainingCompletion = 1795000610
vm: ExpectedMachineQuickDrainingBadput = 4880
vm: ExpectedMachineQuickDrainingCompletion = 1795000610
> usage c1 RemoteUserCpu=5.0 RemoteSysCpu=5.0
[Publish]
slot1@vm: CondorLoadAvg = 0.166667
slot1@vm: CpusUsage = 1.0
vm: TotalCondorLoadAvg = 0.166667
> usage c1 RemoteUserCpu=6.0 RemoteSysCpu=5.0
[Publish]
> wait 10
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimeClaimedBusy = 20
vm: ExpectedMachineGracefulDrainingBadput = 4960
vm: ExpectedMachineGracefulDrainingCompletion = 1795000620
vm: ExpectedMachineQuickDrainingBadput = 4960
vm: ExpectedMachineQuickDrainingCompletion = 1795000620
> Sample claim=c1 attributes=
slot1@vm: CpusUsage = 0.0
> usage c1 RemoteUserCpu=bad
[Publish]
> wait 10
slot1@vm: TotalClaimRunTime = 30
slot1@vm: TotalJobRunTime = 30
slot1@vm: TotalTimeClaimedBusy = 30
vm: ExpectedMachineGracefulDrainingBadput = 5040
vm: ExpectedMachineGracefulDrainingCompletion = 1795000630
vm: ExpectedMachineQuickDrainingBadput = 5040
vm: ExpectedMachineQuickDrainingCompletion = 1795000630
> usage c1 RemoteUserCpu=2.0
[Publish]
> starter-gone c1 0
| Starter pid 4711 exited with status 0
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000030
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 5.0
    RemoteUserCpu = 2.0
    RemoteWallClockTime = 30
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "The starter of the job died"
    VacateReasonCode = 1008
    VacateReasonSubCode = 0
[ClaimLost] claim=c1 code=1008 reason=The starter of the job died idle=False
[Publish]
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000030
slot1@vm: EnteredCurrentState = 1795000030
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
vm: ExpectedMachineGracefulDrainingCompletion = 1795000030
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000030

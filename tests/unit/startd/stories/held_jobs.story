# Reports of jobs that ask for a hold, or failed for nobody's fault.
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 5
slot1@vm: TotalClaimRunTime = 5
slot1@vm: TotalJobRunTime = 5
slot1@vm: TotalTimeClaimedBusy = 5
vm: ExpectedMachineGracefulDrainingBadput = 4840
vm: ExpectedMachineGracefulDrainingCompletion = 1795000605
vm: ExpectedMachineQuickDrainingBadput = 4840
vm: ExpectedMachineQuickDrainingCompletion = 1795000605
> end c1 1.0 hold_code=12 hold_subcode=2 hold_reason="no such file"
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000005
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
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000005
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobPid
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - StarterPid
slot1@vm: - TotalJobRunTime
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000005
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000005
> run c1 2.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=2.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: GlobalJobId = "vm#1.0#1"
slot1@vm: JobId = "2.0"
slot1@vm: JobStart = 1795000005
slot1@vm: JobUniverse = 5
slot1@vm: StarterPid = 4711
vm: ActivationRequests = 2
vm: ExpectedMachineGracefulDrainingBadput = 4800
vm: ExpectedMachineGracefulDrainingCompletion = 1795000605
vm: ExpectedMachineQuickDrainingBadput = 4800
vm: ExpectedMachineQuickDrainingCompletion = 1795000605
vm: JobStarts = 2
vm: RecentJobStarts = 2
> started c1
slot1@vm: JobPid = 5000
> end c1 2.0 error="the starter was upset" vacate_code=3 vacate_subcode=4
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000005
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 0
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
slot1@vm: Activity = "Idle"
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobPid
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - StarterPid
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000005
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000005
> run c1 3.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 3.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"3.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=3.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: GlobalJobId = "vm#1.0#1"
slot1@vm: JobId = "3.0"
slot1@vm: JobStart = 1795000005
slot1@vm: JobUniverse = 5
slot1@vm: StarterPid = 4711
vm: ActivationRequests = 3
vm: ExpectedMachineGracefulDrainingBadput = 4800
vm: ExpectedMachineGracefulDrainingCompletion = 1795000605
vm: ExpectedMachineQuickDrainingBadput = 4800
vm: ExpectedMachineQuickDrainingCompletion = 1795000605
vm: JobStarts = 3
vm: RecentJobStarts = 3
> end c1 3.0 skipped=True exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000005
    ExitBySignal = false
    ExitCode = 0
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 0
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
slot1@vm: Activity = "Idle"
slot1@vm: - CpusUsage
slot1@vm: - GlobalJobId
slot1@vm: - JobId
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - StarterPid
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000005
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000005

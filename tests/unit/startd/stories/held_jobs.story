# Reports of jobs that ask for a hold, or failed for nobody's fault.
> static 1
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 5
slot1@vm: TotalClaimRunTime = 5  TotalJobRunTime = 5  TotalTimeClaimedBusy = 5
> end c1 1.0 hold_code=12 hold_subcode=2 hold_reason="no such file"
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1 hold_code=12 hold_subcode=2 hold_reason=no such file
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000005  GlobalJobId
    = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0
    RemoteWallClockTime = 5  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User =
    "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
    -TotalJobRunTime
> run c1 2.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=2.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000005
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 2  RecentJobStarts = 2
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> end c1 2.0 error="the starter was upset" vacate_code=3 vacate_subcode=4
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=2.0 run=1 error=the starter was upset vacate_subcode=4
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000005  GlobalJobId
    = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0
    RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User =
    "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
> run c1 3.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 3.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"3.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=3.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "3.0"  JobStart = 1795000005
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 3  JobStarts = 3  RecentJobStarts = 3
> end c1 3.0 skipped=True exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=3.0 run=1 skipped=True
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000005
    ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -StarterPid

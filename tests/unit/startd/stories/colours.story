# TESTING_COLOR_FROM_JOB_AD: a job tells the slots of its machine something while it runs.
> with colors=True
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0 ColorAd="[ Blue = 1 ]"
>> started c1
> end c1 1.0 exit_code=0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  ColorAd = [ Blue = 1 ]  CompletionDate =
    1795000000  ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5
    RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1
    RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
> run c1 2.0 ColorAd="Blue"
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=2.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 2  RecentJobStarts = 2
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Vacating
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[SoftKill] claim=c1 code=1017
slot1@vm: Activity = "Vacating"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1

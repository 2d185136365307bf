# The schedd takes back a job: one that waits for its starter, one that runs, one that is not there.
> static 1
>> start
>> claim slot1@vm
> Deactivate claim=c1 graceful=True code=1 reason=none
| slot1: Called deactivate_claim() without a job, ignored
> run c1 1.0
[unpublished]
vm: ActivationRequests = 1
> Deactivate claim=c1 graceful=True code=1 reason=early
[RunEnded] claim_id=c1 job=1.0 run=1 error=early
> ready c1
> run c1 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 1  RecentJobStarts = 1
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> Deactivate claim=c1 graceful=False code=2 reason=gone
| slot1: Called deactivate_claim_forcibly()
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('Success', 'true'))
[HardKill] claim=c1
> Deactivate claim=c1 graceful=True code=3 reason=later
| slot1: Called deactivate_claim()
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'false'), ('Success', 'true'))
> wake
in 30 s
> end c1 2.0 exit_code=0
| slot1: report of job 2.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=2.0 run=1
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 vacated=True vacate_code=2 vacate_reason=gone
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000000
    ExitBySignal = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "gone"
    VacateReasonCode = 2  VacateReasonSubCode = 0
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -StarterPid
> end c1 1.0 vacated=True exit_signal=9
| slot1: report of job 1.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 vacated=True
> Deactivate claim=c1 graceful=True code=1 reason=none
| slot1: Called deactivate_claim() without a job, ignored

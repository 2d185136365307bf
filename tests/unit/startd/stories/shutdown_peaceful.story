# A peaceful shutdown waits for the job, however long it takes, but not for one without end that wants no retirement.
> policy max_job_retirement_time=10 machine_max_vacate_time=5
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
>> claim slot2@vm
>> ready c2
>> run c2 2.0 MaxJobRetirementTime=20
> Shutdown how=peaceful
| shutdown peaceful
| slot1: Changing activity: Busy -> Retiring
| slot2: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
slot1@vm: Activity = "Retiring"  Requirements = false  RetirementTimeRemaining = 2147483647  Start = false
slot2@vm: Activity = "Retiring"  Requirements = false  RetirementTimeRemaining = 20  Start = false
> wait 15
| slot2: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[SoftKill] claim=c2 code=1013
slot1@vm: RetirementTimeRemaining = 2147483632  TotalClaimRunTime = 15  TotalJobRunTime = 15
    TotalTimeClaimedRetiring = 15
slot2@vm: Activity = "Vacating"  RetirementTimeRemaining = 5  State = "Preempting"  TotalClaimRunTime = 15
    TotalJobRunTime = 15  TotalTimeClaimedRetiring = 15
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> end c2 2.0 vacated=True exit_signal=15
| slot2: Received final job ClassAd update from starter.
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c2 job=2.0 run=1 exit_signal=15 vacated=True vacate_code=1013 vacate_reason=Startd was shutdown
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000015
    ExitBySignal = true  ExitSignal = 15  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5
    MaxJobRetirementTime = 20  RemoteHost = "slot2@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime
    = 15  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User =
    "alice@example.net"  VacateReason = "Startd was shutdown"  VacateReasonCode = 1013  VacateReasonSubCode = 0
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1013 reason=Startd was shutdown idle=True
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"  LoadAvg = 0.25  RetirementTimeRemaining = 0  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid  -TotalClaimRunTime
    -TotalJobRunTime
> wait 100000
slot1@vm: RetirementTimeRemaining = 2147383632  TotalClaimRunTime = 100015  TotalJobRunTime = 100015
    TotalTimeClaimedRetiring = 100015
slot2@vm: TotalTimeUnclaimedIdle = 100000
vm: RecentJobPreemptions = 0  RecentJobStarts = 0
> end c1 1.0 exit_code=3
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Retiring -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| All resources are free, exiting.
[RunEnded] claim_id=c1 job=1.0 run=1 exit_code=3
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795100015
    ExitBySignal = false  ExitCode = 3  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 100015  RequestCpus = 1  RequestDisk
    = 1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1013 reason=Startd was shutdown idle=True
[Exit] restart=False stay_away=False
slot1@vm: Activity = "Idle"  LoadAvg = 0.25  RetirementTimeRemaining = 0  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalJobRunTime
slot2@vm: LoadAvg = 0.0

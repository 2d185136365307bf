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
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
slot1@vm: Activity = "Retiring"
slot1@vm: Requirements = false
slot1@vm: RetirementTimeRemaining = 2147483647
slot1@vm: Start = false
slot2@vm: Activity = "Retiring"
slot2@vm: Requirements = false
slot2@vm: RetirementTimeRemaining = 20
slot2@vm: Start = false
vm: ExpectedMachineGracefulDrainingBadput = 8589934668
vm: ExpectedMachineGracefulDrainingCompletion = 3942483647
> wait 15
| slot2: Evicting job with 5s of retirement time remaining in order to accommodate this job's max vacate time of 5s.
| slot2: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot2: State change: claim retirement ended/expired.
| slot2: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[SoftKill] claim=c2 code=1013
slot1@vm: RetirementTimeRemaining = 2147483632
slot1@vm: TotalClaimRunTime = 15
slot1@vm: TotalJobRunTime = 15
slot1@vm: TotalTimeClaimedRetiring = 15
slot2@vm: Activity = "Vacating"
slot2@vm: EnteredCurrentActivity = 1795000015
slot2@vm: EnteredCurrentState = 1795000015
slot2@vm: RetirementTimeRemaining = 5
slot2@vm: State = "Preempting"
slot2@vm: TotalClaimRunTime = 15
slot2@vm: TotalJobRunTime = 15
slot2@vm: TotalTimeClaimedRetiring = 15
vm: ExpectedMachineQuickDrainingBadput = 160
vm: ExpectedMachineQuickDrainingCompletion = 1795000020
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> end c2 2.0 vacated=True exit_signal=15
| slot2: Received final job ClassAd update from starter.
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c2 job=2.0 run=1 code=1013 reason=Startd was shutdown subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000015
    ExitBySignal = true
    ExitSignal = 15
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    MaxJobRetirementTime = 20
    RemoteHost = "slot2@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 15
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "Startd was shutdown"
    VacateReasonCode = 1013
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1013 reason=Startd was shutdown idle=True
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"
slot2@vm: LoadAvg = 0.25
slot2@vm: RetirementTimeRemaining = 0
slot2@vm: State = "Unclaimed"
slot2@vm: - ClaimEndTime
slot2@vm: - ClientMachine
slot2@vm: - CpusUsage
slot2@vm: - GlobalJobId
slot2@vm: - JobId
slot2@vm: - JobStart
slot2@vm: - JobUniverse
slot2@vm: - PublicClaimId
slot2@vm: - RemoteAutoregroup
slot2@vm: - RemoteNegotiatingGroup
slot2@vm: - RemoteOwner
slot2@vm: - RemoteScheddName
slot2@vm: - RemoteUser
slot2@vm: - StarterPid
slot2@vm: - TotalClaimRunTime
slot2@vm: - TotalJobRunTime
vm: ExpectedMachineGracefulDrainingBadput = 8589934588
vm: ExpectedMachineQuickDrainingBadput = 80
> wait 100000
[Publish]
slot1@vm: RetirementTimeRemaining = 2147383632
slot1@vm: TotalClaimRunTime = 100015
slot1@vm: TotalJobRunTime = 100015
slot1@vm: TotalTimeClaimedRetiring = 100015
slot2@vm: TotalTimeUnclaimedIdle = 100000
vm: ExpectedMachineQuickDrainingBadput = 400080
vm: ExpectedMachineQuickDrainingCompletion = 1795100020
vm: RecentJobPreemptions = 0
vm: RecentJobStarts = 0
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
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795100015
    ExitBySignal = false
    ExitCode = 3
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 100015
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1013 reason=Startd was shutdown idle=True
[Exit] restart=False stay_away=False
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795100015
slot1@vm: EnteredCurrentState = 1795100015
slot1@vm: LoadAvg = 0.25
slot1@vm: RetirementTimeRemaining = 0
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
slot2@vm: LoadAvg = 0.0
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795100015
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795100015

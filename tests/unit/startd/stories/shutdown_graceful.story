# A graceful shutdown: retirement, no new claims; a fast one overtakes it.
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 3
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
>> claim slot2@vm
>> ready c2
> Match slot=slot3@vm
| slot3: State change: match notification protocol successful
| slot3: Changing state: Unclaimed -> Matched
[Publish]
slot1@vm: LoadAvg = 0.25
slot3@vm: LoadAvg = 0.0
slot3@vm: Requirements = false
slot3@vm: State = "Matched"
> Shutdown
| shutdown graceful
| slot1: Changing activity: Busy -> Retiring
| slot2: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
| slot3: State change: the match is given up
| slot3: Changing state: Matched -> Owner
| slot3: State change: IS_OWNER is false
| slot3: Changing state: Owner -> Unclaimed
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
[Publish]
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1013 reason=Startd was shutdown idle=True
slot1@vm: Activity = "Retiring"
slot1@vm: LoadAvg = 0.0
slot1@vm: Requirements = false
slot1@vm: Start = false
slot2@vm: LoadAvg = 0.25
slot2@vm: Requirements = false
slot2@vm: Start = false
slot2@vm: State = "Unclaimed"
slot2@vm: - ClaimEndTime
slot2@vm: - ClientMachine
slot2@vm: - PublicClaimId
slot2@vm: - RemoteAutoregroup
slot2@vm: - RemoteNegotiatingGroup
slot2@vm: - RemoteOwner
slot2@vm: - RemoteScheddName
slot2@vm: - RemoteUser
slot3@vm: Start = false
slot3@vm: State = "Unclaimed"
> claim slot2@vm
| slot2: Request refused: STARTD is shutting down
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=STARTD is shutting down fault=False
vm: ClaimRequests = 3
> wait 10
slot1@vm: RetirementTimeRemaining = 90
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedRetiring = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
slot3@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineQuickDrainingBadput = 60
vm: ExpectedMachineQuickDrainingCompletion = 1795000030
> Shutdown how=fast
| shutdown fast
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Killing
[Publish]
[HardKill] claim=c1
slot1@vm: Activity = "Killing"
slot1@vm: EnteredCurrentActivity = 1795000010
slot1@vm: EnteredCurrentState = 1795000010
slot1@vm: State = "Preempting"
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| All resources are free, exiting.
[Vacated] claim_id=c1 job=1.0 run=1 code=1013 reason=Startd was shutdown subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000010
    ExitBySignal = true
    ExitSignal = 9
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 10
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "Startd was shutdown"
    VacateReasonCode = 1013
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1013 reason=Startd was shutdown idle=True
[Exit] restart=False stay_away=False
slot1@vm: Activity = "Idle"
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
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000010
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalTimeUnclaimedIdle = 11
slot3@vm: TotalTimeUnclaimedIdle = 11
vm: ExpectedMachineGracefulDrainingCompletion = 1795000011
vm: ExpectedMachineQuickDrainingCompletion = 1795000011

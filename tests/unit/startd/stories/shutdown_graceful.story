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
slot1@vm: LoadAvg = 0.25
slot3@vm: LoadAvg = 0.0  Requirements = false  State = "Matched"
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
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1013'), ('Reason', '"Startd was shutdown"'))
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1013 reason=Startd was shutdown idle=True
slot1@vm: Activity = "Retiring"  LoadAvg = 0.0  Requirements = false  Start = false
slot2@vm: LoadAvg = 0.25  Requirements = false  Start = false  State = "Unclaimed"  -ClaimEndTime  -ClientMachine
    -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
slot3@vm: Start = false  State = "Unclaimed"
> claim slot2@vm
| slot2: Request refused: STARTD is shutting down
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=STARTD is shutting down fault=False
[unpublished]
vm: ClaimRequests = 3
> wait 10
slot1@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
slot3@vm: TotalTimeUnclaimedIdle = 10
> Shutdown how=fast
| shutdown fast
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Killing
[HardKill] claim=c1
slot1@vm: Activity = "Killing"  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| All resources are free, exiting.
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=9 vacated=True vacate_code=1013 vacate_reason=Startd was shutdown
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000010
    ExitBySignal = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 10  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "Startd was
    shutdown"  VacateReasonCode = 1013  VacateReasonSubCode = 0
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1013 reason=Startd was shutdown idle=True
[Exit] restart=False stay_away=False
slot1@vm: Activity = "Idle"  LoadAvg = 0.25  RetirementTimeRemaining = 0  State = "Unclaimed"  -ClaimEndTime
    -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser  -StarterPid
    -TotalClaimRunTime  -TotalJobRunTime
slot2@vm: LoadAvg = 0.0
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalTimeUnclaimedIdle = 11
slot3@vm: TotalTimeUnclaimedIdle = 11

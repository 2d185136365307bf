# The schedd is gone: jobs have their own lease, or that of the startd, idle claims too.
> with lease=100
> static 4
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0 JobLeaseDuration=40
>> started c1
>> claim slot2@vm
>> ready c2
>> run c2 2.0
>> started c2
>> claim slot3@vm
>> ready c3
> wait 10
slot1@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
slot2@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
slot3@vm: TotalTimeClaimedIdle = 10
slot4@vm: TotalTimeUnclaimedIdle = 10
> ScheddGone
| slot3: State change: the schedd is gone and the claim is idle
| slot3: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot3: State change: No preempting claim, returning to owner
| slot3: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot3: State change: IS_OWNER is false
| slot3: Changing state: Owner -> Unclaimed
[StopStarter] claim=c3
[ClaimLost] claim=c3 code=1017 reason=Claim was released idle=True
slot3@vm: EnteredCurrentActivity = 1795000010  LoadAvg = 0.25  State = "Unclaimed"  -ClaimEndTime  -ClientMachine
    -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
slot4@vm: LoadAvg = 0.0
> wake
in 40 s
> wait 39
slot1@vm: TotalClaimRunTime = 49  TotalJobRunTime = 49  TotalTimeClaimedBusy = 49
slot2@vm: TotalClaimRunTime = 49  TotalJobRunTime = 49  TotalTimeClaimedBusy = 49
slot3@vm: TotalTimeUnclaimedIdle = 39
slot4@vm: TotalTimeUnclaimedIdle = 49
> wait 1
| slot1: claim lease expired (condor_schedd gone?), evicting claim
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Killing
[HardKill] claim=c1
slot1@vm: Activity = "Killing"  Requirements = false  State = "Preempting"  TotalClaimRunTime = 50  TotalJobRunTime
    = 50  TotalTimeClaimedBusy = 50
slot2@vm: TotalClaimRunTime = 50  TotalJobRunTime = 50  TotalTimeClaimedBusy = 50
slot3@vm: TotalTimeUnclaimedIdle = 40
slot4@vm: TotalTimeUnclaimedIdle = 50
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wake
in 0 s
> ScheddBack
> wait 100
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 150  TotalJobRunTime = 150  TotalTimePreemptingKilling = 100
slot2@vm: TotalClaimRunTime = 150  TotalJobRunTime = 150  TotalTimeClaimedBusy = 150
slot3@vm: TotalTimeUnclaimedIdle = 140
slot4@vm: TotalTimeUnclaimedIdle = 150
> ScheddSilent since=1795000140
| The schedd has given no sign of life for 10 seconds
> wait 50
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 200  TotalJobRunTime = 200  TotalTimePreemptingKilling = 150
slot2@vm: TotalClaimRunTime = 200  TotalJobRunTime = 200  TotalTimeClaimedBusy = 200
slot3@vm: TotalTimeUnclaimedIdle = 190
slot4@vm: TotalTimeUnclaimedIdle = 200
> wait 41
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot2: claim lease expired (condor_schedd gone?), evicting claim
| slot2: Changing state and activity: Claimed/Busy -> Preempting/Killing
[KillStarter] claim=c1
[HardKill] claim=c2
slot1@vm: TotalClaimRunTime = 241  TotalJobRunTime = 241  TotalTimePreemptingKilling = 191
slot2@vm: Activity = "Killing"  Requirements = false  State = "Preempting"  TotalClaimRunTime = 241  TotalJobRunTime
    = 241  TotalTimeClaimedBusy = 241
slot3@vm: TotalTimeUnclaimedIdle = 231
slot4@vm: TotalTimeUnclaimedIdle = 241
vm: JobPreemptions = 2  RecentJobPreemptions = 2
> wait 1
slot1@vm: TotalClaimRunTime = 242  TotalJobRunTime = 242  TotalTimePreemptingKilling = 192
slot2@vm: TotalClaimRunTime = 242  TotalJobRunTime = 242  TotalTimePreemptingKilling = 1
slot3@vm: TotalTimeUnclaimedIdle = 232
slot4@vm: TotalTimeUnclaimedIdle = 242
> end c2 2.0 vacated=True exit_signal=9
| slot2: Received final job ClassAd update from starter.
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c2 job=2.0 run=1 exit_signal=9 vacated=True vacate_code=1008 vacate_reason=The schedd did not come back within the job's lease
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000242
    ExitBySignal = true  ExitSignal = 9  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot2@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 242  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"  VacateReason = "The schedd did not
    come back within the job's lease"  VacateReasonCode = 1008  VacateReasonSubCode = 0
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1008 reason=The schedd did not come back within the job's lease idle=True
slot2@vm: Activity = "Idle"  LoadAvg = 0.25  Requirements = Start && WithinResourceLimits  State = "Unclaimed"
    -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId  -JobPid  -JobStart  -JobUniverse
    -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
    -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
slot3@vm: LoadAvg = 0.0

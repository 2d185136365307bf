# CPU time between two looks makes the load of a slot; what is no number is left alone; nothing becomes negative.
> static 1
>> start
>> claim slot1@vm
> usage c1 RemoteUserCpu=1.0
>> ready c1
>> run c1 1.0
>> started c1
> wait 10
slot1@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
> usage c1 RemoteUserCpu=5.0 RemoteSysCpu=5.0
slot1@vm: CondorLoadAvg = 0.166667  CpusUsage = 1.0
vm: TotalCondorLoadAvg = 0.166667
> usage c1 RemoteUserCpu=6.0 RemoteSysCpu=5.0
[Publish]
> wait 10
slot1@vm: TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedBusy = 20
> Sample claim=c1 attributes=
[unpublished]
slot1@vm: CpusUsage = 0.0
> usage c1 RemoteUserCpu=bad
[Publish]
> wait 10
slot1@vm: TotalClaimRunTime = 30  TotalJobRunTime = 30  TotalTimeClaimedBusy = 30
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
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000030  GlobalJobId
    = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteSysCpu = 5.0  RemoteUserCpu = 2.0
    RemoteWallClockTime = 30  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User
    = "alice@example.net"  VacateReason = "The starter of the job died"  VacateReasonCode = 1008
    VacateReasonSubCode = 0
[ClaimLost] claim=c1 code=1008 reason=The starter of the job died idle=False
slot1@vm: Activity = "Idle"  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId
    -JobPid  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner
    -RemoteScheddName  -RemoteUser  -StarterPid  -TotalClaimRunTime  -TotalJobRunTime

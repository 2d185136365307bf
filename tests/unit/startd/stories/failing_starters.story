# Starters that die before they take a job, and one that dies under its job.
> static 1
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
    RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "alice@example.net"
    RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 1
> run c1 1.0
[unpublished]
vm: ActivationRequests = 1
> starter-gone c1 256
| Starter pid 0 exited with status 1
[StartStarter] claim=c1 slot_name=slot1@vm
> starter-gone c1 256
| Starter pid 0 exited with status 1
[StartStarter] claim=c1 slot_name=slot1@vm
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
| Starters fail on this machine: no claims for 1 s
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=1.0 run=1 error=Failed to start a starter 3 times
[ClaimLost] claim=c1 code=1007 reason=Failed to start a starter 3 times idle=True
slot1@vm: Requirements = false  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> wait 1
slot1@vm: Requirements = Start && WithinResourceLimits  TotalTimeUnclaimedIdle = 1
> wait 300
[Publish]
slot1@vm: TotalTimeUnclaimedIdle = 301
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot1@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  EnteredCurrentActivity = 1795000301  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#2#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 2
> ready c2
> run c2 1.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=1.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000301
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 1  RecentJobStarts = 1
> started c2
[unpublished]
slot1@vm: JobPid = 5000
> usage c2 ResidentSetSize=100 RemoteUserCpu=2.0
slot1@vm: ResidentSetSize = 100
> wait 5
slot1@vm: TotalClaimRunTime = 5  TotalJobRunTime = 5  TotalTimeClaimedBusy = 5
> starter-gone c2 11
| Starter pid 4711 died on signal 11 (signal 11 (Segmentation fault))
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000306  GlobalJobId
    = "vm#1.0#1"  JobStatus = 3  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteUserCpu = 2.0  RemoteWallClockTime
    = 5  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  ResidentSetSize = 100  StarterExitStatus = 11
    User = "alice@example.net"  VacateReason = "The starter of the job died"  VacateReasonCode = 1008
    VacateReasonSubCode = 0
[ClaimLost] claim=c2 code=1008 reason=The starter of the job died idle=False
slot1@vm: Activity = "Idle"  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -CpusUsage  -GlobalJobId  -JobId
    -JobPid  -JobStart  -JobUniverse  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner
    -RemoteScheddName  -RemoteUser  -ResidentSetSize  -StarterPid  -TotalClaimRunTime  -TotalJobRunTime
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 302
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c3 slot_name=slot1@vm
[ClaimGranted] request_id=r3 claim=c3 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  EnteredCurrentActivity = 1795000307  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#3#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 3
> ready c3
> starter-gone c3 0
| Starter pid 4711 exited with status 0
> run c3 5.0
[StartStarter] claim=c3 slot_name=slot1@vm
[unpublished]
vm: ActivationRequests = 3
> ready c3
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 5.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"5.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c3 job=5.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "5.0"  JobStart = 1795000307
    JobUniverse = 5  StarterPid = 4711
vm: JobStarts = 2  RecentJobStarts = 2

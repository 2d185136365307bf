# Starters of a claim fail, then work: failures in a row count. A job whose starter dies before it takes it waits for another.
> static 1
>> start
>> claim slot1@vm
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
> run c1 1.0
[StartStarter] claim=c1 slot_name=slot1@vm
[unpublished]
vm: ActivationRequests = 1
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
[StartStarter] claim=c1 slot_name=slot1@vm
> starter-gone c1 256
| Starter pid 0 exited with status 1
[StartStarter] claim=c1 slot_name=slot1@vm
> ready c1
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 1.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: JobStarts = 1  RecentJobStarts = 1
> end c1 1.0
| slot1: Received final job ClassAd update from starter.
| slot1: Changing activity: Busy -> Cleaning
| slot1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 0) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000000  GlobalJobId
    = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost = "slot1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0
    RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk = 1024  RequestMemory = 128  StarterExitStatus = 0  User =
    "alice@example.net"
slot1@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -StarterPid
> starter-gone c1 0
| Starter pid 4711 exited with status 0
> run c1 2.0
[StartStarter] claim=c1 slot_name=slot1@vm
[unpublished]
vm: ActivationRequests = 2
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
[StartStarter] claim=c1 slot_name=slot1@vm
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
[StartStarter] claim=c1 slot_name=slot1@vm
> starter-gone c1 9
| Starter pid 0 died on signal 9 (signal 9 (Killed))
| Starters fail on this machine: no claims for 1 s
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c1 job=2.0 run=1 error=Failed to start a starter 3 times
[ClaimLost] claim=c1 code=1007 reason=Failed to start a starter 3 times idle=True
slot1@vm: Requirements = false  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser

# While starters fail there are no new claims, twice as long each time; who has a claim may use it.
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> claim slot2@vm
>> run c2 1.0
>> starter-gone c2 256
>> starter-gone c2 256
> starter-gone c2 256
| Starter pid 0 exited with status 1
| Starters fail on this machine: no claims for 1 s
| slot2: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c2 job=1.0 run=1 error=Failed to start a starter 3 times
[ClaimLost] claim=c2 code=1007 reason=Failed to start a starter 3 times idle=True
slot1@vm: LoadAvg = 0.0  Requirements = false
slot2@vm: LoadAvg = 0.25  Requirements = false  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> wake
in 1 s
> claim slot2@vm
| slot2: Request refused: Starters fail on this machine
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=Starters fail on this machine fault=False
[unpublished]
vm: ClaimRequests = 3
> run c1 2.0
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 2.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"2.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=2.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "2.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 1  RecentJobStarts = 1
> wait 1
slot1@vm: Requirements = Start && WithinResourceLimits  TotalClaimRunTime = 1  TotalJobRunTime = 1
    TotalTimeClaimedBusy = 1
slot2@vm: Requirements = Start && WithinResourceLimits  TotalTimeUnclaimedIdle = 1
> wake
never
>> claim slot2@vm
>> run c3 1.0
>> starter-gone c3 256
>> starter-gone c3 256
> starter-gone c3 256
| Starter pid 0 exited with status 1
| Starters fail on this machine: no claims for 2 s
| slot2: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[RunEnded] claim_id=c3 job=1.0 run=1 error=Failed to start a starter 3 times
[ClaimLost] claim=c3 code=1007 reason=Failed to start a starter 3 times idle=True
slot1@vm: LoadAvg = 0.0  Requirements = false
slot2@vm: LoadAvg = 0.25  Requirements = false  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> wait 1
slot1@vm: TotalClaimRunTime = 2  TotalJobRunTime = 2  TotalTimeClaimedBusy = 2
slot2@vm: TotalTimeUnclaimedIdle = 2
> claim slot2@vm
| slot2: Request refused: Starters fail on this machine
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r5 reason=Starters fail on this machine fault=False
[unpublished]
vm: ClaimRequests = 5
> wait 1
slot1@vm: Requirements = Start && WithinResourceLimits  TotalClaimRunTime = 3  TotalJobRunTime = 3
    TotalTimeClaimedBusy = 3
slot2@vm: Requirements = Start && WithinResourceLimits  TotalTimeUnclaimedIdle = 3
>> claim slot2@vm
> ready c4
> starter-gone c4 0
| Starter pid 4711 exited with status 0
> Deactivate claim=c4 graceful=True code=1 reason=x
| slot2: Called deactivate_claim() without a job, ignored
> run c4 3.0
[StartStarter] claim=c4 slot_name=slot2@vm
[unpublished]
vm: ActivationRequests = 4
> ready c4
| slot2: Got activate_claim request from shadow (127.0.0.1)
| slot2: Remote job ID is 3.0
| slot2: Got universe "VANILLA" (5) from request classad
| slot2: State change: claim-activation protocol successful, Starter 4711
| slot2: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(2, 0) attributes=(('JobId', '"3.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c4 job=3.0 run=1
slot2@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "3.0"  JobStart = 1795000003
    JobUniverse = 5  StarterPid = 4711
vm: JobStarts = 2  RecentJobStarts = 2

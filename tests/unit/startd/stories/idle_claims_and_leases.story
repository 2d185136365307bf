# An idle claim has its lease too; a claim that is being killed is not evicted again; fetched work has none.
> with lease=100 killing_timeout=1000
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> claim slot2@vm
>> ready c2
>> run c2 2.0
>> started c2
> ScheddSilent since=1795000000
| The schedd has given no sign of life for 0 seconds
> wait 99
slot1@vm: TotalTimeClaimedIdle = 99
slot2@vm: TotalClaimRunTime = 99  TotalJobRunTime = 99  TotalTimeClaimedBusy = 99
> wait 1
| slot1: claim lease expired (condor_schedd gone?), evicting claim
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: claim lease expired (condor_schedd gone?), evicting claim
| slot2: Changing state and activity: Claimed/Busy -> Preempting/Killing
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1008 reason=The schedd did not come back within the job's lease idle=True
[HardKill] claim=c2
slot1@vm: EnteredCurrentActivity = 1795000100  State = "Unclaimed"  TotalTimeClaimedIdle = 100  -ClaimEndTime
    -ClientMachine  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName
    -RemoteUser
slot2@vm: Activity = "Killing"  Requirements = false  State = "Preempting"  TotalClaimRunTime = 100  TotalJobRunTime
    = 100  TotalTimeClaimedBusy = 100
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 50
slot2@vm: TotalClaimRunTime = 150  TotalJobRunTime = 150  TotalTimePreemptingKilling = 50
> ScheddGone
> ScheddBack

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
slot2@vm: TotalClaimRunTime = 99
slot2@vm: TotalJobRunTime = 99
slot2@vm: TotalTimeClaimedBusy = 99
vm: ExpectedMachineGracefulDrainingBadput = 2796
vm: ExpectedMachineGracefulDrainingCompletion = 1795000699
vm: ExpectedMachineQuickDrainingBadput = 2796
vm: ExpectedMachineQuickDrainingCompletion = 1795000699
> wait 1
| slot1: claim lease expired (condor_schedd gone?), evicting claim
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: claim lease expired (condor_schedd gone?), evicting claim
| slot2: Changing state and activity: Claimed/Busy -> Preempting/Killing
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1008 reason=The schedd did not come back within the job's lease idle=True
[HardKill] claim=c2
slot1@vm: EnteredCurrentActivity = 1795000100
slot1@vm: EnteredCurrentState = 1795000100
slot1@vm: State = "Unclaimed"
slot1@vm: TotalTimeClaimedIdle = 100
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
slot2@vm: Activity = "Killing"
slot2@vm: EnteredCurrentActivity = 1795000100
slot2@vm: EnteredCurrentState = 1795000100
slot2@vm: Requirements = false
slot2@vm: State = "Preempting"
slot2@vm: TotalClaimRunTime = 100
slot2@vm: TotalJobRunTime = 100
slot2@vm: TotalTimeClaimedBusy = 100
vm: ExpectedMachineGracefulDrainingBadput = 2800
vm: ExpectedMachineGracefulDrainingCompletion = 1795000700
vm: ExpectedMachineQuickDrainingBadput = 2800
vm: ExpectedMachineQuickDrainingCompletion = 1795000700
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 50
slot2@vm: TotalClaimRunTime = 150
slot2@vm: TotalJobRunTime = 150
slot2@vm: TotalTimePreemptingKilling = 50
vm: ExpectedMachineGracefulDrainingBadput = 3000
vm: ExpectedMachineGracefulDrainingCompletion = 1795000750
vm: ExpectedMachineQuickDrainingBadput = 3000
vm: ExpectedMachineQuickDrainingCompletion = 1795000750
> ScheddGone
> ScheddBack

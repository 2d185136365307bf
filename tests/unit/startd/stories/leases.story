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
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedBusy = 10
slot2@vm: TotalClaimRunTime = 10
slot2@vm: TotalJobRunTime = 10
slot2@vm: TotalTimeClaimedBusy = 10
slot3@vm: TotalTimeClaimedIdle = 10
slot4@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineGracefulDrainingBadput = 2440
vm: ExpectedMachineGracefulDrainingCompletion = 1795000610
vm: ExpectedMachineQuickDrainingBadput = 2440
vm: ExpectedMachineQuickDrainingCompletion = 1795000610
> ScheddGone
| slot3: State change: the schedd is gone and the claim is idle
| slot3: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot3: State change: No preempting claim, returning to owner
| slot3: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot3: State change: IS_OWNER is false
| slot3: Changing state: Owner -> Unclaimed
[Publish]
[StopStarter] claim=c3
[ClaimLost] claim=c3 code=1017 reason=Claim was released idle=True
slot3@vm: EnteredCurrentActivity = 1795000010
slot3@vm: EnteredCurrentState = 1795000010
slot3@vm: LoadAvg = 0.25
slot3@vm: State = "Unclaimed"
slot3@vm: - ClaimEndTime
slot3@vm: - ClientMachine
slot3@vm: - PublicClaimId
slot3@vm: - RemoteAutoregroup
slot3@vm: - RemoteNegotiatingGroup
slot3@vm: - RemoteOwner
slot3@vm: - RemoteScheddName
slot3@vm: - RemoteUser
slot4@vm: LoadAvg = 0.0
> wake
in 40 s
> wait 39
slot1@vm: TotalClaimRunTime = 49
slot1@vm: TotalJobRunTime = 49
slot1@vm: TotalTimeClaimedBusy = 49
slot2@vm: TotalClaimRunTime = 49
slot2@vm: TotalJobRunTime = 49
slot2@vm: TotalTimeClaimedBusy = 49
slot3@vm: TotalTimeUnclaimedIdle = 39
slot4@vm: TotalTimeUnclaimedIdle = 49
vm: ExpectedMachineGracefulDrainingBadput = 2596
vm: ExpectedMachineGracefulDrainingCompletion = 1795000649
vm: ExpectedMachineQuickDrainingBadput = 2596
vm: ExpectedMachineQuickDrainingCompletion = 1795000649
> wait 1
| slot1: claim lease expired (condor_schedd gone?), evicting claim
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Killing
[Publish]
[HardKill] claim=c1
slot1@vm: Activity = "Killing"
slot1@vm: EnteredCurrentActivity = 1795000050
slot1@vm: EnteredCurrentState = 1795000050
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 50
slot1@vm: TotalJobRunTime = 50
slot1@vm: TotalTimeClaimedBusy = 50
slot2@vm: TotalClaimRunTime = 50
slot2@vm: TotalJobRunTime = 50
slot2@vm: TotalTimeClaimedBusy = 50
slot3@vm: TotalTimeUnclaimedIdle = 40
slot4@vm: TotalTimeUnclaimedIdle = 50
vm: ExpectedMachineGracefulDrainingBadput = 2600
vm: ExpectedMachineGracefulDrainingCompletion = 1795000650
vm: ExpectedMachineQuickDrainingBadput = 2600
vm: ExpectedMachineQuickDrainingCompletion = 1795000650
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
> wake
in 0 s
> ScheddBack
> wait 100
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 150
slot1@vm: TotalJobRunTime = 150
slot1@vm: TotalTimePreemptingKilling = 100
slot2@vm: TotalClaimRunTime = 150
slot2@vm: TotalJobRunTime = 150
slot2@vm: TotalTimeClaimedBusy = 150
slot3@vm: TotalTimeUnclaimedIdle = 140
slot4@vm: TotalTimeUnclaimedIdle = 150
vm: ExpectedMachineGracefulDrainingBadput = 3000
vm: ExpectedMachineGracefulDrainingCompletion = 1795000750
vm: ExpectedMachineQuickDrainingBadput = 3000
vm: ExpectedMachineQuickDrainingCompletion = 1795000750
> ScheddSilent since=1795000140
| The schedd has given no sign of life for 10 seconds
> wait 50
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 200
slot1@vm: TotalJobRunTime = 200
slot1@vm: TotalTimePreemptingKilling = 150
slot2@vm: TotalClaimRunTime = 200
slot2@vm: TotalJobRunTime = 200
slot2@vm: TotalTimeClaimedBusy = 200
slot3@vm: TotalTimeUnclaimedIdle = 190
slot4@vm: TotalTimeUnclaimedIdle = 200
vm: ExpectedMachineGracefulDrainingBadput = 3200
vm: ExpectedMachineGracefulDrainingCompletion = 1795000800
vm: ExpectedMachineQuickDrainingBadput = 3200
vm: ExpectedMachineQuickDrainingCompletion = 1795000800
> wait 41
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
| slot2: claim lease expired (condor_schedd gone?), evicting claim
| slot2: Changing state and activity: Claimed/Busy -> Preempting/Killing
[KillStarter] claim=c1
[Publish]
[HardKill] claim=c2
slot1@vm: TotalClaimRunTime = 241
slot1@vm: TotalJobRunTime = 241
slot1@vm: TotalTimePreemptingKilling = 191
slot2@vm: Activity = "Killing"
slot2@vm: EnteredCurrentActivity = 1795000241
slot2@vm: EnteredCurrentState = 1795000241
slot2@vm: Requirements = false
slot2@vm: State = "Preempting"
slot2@vm: TotalClaimRunTime = 241
slot2@vm: TotalJobRunTime = 241
slot2@vm: TotalTimeClaimedBusy = 241
slot3@vm: TotalTimeUnclaimedIdle = 231
slot4@vm: TotalTimeUnclaimedIdle = 241
vm: ExpectedMachineGracefulDrainingBadput = 3364
vm: ExpectedMachineGracefulDrainingCompletion = 1795000841
vm: ExpectedMachineQuickDrainingBadput = 3364
vm: ExpectedMachineQuickDrainingCompletion = 1795000841
vm: JobPreemptions = 2
vm: RecentJobPreemptions = 2
> wait 1
slot1@vm: TotalClaimRunTime = 242
slot1@vm: TotalJobRunTime = 242
slot1@vm: TotalTimePreemptingKilling = 192
slot2@vm: TotalClaimRunTime = 242
slot2@vm: TotalJobRunTime = 242
slot2@vm: TotalTimePreemptingKilling = 1
slot3@vm: TotalTimeUnclaimedIdle = 232
slot4@vm: TotalTimeUnclaimedIdle = 242
vm: ExpectedMachineGracefulDrainingBadput = 3368
vm: ExpectedMachineGracefulDrainingCompletion = 1795000842
vm: ExpectedMachineQuickDrainingBadput = 3368
vm: ExpectedMachineQuickDrainingCompletion = 1795000842
> end c2 2.0 vacated=True exit_signal=9
| slot2: Received final job ClassAd update from starter.
| slot2: State change: No preempting claim, returning to owner
| slot2: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[Vacated] claim_id=c2 job=2.0 run=1 code=1008 reason=The schedd did not come back within the job's lease subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = false
    CompletionDate = 1795000242
    ExitBySignal = true
    ExitSignal = 9
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot2@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 242
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "The schedd did not come back within the job's lease"
    VacateReasonCode = 1008
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c2
[ClaimLost] claim=c2 code=1008 reason=The schedd did not come back within the job's lease idle=True
slot2@vm: Activity = "Idle"
slot2@vm: EnteredCurrentActivity = 1795000242
slot2@vm: EnteredCurrentState = 1795000242
slot2@vm: LoadAvg = 0.25
slot2@vm: Requirements = Start && WithinResourceLimits
slot2@vm: State = "Unclaimed"
slot2@vm: - ClaimEndTime
slot2@vm: - ClientMachine
slot2@vm: - CpusUsage
slot2@vm: - GlobalJobId
slot2@vm: - JobId
slot2@vm: - JobPid
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
slot3@vm: LoadAvg = 0.0
vm: ExpectedMachineGracefulDrainingBadput = 1684
vm: ExpectedMachineQuickDrainingBadput = 1684

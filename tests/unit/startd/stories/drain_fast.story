# A fast drain kills; -restart-on-completion.
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 60
slot1@vm: TotalClaimRunTime = 60
slot1@vm: TotalJobRunTime = 60
slot1@vm: TotalTimeClaimedBusy = 60
slot2@vm: TotalTimeUnclaimedIdle = 60
vm: ExpectedMachineGracefulDrainingBadput = 2640
vm: ExpectedMachineGracefulDrainingCompletion = 1795000660
vm: ExpectedMachineQuickDrainingBadput = 2640
vm: ExpectedMachineQuickDrainingCompletion = 1795000660
> Drain how=fast on_completion=restart
| Initiating fast draining.
| slot1: Changing state and activity: Claimed/Busy -> Preempting/Killing
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain]
    active: True
    badput: 0.0
    boot_time: 0
    counted_until: 1795000060.0
    how: fast
    last_start: 1795000060
    last_stop: 0
    on_completion: restart
    reason: by command
    request_id: 1
    requests: 1
    start: 
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[Publish]
[HardKill] claim=c1
slot1@vm: Activity = "Killing"
slot1@vm: EnteredCurrentActivity = 1795000060
slot1@vm: EnteredCurrentState = 1795000060
slot1@vm: LoadAvg = 0.25
slot1@vm: Requirements = false
slot1@vm: Start = false
slot1@vm: State = "Preempting"
slot2@vm: Activity = "Retiring"
slot2@vm: EnteredCurrentActivity = 1795000060
slot2@vm: EnteredCurrentState = 1795000060
slot2@vm: LoadAvg = 0.0
slot2@vm: Requirements = false
slot2@vm: Start = false
slot2@vm: State = "Drained"
vm: DrainReason = "by command"
vm: Draining = true
vm: DrainingRequestId = "1"
vm: JobPreemptions = 1
vm: LastDrainStartTime = 1795000060
vm: RecentJobPreemptions = 1
vm: TotalMachineDrainingBadput = 240
> end c1 1.0 vacated=True exit_signal=9
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
[Vacated] claim_id=c1 job=1.0 run=1 code=1014 reason=Startd was draining subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = true
    BadputCausedByPreemption = false
    CompletionDate = 1795000060
    ExitBySignal = true
    ExitSignal = 9
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 60
    RequestCpus = 1
    RequestDisk = 1024
    RequestMemory = 128
    StarterExitStatus = 0
    User = "alice@example.net"
    VacateReason = "Startd was draining"
    VacateReasonCode = 1014
    VacateReasonSubCode = 0
[Publish]
[StopStarter] claim=c1
[ClaimLost] claim=c1 code=1014 reason=Startd was draining idle=True
[RememberDrain]
    active: False
    badput: 240.0
    boot_time: 0
    counted_until: 1795000060.0
    how: fast
    last_start: 1795000060
    last_stop: 1795000060
    on_completion: restart
    reason: by command
    request_id: 1
    requests: 1
    start: 
    unclaimed: 0.0
[Exit] restart=True stay_away=False
slot1@vm: Activity = "Idle"
slot1@vm: Requirements = Start && WithinResourceLimits
slot1@vm: Start = true
slot1@vm: State = "Drained"
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
slot2@vm: Activity = "Idle"
slot2@vm: Requirements = Start && WithinResourceLimits
slot2@vm: Start = true
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000060
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000060
vm: LastDrainStopTime = 1795000060
vm: - DrainReason
vm: - Draining
vm: - DrainingRequestId
> wait 1
| slot1: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot1: State change: slot is no longer draining.
| slot1: Changing state: Drained -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: eval_policy state should be: Owner/Idle 19 slot is no longer draining
| slot2: State change: slot is no longer draining.
| slot2: Changing state: Drained -> Owner
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[Publish]
slot1@vm: EnteredCurrentActivity = 1795000061
slot1@vm: EnteredCurrentState = 1795000061
slot1@vm: State = "Unclaimed"
slot1@vm: TotalTimeDrainedIdle = 1
slot2@vm: EnteredCurrentActivity = 1795000061
slot2@vm: EnteredCurrentState = 1795000061
slot2@vm: State = "Unclaimed"
slot2@vm: TotalTimeDrainedIdle = 1
vm: ExpectedMachineGracefulDrainingCompletion = 1795000061
vm: ExpectedMachineQuickDrainingCompletion = 1795000061

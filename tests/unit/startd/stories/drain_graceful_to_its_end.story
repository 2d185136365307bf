# A graceful drain ends with all slots drained, and -resume-on-completion opens them again.
> policy max_job_retirement_time=100 machine_max_vacate_time=20
> static 2
>> start
>> claim slot1@vm RequestCpus=2
>> ready c1
>> run c1 1.0
>> started c1
> wait 30
slot1@vm: RetirementTimeRemaining = 70
slot1@vm: TotalClaimRunTime = 30
slot1@vm: TotalJobRunTime = 30
slot1@vm: TotalTimeClaimedBusy = 30
slot2@vm: TotalTimeUnclaimedIdle = 30
vm: ExpectedMachineQuickDrainingBadput = 200
vm: ExpectedMachineQuickDrainingCompletion = 1795000050
> Drain on_completion=resume
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 70s.
| slot1: Changing activity: Busy -> Retiring
| slot2: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot2: State change: entering Drained state (from unclaimed).
| slot2: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
[RememberDrain]
    active: True
    badput: 0.0
    boot_time: 0
    counted_until: 1795000030.0
    how: graceful
    last_start: 1795000030
    last_stop: 0
    on_completion: resume
    reason: by command
    request_id: 1
    requests: 1
    start: 
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[Publish]
slot1@vm: Activity = "Retiring"
slot1@vm: EnteredCurrentActivity = 1795000030
slot1@vm: LoadAvg = 0.25
slot1@vm: Requirements = false
slot1@vm: Start = false
slot2@vm: Activity = "Retiring"
slot2@vm: EnteredCurrentActivity = 1795000030
slot2@vm: EnteredCurrentState = 1795000030
slot2@vm: LoadAvg = 0.0
slot2@vm: Requirements = false
slot2@vm: Start = false
slot2@vm: State = "Drained"
vm: DrainReason = "by command"
vm: Draining = true
vm: DrainingRequestId = "1"
vm: LastDrainStartTime = 1795000030
> wait 50
| slot1: Evicting job with 20s of retirement time remaining in order to accommodate this job's max vacate time of 20s.
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[Publish]
[SoftKill] claim=c1 code=1014
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000080
slot1@vm: EnteredCurrentState = 1795000080
slot1@vm: RetirementTimeRemaining = 20
slot1@vm: State = "Preempting"
slot1@vm: TotalClaimRunTime = 80
slot1@vm: TotalJobRunTime = 80
slot1@vm: TotalTimeClaimedRetiring = 50
slot2@vm: TotalTimeDrainedRetiring = 50
vm: ExpectedMachineQuickDrainingBadput = 400
vm: ExpectedMachineQuickDrainingCompletion = 1795000100
vm: JobPreemptions = 1
vm: RecentJobPreemptions = 1
vm: TotalMachineDrainingBadput = 320
vm: TotalMachineDrainingUnclaimedTime = 200
> wait 20
| slot1[1.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: RetirementTimeRemaining = 0
slot1@vm: TotalClaimRunTime = 100
slot1@vm: TotalJobRunTime = 100
slot1@vm: TotalTimePreemptingVacating = 20
slot2@vm: TotalTimeDrainedRetiring = 70
vm: ExpectedMachineGracefulDrainingBadput = 480
vm: ExpectedMachineGracefulDrainingCompletion = 1795000120
vm: ExpectedMachineQuickDrainingBadput = 480
vm: ExpectedMachineQuickDrainingCompletion = 1795000120
vm: TotalMachineDrainingUnclaimedTime = 280
> end c1 1.0 vacated=True exit_signal=15
| slot1: Received final job ClassAd update from starter.
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot1: State change: entering Drained state (from owner).
| slot1: Changing state and activity: Owner/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
| slot2: eval_policy state should be: Drained/Idle 20 draining is complete
| slot2: State change: draining is complete.
| slot2: Changing activity: Retiring -> Idle
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
[Vacated] claim_id=c1 job=1.0 run=1 code=1014 reason=Startd was draining subcode=0 hold_code=0 hold_subcode=0
[RunOver]
    BadputCausedByDraining = true
    BadputCausedByPreemption = false
    CompletionDate = 1795000100
    ExitBySignal = true
    ExitSignal = 15
    GlobalJobId = "vm#1.0#1"
    JobStatus = 4
    JobUniverse = 5
    RemoteHost = "slot1@vm"
    RemoteSysCpu = 0.0
    RemoteUserCpu = 0.0
    RemoteWallClockTime = 100
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
    badput: 320.0
    boot_time: 0
    counted_until: 1795000100.0
    how: graceful
    last_start: 1795000030
    last_stop: 1795000100
    on_completion: resume
    reason: by command
    request_id: 1
    requests: 1
    start: 
    unclaimed: 280.0
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000100
slot1@vm: EnteredCurrentState = 1795000100
slot1@vm: Requirements = Start && WithinResourceLimits
slot1@vm: Start = true
slot1@vm: State = "Unclaimed"
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
slot2@vm: EnteredCurrentActivity = 1795000100
slot2@vm: EnteredCurrentState = 1795000100
slot2@vm: Requirements = Start && WithinResourceLimits
slot2@vm: Start = true
slot2@vm: State = "Unclaimed"
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000100
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000100
vm: LastDrainStopTime = 1795000100
vm: - DrainReason
vm: - Draining
vm: - DrainingRequestId
> wait 1
slot1@vm: TotalTimeUnclaimedIdle = 1
slot2@vm: TotalTimeUnclaimedIdle = 31
vm: ExpectedMachineGracefulDrainingCompletion = 1795000101
vm: ExpectedMachineQuickDrainingCompletion = 1795000101

# A drain that is given up: what retired for it goes on, what has to go for another reason goes.
> estimates
> policy max_job_retirement_time="100" machine_max_vacate_time="10"
> static 3
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> claim slot2@vm
>> ready c2
>> run c2 2.0
>> claim slot3@vm
> Vacate slot=slot2@vm graceful=True code=1007 reason=why
| slot2: State change: received VACATE_CLAIM command
| slot2: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1007'), ('Reason', '"why"'))
slot2@vm: Activity = "Retiring"
> Drain
| Initiating graceful draining.
| Coordinating retirement of draining slots; retirement of all draining slots ends in 100s.
| slot1: Changing activity: Busy -> Retiring
| slot3: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot3: State change: No preempting claim, returning to owner
| slot3: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot3: eval_policy state should be: Drained/Retiring 17 entering Drained state (from owner)
| slot3: State change: entering Drained state (from owner).
| slot3: Changing state and activity: Owner/Idle -> Drained/Retiring
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000000.0  how: graceful  last_start:
    1795000000  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(3, 0) attributes=(('Code', '1014'), ('Reason', '"Startd was draining"'))
[StopStarter] claim=c3
[ClaimLost] claim=c3 code=1014 reason=Startd was draining idle=True
slot1@vm: Activity = "Retiring"  Requirements = false  Start = false
slot2@vm: Requirements = false  Start = false
slot3@vm: Activity = "Retiring"  Requirements = false  Start = false  State = "Drained"  -ClaimEndTime
    -ClientMachine  -PublicClaimId  -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName
    -RemoteUser
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000000
> wait 10
slot1@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot2@vm: RetirementTimeRemaining = 90  TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedRetiring = 10
slot3@vm: TotalTimeDrainedRetiring = 10
vm: ExpectedMachineQuickDrainingBadput = 80  ExpectedMachineQuickDrainingCompletion = 1795000020
    TotalMachineDrainingUnclaimedTime = 20
> CancelDrain
| slot1: eval_policy state should be: Claimed/Busy 1 unretiring because no preempting claim exists
| slot1: State change: unretiring because no preempting claim exists.
| slot1: Changing activity: Retiring -> Busy
| slot3: eval_policy state should be: Owner/Retiring 19 slot is no longer draining
| slot3: State change: slot is no longer draining.
| slot3: Changing state and activity: Drained/Retiring -> Owner/Idle
| slot3: State change: IS_OWNER is false
| slot3: Changing state: Owner -> Unclaimed
[DrainReply] ok=True request_id=1 error_code=0
[RememberDrain] active: False  badput: 0.0  boot_time: 0  counted_until: 1795000010.0  how: graceful  last_start:
    1795000000  last_stop: 1795000010  on_completion: nothing  reason: by command  request_id: 1  requests: 1
    start:   unclaimed: 20.0
slot1@vm: Activity = "Busy"  LoadAvg = 0.0  Requirements = Start && WithinResourceLimits  Start = true
slot2@vm: Requirements = Start && WithinResourceLimits  Start = true
slot3@vm: Activity = "Idle"  LoadAvg = 0.25  Requirements = Start && WithinResourceLimits  Start = true  State =
    "Unclaimed"
vm: LastDrainStopTime = 1795000010  -DrainReason  -Draining  -DrainingRequestId
> wait 10
slot1@vm: RetirementTimeRemaining = 80  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedBusy = 10
slot2@vm: RetirementTimeRemaining = 80  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedRetiring = 20
slot3@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineQuickDrainingBadput = 120  ExpectedMachineQuickDrainingCompletion = 1795000030
> claim slot3@vm
| slot3: Request accepted.
| slot3: Remote owner is alice@example.net
| slot3: Changing state: Unclaimed -> Claimed
| slot3: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(3, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c4 slot_name=slot3@vm
[ClaimGranted] request_id=r4 claim=c4 slot_name=slot3@vm
slot1@vm: LoadAvg = 0.25
slot3@vm: ClaimEndTime = 0  ClientMachine = "vm"  EnteredCurrentActivity = 1795000020  LoadAvg = 0.0  PublicClaimId
    = "<127.0.0.1:9618>#1795000000#4#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner
    = "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 4

# Backfill: the client runs while a slot is unclaimed, and leaves for a claim, a match, the owner.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> with backfill=True
> policy start_backfill="KeyboardIdle > 10" evict_backfill="KeyboardIdle < 5" is_owner="TotalLoadAvg > 5"
> static 2
>> start
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> wait 10
slot1@vm: TotalTimeBackfillBusy = 10
slot2@vm: TotalTimeBackfillBusy = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000010
vm: ExpectedMachineQuickDrainingCompletion = 1795000010
> claim slot1@vm
| slot1: Request accepted.
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Backfill -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[Publish]
[StartStarter] claim_id=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim_id=c1 slot_name=slot1@vm
slot1@vm: Activity = "Idle"
slot1@vm: ClaimEndTime = 0
slot1@vm: ClientMachine = "vm"
slot1@vm: EnteredCurrentActivity = 1795000010
slot1@vm: EnteredCurrentState = 1795000010
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
slot1@vm: RemoteAutoregroup = false
slot1@vm: RemoteNegotiatingGroup = "<none>"
slot1@vm: RemoteOwner = "alice@example.net"
slot1@vm: RemoteScheddName = "vm"
slot1@vm: RemoteUser = "alice@example.net"
slot1@vm: State = "Claimed"
vm: ClaimRequests = 1
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Busy -> Idle
[Publish]
slot2@vm: Activity = "Idle"
slot2@vm: EnteredCurrentActivity = 1795000010
> ready c1
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[Publish]
[StopStarter] claim=c1
[StartBackfill]
slot1@vm: State = "Backfill"
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
> wait 10
slot1@vm: TotalTimeBackfillIdle = 10
slot2@vm: TotalTimeBackfillIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000020
vm: ExpectedMachineQuickDrainingCompletion = 1795000020
> BackfillStarted ok=False
> wait 10
[StartBackfill]
slot1@vm: TotalTimeBackfillIdle = 20
slot2@vm: TotalTimeBackfillIdle = 20
vm: ExpectedMachineGracefulDrainingCompletion = 1795000030
vm: ExpectedMachineQuickDrainingCompletion = 1795000030
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: EnteredCurrentActivity = 1795000030
slot2@vm: Activity = "Busy"
slot2@vm: EnteredCurrentActivity = 1795000030
> wait 10 keyboard_idle=0
| slot1: State change: EVICT_BACKFILL is TRUE
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: State change: EVICT_BACKFILL is TRUE
| slot2: Changing activity: Busy -> Killing
[Publish]
[StopBackfill]
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000040
slot1@vm: EnteredCurrentState = 1795000040
slot1@vm: State = "Unclaimed"
slot1@vm: TotalTimeBackfillBusy = 20
slot2@vm: Activity = "Killing"
slot2@vm: EnteredCurrentActivity = 1795000040
slot2@vm: TotalTimeBackfillBusy = 20
vm: ExpectedMachineGracefulDrainingCompletion = 1795000040
vm: ExpectedMachineQuickDrainingCompletion = 1795000040
> BackfillGone status=256
| BOINC client exited with status 256
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
[Publish]
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"
slot2@vm: EnteredCurrentState = 1795000040
slot2@vm: LoadAvg = 0.25
slot2@vm: State = "Owner"
> wait 10 keyboard_idle=0
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[Publish]
slot1@vm: LoadAvg = 0.25
slot1@vm: TotalTimeUnclaimedIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000050
slot2@vm: EnteredCurrentState = 1795000050
slot2@vm: LoadAvg = 0.0
slot2@vm: State = "Unclaimed"
slot2@vm: TotalTimeOwnerIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000050
vm: ExpectedMachineQuickDrainingCompletion = 1795000050
> wait 10
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
| slot2: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot2: State change: START_BACKFILL is TRUE.
| slot2: Changing state: Unclaimed -> Backfill
[Publish]
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000060
slot1@vm: EnteredCurrentState = 1795000060
slot1@vm: State = "Backfill"
slot1@vm: TotalTimeUnclaimedIdle = 20
slot2@vm: EnteredCurrentActivity = 1795000060
slot2@vm: EnteredCurrentState = 1795000060
slot2@vm: State = "Backfill"
slot2@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineGracefulDrainingCompletion = 1795000060
vm: ExpectedMachineQuickDrainingCompletion = 1795000060
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Match slot=slot2@vm
| slot2: State change: match notification protocol successful
| slot2: Changing activity: Busy -> Killing
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Matched
[Publish]
slot2@vm: Activity = "Idle"
slot2@vm: Requirements = false
slot2@vm: State = "Matched"
> BackfillGone
| BOINC client exited with status 0
| slot1: Changing activity: Busy -> Idle
[Publish]
slot1@vm: Activity = "Idle"
> wait 120
| slot2: State change: match timed out
| slot2: Changing state: Matched -> Owner
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
| slot2: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot2: State change: START_BACKFILL is TRUE.
| slot2: Changing state: Unclaimed -> Backfill
[StartBackfill]
[Publish]
slot1@vm: TotalTimeBackfillIdle = 140
slot2@vm: EnteredCurrentActivity = 1795000180
slot2@vm: EnteredCurrentState = 1795000180
slot2@vm: Requirements = Start && WithinResourceLimits
slot2@vm: State = "Backfill"
slot2@vm: TotalTimeMatchedIdle = 120
vm: ExpectedMachineGracefulDrainingCompletion = 1795000180
vm: ExpectedMachineQuickDrainingCompletion = 1795000180
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: EnteredCurrentActivity = 1795000180
slot2@vm: Activity = "Busy"
> wait 10 load_avg=6.0
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot2: Changing activity: Busy -> Killing
[Publish]
[StopBackfill]
slot1@vm: Activity = "Idle"
slot1@vm: EnteredCurrentActivity = 1795000190
slot1@vm: EnteredCurrentState = 1795000190
slot1@vm: LoadAvg = 4.0
slot1@vm: State = "Owner"
slot1@vm: TotalTimeBackfillBusy = 30
slot2@vm: Activity = "Killing"
slot2@vm: EnteredCurrentActivity = 1795000190
slot2@vm: LoadAvg = 2.0
slot2@vm: TotalTimeBackfillBusy = 30
vm: ExpectedMachineGracefulDrainingCompletion = 1795000190
vm: ExpectedMachineQuickDrainingCompletion = 1795000190
vm: TotalLoadAvg = 6.0
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
[Publish]
slot2@vm: Activity = "Idle"
slot2@vm: EnteredCurrentState = 1795000190
slot2@vm: State = "Owner"
> wait 10
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
| slot2: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot2: State change: START_BACKFILL is TRUE.
| slot2: Changing state: Unclaimed -> Backfill
[Publish]
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000200
slot1@vm: EnteredCurrentState = 1795000200
slot1@vm: LoadAvg = 0.25
slot1@vm: State = "Backfill"
slot1@vm: TotalTimeOwnerIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000200
slot2@vm: EnteredCurrentState = 1795000200
slot2@vm: LoadAvg = 0.0
slot2@vm: State = "Backfill"
slot2@vm: TotalTimeOwnerIdle = 20
vm: ExpectedMachineGracefulDrainingCompletion = 1795000200
vm: ExpectedMachineQuickDrainingCompletion = 1795000200
vm: TotalLoadAvg = 0.25
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Vacate slot=None
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot2: State change: received VACATE_CLAIM command
| slot2: Changing activity: Busy -> Killing
[Publish]
[StopBackfill]
slot1@vm: Activity = "Idle"
slot1@vm: State = "Owner"
slot2@vm: Activity = "Killing"
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
[Publish]
slot2@vm: Activity = "Idle"
slot2@vm: State = "Owner"
> wait 10
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
| slot2: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot2: State change: START_BACKFILL is TRUE.
| slot2: Changing state: Unclaimed -> Backfill
[Publish]
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000210
slot1@vm: EnteredCurrentState = 1795000210
slot1@vm: State = "Backfill"
slot1@vm: TotalTimeOwnerIdle = 20
slot2@vm: EnteredCurrentActivity = 1795000210
slot2@vm: EnteredCurrentState = 1795000210
slot2@vm: State = "Backfill"
slot2@vm: TotalTimeOwnerIdle = 30
vm: ExpectedMachineGracefulDrainingCompletion = 1795000210
vm: ExpectedMachineQuickDrainingCompletion = 1795000210
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
[Publish]
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Shutdown
| shutdown graceful
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: Changing activity: Busy -> Killing
[Publish]
[StopBackfill]
slot1@vm: Activity = "Idle"
slot1@vm: Requirements = false
slot1@vm: Start = false
slot1@vm: State = "Unclaimed"
slot2@vm: Activity = "Killing"
slot2@vm: Requirements = false
slot2@vm: Start = false
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
| All resources are free, exiting.
[Publish]
[Exit] restart=False stay_away=False
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"
slot2@vm: LoadAvg = 0.25
slot2@vm: State = "Owner"

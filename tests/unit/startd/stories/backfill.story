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
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> wait 10
slot1@vm: TotalTimeBackfillBusy = 10
slot2@vm: TotalTimeBackfillBusy = 10
> claim slot1@vm
| slot1: Request accepted.
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Backfill -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1@vm
slot1@vm: Activity = "Idle"  ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 1
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Busy -> Idle
slot2@vm: Activity = "Idle"
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
[StopStarter] claim=c1
[StartBackfill]
slot1@vm: State = "Backfill"  -ClaimEndTime  -ClientMachine  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> wait 10
slot1@vm: TotalTimeBackfillIdle = 10
slot2@vm: TotalTimeBackfillIdle = 10
> BackfillStarted ok=False
> wait 10
[StartBackfill]
slot1@vm: TotalTimeBackfillIdle = 20
slot2@vm: TotalTimeBackfillIdle = 20
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> wait 10 keyboard_idle=0
| slot1: State change: EVICT_BACKFILL is TRUE
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot2: State change: EVICT_BACKFILL is TRUE
| slot2: Changing activity: Busy -> Killing
[StopBackfill]
slot1@vm: Activity = "Idle"  State = "Unclaimed"  TotalTimeBackfillBusy = 20
slot2@vm: Activity = "Killing"  TotalTimeBackfillBusy = 20
> BackfillGone status=256
| BOINC client exited with status 256
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"  LoadAvg = 0.25  State = "Owner"
> wait 10 keyboard_idle=0
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
slot1@vm: LoadAvg = 0.25  TotalTimeUnclaimedIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000050  LoadAvg = 0.0  State = "Unclaimed"  TotalTimeOwnerIdle = 10
> wait 10
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
| slot2: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot2: State change: START_BACKFILL is TRUE.
| slot2: Changing state: Unclaimed -> Backfill
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000060  State = "Backfill"  TotalTimeUnclaimedIdle = 20
slot2@vm: EnteredCurrentActivity = 1795000060  State = "Backfill"  TotalTimeUnclaimedIdle = 10
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Match slot=slot2@vm
| slot2: State change: match notification protocol successful
| slot2: Changing activity: Busy -> Killing
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Matched
slot2@vm: Activity = "Idle"  Requirements = false  State = "Matched"
> BackfillGone
| BOINC client exited with status 0
| slot1: Changing activity: Busy -> Idle
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
slot1@vm: TotalTimeBackfillIdle = 140
slot2@vm: EnteredCurrentActivity = 1795000180  Requirements = Start && WithinResourceLimits  State = "Backfill"
    TotalTimeMatchedIdle = 120
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> wait 10 load_avg=6.0
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot2: Changing activity: Busy -> Killing
[StopBackfill]
slot1@vm: Activity = "Idle"  LoadAvg = 4.0  State = "Owner"  TotalTimeBackfillBusy = 30
slot2@vm: Activity = "Killing"  LoadAvg = 2.0  TotalTimeBackfillBusy = 30
vm: TotalLoadAvg = 6.0
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
slot2@vm: Activity = "Idle"  State = "Owner"
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
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000200  LoadAvg = 0.25  State = "Backfill"  TotalTimeOwnerIdle = 10
slot2@vm: EnteredCurrentActivity = 1795000200  LoadAvg = 0.0  State = "Backfill"  TotalTimeOwnerIdle = 20
vm: TotalLoadAvg = 0.25
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Vacate slot=None
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
| slot2: State change: received VACATE_CLAIM command
| slot2: Changing activity: Busy -> Killing
[StopBackfill]
slot1@vm: Activity = "Idle"  State = "Owner"
slot2@vm: Activity = "Killing"
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
slot2@vm: Activity = "Idle"  State = "Owner"
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
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000210  State = "Backfill"  TotalTimeOwnerIdle = 20
slot2@vm: EnteredCurrentActivity = 1795000210  State = "Backfill"  TotalTimeOwnerIdle = 30
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
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
[StopBackfill]
slot1@vm: Activity = "Idle"  Requirements = false  Start = false  State = "Unclaimed"
slot2@vm: Activity = "Killing"  Requirements = false  Start = false
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Changing state: Backfill -> Owner
| All resources are free, exiting.
[Exit] restart=False stay_away=False
slot1@vm: LoadAvg = 0.0
slot2@vm: Activity = "Idle"  LoadAvg = 0.25  State = "Owner"

# The backfill system is changed while its clients rest from their failures, and while they run; a slot that is on its way out of backfill keeps no client.
> with backfill=True
> policy start_backfill="true"
> static 2
>> start
> BackfillStarted ok=False
> BackfillStarted ok=False
> wake
never
> with backfill=False
> reconfig
| slot1: State change: the backfill system is another one
| slot1: Changing state: Backfill -> Owner
| slot2: State change: the backfill system is another one
| slot2: Changing state: Backfill -> Owner
| Reconfigured
slot1@vm: State = "Owner"
slot2@vm: State = "Owner"
> with backfill=True
> reconfig
| Reconfigured
[Publish]
> wait 1
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
slot1@vm: EnteredCurrentActivity = 1795000001  State = "Backfill"  TotalTimeOwnerIdle = 1
slot2@vm: EnteredCurrentActivity = 1795000001  State = "Backfill"  TotalTimeOwnerIdle = 1
> BackfillStarted
| slot1: State change: BOINC client running for slot1
| slot1: Changing activity: Idle -> Busy
| slot2: State change: BOINC client running for slot2
| slot2: Changing activity: Idle -> Busy
slot1@vm: Activity = "Busy"
slot2@vm: Activity = "Busy"
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Killing
| slot1: Changing activity: Killing -> Idle
| slot1: Changing state: Backfill -> Owner
slot1@vm: Activity = "Idle"  State = "Owner"
> claim slot2@vm
| slot2: Request accepted.
| slot2: Changing activity: Busy -> Killing
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StopBackfill]
[unpublished]
slot2@vm: Activity = "Killing"
vm: ClaimRequests = 1
> BackfillGone
| BOINC client exited with status 0
| slot2: Changing activity: Killing -> Idle
| slot2: Remote owner is alice@example.net
| slot2: Changing state: Backfill -> Claimed
| slot2: State change: claiming protocol successful
[StartStarter] claim=c1 slot_name=slot2@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot2@vm
slot2@vm: Activity = "Idle"  ClaimEndTime = 0  ClientMachine = "vm"  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
> wait 1
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot1: eval_policy state should be: Backfill/Idle 16 START_BACKFILL is TRUE
| slot1: State change: START_BACKFILL is TRUE.
| slot1: Changing state: Unclaimed -> Backfill
[StartBackfill]
slot1@vm: EnteredCurrentActivity = 1795000002  State = "Backfill"  TotalTimeOwnerIdle = 2
slot2@vm: TotalTimeClaimedIdle = 1

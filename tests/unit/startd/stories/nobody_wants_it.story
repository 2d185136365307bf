# STARTD_NOCLAIM_SHUTDOWN: a startd that no job wants for so long ends, and one that a job wants does not.
> with noclaim_shutdown=100
> static 1
>> start
> wait 99
slot1@vm: TotalTimeUnclaimedIdle = 99
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1@vm
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  EnteredCurrentActivity = 1795000099  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
vm: ClaimRequests = 1
> wait 50
slot1@vm: TotalTimeClaimedIdle = 50
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[StopStarter] claim=c1
slot1@vm: EnteredCurrentActivity = 1795000149  State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId
    -RemoteAutoregroup  -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 149
> wait 49
slot1@vm: TotalTimeUnclaimedIdle = 198
> wait 1
| No resources have been claimed for 100 seconds: shutting down HTCondor on this machine.
[ShutdownMachine]
slot1@vm: TotalTimeUnclaimedIdle = 199
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 249
> wait 50
| No resources have been claimed for 100 seconds: shutting down HTCondor on this machine.
[ShutdownMachine]
slot1@vm: TotalTimeUnclaimedIdle = 299

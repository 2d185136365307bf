# STARTD_NOCLAIM_SHUTDOWN
> with noclaim_shutdown=100
> static 1
>> start
> wait 99
slot1@vm: TotalTimeUnclaimedIdle = 99
vm: ExpectedMachineGracefulDrainingCompletion = 1795000099
vm: ExpectedMachineQuickDrainingCompletion = 1795000099
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim_id=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim_id=c1 slot_name=slot1@vm
[Publish]
slot1@vm: ClaimEndTime = 0
slot1@vm: ClientMachine = "vm"
slot1@vm: EnteredCurrentActivity = 1795000099
slot1@vm: EnteredCurrentState = 1795000099
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
slot1@vm: RemoteAutoregroup = false
slot1@vm: RemoteNegotiatingGroup = "<none>"
slot1@vm: RemoteOwner = "alice@example.net"
slot1@vm: RemoteScheddName = "vm"
slot1@vm: RemoteUser = "alice@example.net"
slot1@vm: State = "Claimed"
vm: ClaimRequests = 1
> wait 50
slot1@vm: TotalTimeClaimedIdle = 50
vm: ExpectedMachineGracefulDrainingCompletion = 1795000149
vm: ExpectedMachineQuickDrainingCompletion = 1795000149
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[Publish]
[StopStarter] claim=c1
slot1@vm: EnteredCurrentActivity = 1795000149
slot1@vm: EnteredCurrentState = 1795000149
slot1@vm: State = "Unclaimed"
slot1@vm: - ClaimEndTime
slot1@vm: - ClientMachine
slot1@vm: - PublicClaimId
slot1@vm: - RemoteAutoregroup
slot1@vm: - RemoteNegotiatingGroup
slot1@vm: - RemoteOwner
slot1@vm: - RemoteScheddName
slot1@vm: - RemoteUser
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 149
vm: ExpectedMachineGracefulDrainingCompletion = 1795000199
vm: ExpectedMachineQuickDrainingCompletion = 1795000199
> wait 49
slot1@vm: TotalTimeUnclaimedIdle = 198
vm: ExpectedMachineGracefulDrainingCompletion = 1795000248
vm: ExpectedMachineQuickDrainingCompletion = 1795000248
> wait 1
| No resources have been claimed for 100 seconds: shutting down HTCondor on this machine.
[ShutdownMachine]
slot1@vm: TotalTimeUnclaimedIdle = 199
vm: ExpectedMachineGracefulDrainingCompletion = 1795000249
vm: ExpectedMachineQuickDrainingCompletion = 1795000249
> wait 50
slot1@vm: TotalTimeUnclaimedIdle = 249
vm: ExpectedMachineGracefulDrainingCompletion = 1795000299
vm: ExpectedMachineQuickDrainingCompletion = 1795000299
> wait 50
| No resources have been claimed for 100 seconds: shutting down HTCondor on this machine.
[ShutdownMachine]
slot1@vm: TotalTimeUnclaimedIdle = 299
vm: ExpectedMachineGracefulDrainingCompletion = 1795000349
vm: ExpectedMachineQuickDrainingCompletion = 1795000349

# New settings: policy of slots and of dynamic ones, attributes, what is no expression is said.
>> start
>> claim slot1@vm
> attrs Colour="\"red\"" Odd="((" 
> policy start="TARGET.Good" rank="TARGET.Nice ?: 3"
> reconfig
| CONFIGURATION PROBLEM: Odd = (( is no expression and is left out of the slot ads (does a string lack its quotes?)
| Reconfigured
slot1@vm: Colour = "red"  Rank = TARGET.Nice ?: 3  Start = TARGET.Good
slot1_1@vm: Colour = "red"  Rank = TARGET.Nice ?: 3  Start = TARGET.Good
> claim slot1@vm Good=true Nice=4
| slot1_2: New dSlot allocated
| slot1_2: 	Cpus: 1.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0
| slot1: Request accepted.
| slot1_2: Remote owner is alice@example.net
| slot1_2: Changing state: Owner -> Claimed
| slot1_2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_2"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot1_2@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot1_2@vm
slot1@vm: ChildState = { "Claimed","Claimed" }  Cpus = 6  Disk = 75597952  Memory = 15744  NumDynamicSlots = 2
slot1_2@vm: new
vm: ClaimRequests = 2  TotalSlots = 3
> claim slot1@vm
| slot1: Request refused: Slot Requirements not satisfied: START is not true
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r3 reason=Slot Requirements not satisfied: START is not true fault=False
[unpublished]
vm: ClaimRequests = 3
> ads slot1_1@vm Colour Odd Start
Colour = "red"
Odd = (none)
Start = TARGET.Good
> ads slot1@vm Colour Odd Start
Colour = "red"
Odd = (none)
Start = TARGET.Good

# Backfill slots have the machine once more: they offer what primary jobs leave, and are in conflict where that is not enough.
> gpus 2
> partitionable
> backfill-slots
>> start
> claim behind2@vm RequestCpus=5 RequestGPUs=1
| behind2_1: New backfill dSlot of type 9 allocated
| behind2_1: 	Cpus: 5.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 1
| behind2: Request accepted.
| behind2_1: Remote owner is alice@example.net
| behind2_1: Changing state: Owner -> Claimed
| behind2_1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"behind2_1"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=behind2_1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=behind2_1@vm
behind2@vm: AvailableGPUs = { GPUs_GPU_0 }  ChildState = { "Claimed" }  Cpus = 3  Disk = 75598976  GPUs = 1  Memory
    = 15872  NumDynamicSlots = 1
behind2_1@vm: new
vm: ClaimRequests = 1  TotalBackfillInUseCpus = 5  TotalBackfillInUseDisk = 1024  TotalBackfillInUseGPUs = 1
    TotalBackfillInUseMemory = 128  TotalSlots = 3
> claim slot1@vm RequestCpus=2
| slot1_1: New dSlot of type 1 allocated
| slot1_1: 	Cpus: 2.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0
| slot1: Request accepted.
| slot1_1: Remote owner is alice@example.net
| slot1_1: Changing state: Owner -> Claimed
| slot1_1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_1"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c2 slot_name=slot1_1@vm
[ClaimGranted] request_id=r2 claim=c2 slot_name=slot1_1@vm
behind2@vm: Cpus = 1  Memory = 15744
slot1@vm: ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  Memory = 15872  NumDynamicSlots = 1
slot1_1@vm: new
vm: ClaimRequests = 2  TotalSlots = 4
> claim slot1@vm RequestCpus=3 RequestGPUs=1
| slot1_2: New dSlot of type 1 allocated
| slot1_2: 	Cpus: 3.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 1
| slot1: Request accepted.
| slot1_2: Remote owner is alice@example.net
| slot1_2: Changing state: Owner -> Claimed
| slot1_2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_2"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c3 slot_name=slot1_2@vm
[ClaimGranted] request_id=r3 claim=c3 slot_name=slot1_2@vm
behind2@vm: AvailableGPUs = {  }  Cpus = 0  GPUs = 0  Memory = 15616
behind2_1@vm: ResourceConflict = "Cpus"
slot1@vm: AvailableGPUs = { GPUs_GPU_1 }  ChildState = { "Claimed","Claimed" }  Cpus = 3  Disk = 75597952  GPUs = 1
    Memory = 15744  NumDynamicSlots = 2
slot1_2@vm: new
vm: ClaimRequests = 3  TotalSlots = 5
> claim behind2@vm RequestCpus=1
| behind2: Request refused: Not enough Cpus (1.00 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r4 reason=Not enough Cpus (1.00 short) fault=False
[unpublished]
vm: ClaimRequests = 4
> wait 10
behind2@vm: TotalTimeUnclaimedIdle = 10
behind2_1@vm: TotalTimeClaimedIdle = 10
slot1@vm: TotalTimeUnclaimedIdle = 10
slot1_1@vm: TotalTimeClaimedIdle = 10
slot1_2@vm: TotalTimeClaimedIdle = 10
> ReleaseClaim claim=c3
| slot1_2: State change: received RELEASE_CLAIM command
| slot1_2: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1_2: State change: No preempting claim, returning to owner
| slot1_2: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1_2: State change: IS_OWNER is false
| slot1_2: Changing state: Owner -> Unclaimed
| slot1_2: Slot slot1_2 no longer needed, deleting
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 2) attributes=(('Success', 'true'),)
[StopStarter] claim=c3
behind2@vm: AvailableGPUs = { GPUs_GPU_0 }  Cpus = 1  GPUs = 1  Memory = 15744
behind2_1@vm: -ResourceConflict
slot1@vm: AvailableGPUs = { GPUs_GPU_0,GPUs_GPU_1 }  ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  GPUs = 2
    Memory = 15872  NumDynamicSlots = 1  NumDynamicSlotsTime = 1795000010
slot1_2@vm: gone
vm: TotalSlots = 4
> wait 10
behind2@vm: TotalTimeUnclaimedIdle = 20
behind2_1@vm: TotalTimeClaimedIdle = 20
slot1@vm: TotalTimeUnclaimedIdle = 20
slot1_1@vm: TotalTimeClaimedIdle = 20
> ReleaseClaim claim=c1
| behind2_1: State change: received RELEASE_CLAIM command
| behind2_1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| behind2_1: State change: No preempting claim, returning to owner
| behind2_1: Changing state and activity: Preempting/Killing -> Owner/Idle
| behind2_1: State change: IS_OWNER is false
| behind2_1: Changing state: Owner -> Unclaimed
| behind2_1: Slot behind2_1 no longer needed, deleting
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(2, 1) attributes=(('Success', 'true'),)
[StopStarter] claim=c1
behind2@vm: AvailableGPUs = { GPUs_GPU_1,GPUs_GPU_0 }  ChildState = {  }  Cpus = 6  Disk = 75600000  GPUs = 2
    Memory = 15872  NumDynamicSlots = 0  NumDynamicSlotsTime = 1795000020
behind2_1@vm: gone
vm: TotalBackfillInUseCpus = 0  TotalBackfillInUseDisk = 0  TotalBackfillInUseGPUs = 0  TotalBackfillInUseMemory = 0
    TotalSlots = 3
> claim slot1@vm RequestCpus=1 RequestGPUs=2
| slot1_2: New dSlot of type 1 allocated
| slot1_2: 	Cpus: 1.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 2
| slot1: Request accepted.
| slot1_2: Remote owner is alice@example.net
| slot1_2: Changing state: Owner -> Claimed
| slot1_2: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('NewSlots', '"slot1_2"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c4 slot_name=slot1_2@vm
[ClaimGranted] request_id=r5 claim=c4 slot_name=slot1_2@vm
behind2@vm: AvailableGPUs = {  }  Cpus = 5  GPUs = 0  Memory = 15744
slot1@vm: AvailableGPUs = {  }  ChildState = { "Claimed","Claimed" }  Cpus = 5  Disk = 75597952  GPUs = 0  Memory =
    15744  NumDynamicSlots = 2  NumDynamicSlotsTime = 1795000020
slot1_2@vm: new
vm: ClaimRequests = 5  TotalSlots = 4
> claim behind2@vm RequestCpus=1 RequestGPUs=1
| behind2: Request refused: Not enough GPUs (1.00 short)
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(2, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'false'))
[ClaimRefused] id=r6 reason=Not enough GPUs (1.00 short) fault=False
[unpublished]
vm: ClaimRequests = 6

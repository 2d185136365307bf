# D_LOAD and D_KEYBOARD
> with log_load=2 log_idle=2 slots_connected_to_keyboard=1 slots_connected_to_console=1
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> started c1
> wait 10
| SystemLoad: 0.250	- TotalCondorLoad: 0.000	= TotalOwnerLoad: 0.250
| slot1: Idle time: Keyboard: 77       Console: 0
| slot1: LoadAvg: 0.00  CondorLoad: 0.00  OwnerLoad: 0.00
| slot2: Idle time: Keyboard: 1210     Console: 1210
| slot2: LoadAvg: 0.25  CondorLoad: 0.00  OwnerLoad: 0.25
slot1@vm: TotalClaimRunTime = 10
slot1@vm: TotalJobRunTime = 10
slot1@vm: TotalTimeClaimedBusy = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
vm: ExpectedMachineGracefulDrainingBadput = 2440
vm: ExpectedMachineGracefulDrainingCompletion = 1795000610
vm: ExpectedMachineQuickDrainingBadput = 2440
vm: ExpectedMachineQuickDrainingCompletion = 1795000610
> usage c1 RemoteUserCpu=5.0
[Publish]
slot1@vm: CondorLoadAvg = 0.083333
slot1@vm: CpusUsage = 0.5
slot1@vm: LoadAvg = 0.083333
slot2@vm: LoadAvg = 0.166667
vm: TotalCondorLoadAvg = 0.083333
> wait 10 load_avg=1.5 keyboard_idle=3
| SystemLoad: 1.500	- TotalCondorLoad: 0.083	= TotalOwnerLoad: 1.417
| slot1: Idle time: Keyboard: 3        Console: 0
| slot1: LoadAvg: 0.08  CondorLoad: 0.08  OwnerLoad: 0.00
| slot2: Idle time: Keyboard: 1220     Console: 1220
| slot2: LoadAvg: 1.42  CondorLoad: 0.00  OwnerLoad: 1.42
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimeClaimedBusy = 20
slot2@vm: LoadAvg = 1.416667
slot2@vm: TotalTimeUnclaimedIdle = 20
vm: ExpectedMachineGracefulDrainingBadput = 2480
vm: ExpectedMachineGracefulDrainingCompletion = 1795000620
vm: ExpectedMachineQuickDrainingBadput = 2480
vm: ExpectedMachineQuickDrainingCompletion = 1795000620
vm: TotalLoadAvg = 1.5
> wait 300
| SystemLoad: 0.250	- TotalCondorLoad: 0.000	= TotalOwnerLoad: 0.250
| slot1: Idle time: Keyboard: 77       Console: 0
| slot1: LoadAvg: 0.00  CondorLoad: 0.00  OwnerLoad: 0.00
| slot2: Idle time: Keyboard: 1520     Console: 1520
| slot2: LoadAvg: 0.25  CondorLoad: 0.00  OwnerLoad: 0.25
[Publish]
slot1@vm: CondorLoadAvg = 0.0
slot1@vm: LoadAvg = 0.0
slot1@vm: TotalClaimRunTime = 320
slot1@vm: TotalJobRunTime = 320
slot1@vm: TotalTimeClaimedBusy = 320
slot2@vm: LoadAvg = 0.25
slot2@vm: TotalTimeUnclaimedIdle = 320
vm: ExpectedMachineGracefulDrainingBadput = 3680
vm: ExpectedMachineGracefulDrainingCompletion = 1795000920
vm: ExpectedMachineQuickDrainingBadput = 3680
vm: ExpectedMachineQuickDrainingCompletion = 1795000920
vm: TotalCondorLoadAvg = 0.0
vm: TotalLoadAvg = 0.25

# With D_LOAD and D_KEYBOARD the log says what load and idle time the policy is decided by.
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
slot1@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
> usage c1 RemoteUserCpu=5.0
slot1@vm: CondorLoadAvg = 0.083333  CpusUsage = 0.5  LoadAvg = 0.083333
slot2@vm: LoadAvg = 0.166667
vm: TotalCondorLoadAvg = 0.083333
> wait 10 load_avg=1.5 keyboard_idle=3
| SystemLoad: 1.500	- TotalCondorLoad: 0.083	= TotalOwnerLoad: 1.417
| slot1: Idle time: Keyboard: 3        Console: 0
| slot1: LoadAvg: 0.08  CondorLoad: 0.08  OwnerLoad: 0.00
| slot2: Idle time: Keyboard: 1220     Console: 1220
| slot2: LoadAvg: 1.42  CondorLoad: 0.00  OwnerLoad: 1.42
[unpublished]
slot1@vm: TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedBusy = 20
slot2@vm: LoadAvg = 1.416667  TotalTimeUnclaimedIdle = 20
vm: TotalLoadAvg = 1.5
> wait 300
| SystemLoad: 0.250	- TotalCondorLoad: 0.000	= TotalOwnerLoad: 0.250
| slot1: Idle time: Keyboard: 77       Console: 0
| slot1: LoadAvg: 0.00  CondorLoad: 0.00  OwnerLoad: 0.00
| slot2: Idle time: Keyboard: 1520     Console: 1520
| slot2: LoadAvg: 0.25  CondorLoad: 0.00  OwnerLoad: 0.25
slot1@vm: CondorLoadAvg = 0.0  LoadAvg = 0.0  TotalClaimRunTime = 320  TotalJobRunTime = 320  TotalTimeClaimedBusy =
    320
slot2@vm: LoadAvg = 0.25  TotalTimeUnclaimedIdle = 320
vm: TotalCondorLoadAvg = 0.0  TotalLoadAvg = 0.25

# Benchmarks: once at the start, then by RunBenchmarks; figures are averaged.
> policy run_benchmarks="(LastBenchmark == 0) || ((time() - LastBenchmark) >= 3600)"
> static 2
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 4.00, Memory: 8000, Swap: 8192000, Disk: 37800000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
| slot1: State change: RunBenchmarks is TRUE
| slot1: Changing activity: Idle -> Benchmarking
| slot2: New Slot of type 1 allocated
| slot2: 	Cpus: 4.00, Memory: 8000, Swap: 8192000, Disk: 37800000, GPUs: 0
| slot2: State change: IS_OWNER is false
| slot2: Changing state: Owner -> Unclaimed
[StartBenchmarks]
[Publish]
> BenchmarksDone results="Mips:1000;KFlops:500;Other:\"x\""
| State change: benchmarks completed
| slot1: Changing activity: Benchmarking -> Idle
slot1@vm: Activity = "Idle"
vm: KFlops = 500  LastBenchmark = 1795000000  Mips = 1000  Other = "x"
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
> wait 3600
| slot1: State change: RunBenchmarks is TRUE
| slot1: Changing activity: Idle -> Benchmarking
[StartBenchmarks]
slot1@vm: Activity = "Benchmarking"  TotalTimeUnclaimedIdle = 3610
slot2@vm: TotalTimeUnclaimedIdle = 3610
> BenchmarksDone results="Mips:2000;KFlops:\"bad\""
| State change: benchmarks completed
| slot1: Changing activity: Benchmarking -> Idle
slot1@vm: Activity = "Idle"
vm: KFlops = "bad"  LastBenchmark = 1795003610  Mips = 1250
> wait 3600
| slot1: State change: RunBenchmarks is TRUE
| slot1: Changing activity: Idle -> Benchmarking
[StartBenchmarks]
slot1@vm: Activity = "Benchmarking"  TotalTimeUnclaimedIdle = 7210
slot2@vm: TotalTimeUnclaimedIdle = 7210
> claim slot1@vm
| slot1: Request accepted.
| slot1: Remote owner is alice@example.net
| slot1: Changing state and activity: Unclaimed/Benchmarking -> Claimed/Idle
| slot1: State change: claiming protocol successful
[EpEvent] number=104 name=EP_REQUEST_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"alice@example.net"'), ('Success', 'true'))
[StartStarter] claim=c1 slot_name=slot1@vm
[ClaimGranted] request_id=r1 claim=c1 slot_name=slot1@vm
slot1@vm: Activity = "Idle"  ClaimEndTime = 0  ClientMachine = "vm"  LoadAvg = 0.0  PublicClaimId =
    "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup = false  RemoteNegotiatingGroup = "<none>"  RemoteOwner =
    "alice@example.net"  RemoteScheddName = "vm"  RemoteUser = "alice@example.net"  State = "Claimed"
slot2@vm: LoadAvg = 0.25
vm: ClaimRequests = 1
> BenchmarksDone results="Mips:100"
| State change: benchmarks completed
vm: LastBenchmark = 1795007210  Mips = 962

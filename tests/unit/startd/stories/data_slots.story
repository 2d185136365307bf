# Common files: a claim becomes a data slot, shows its catalogs, keeps the disk of the files; jobs of its owner find them.
> gpus 2
>> start
>> claim slot1@vm RequestDisk=2048 RequestGPUs=1
> ready c1
> stage c1 1.-1000
| command_data_slot(): authenticated via MATCH.
| data1_1: New data slot
| data1_1: Got activate_claim request from shadow (127.0.0.1)
| data1_1: Remote job ID is 1.-1000
| data1_1: Got universe "VANILLA" (5) from request classad
| data1_1: State change: claim-activation protocol successful, Starter 4711
| data1_1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 1) attributes=(('JobId', '"1.-1000"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=1.-1000 run=1
data1_1@vm: new
slot1_1@vm: gone
vm: ActivationRequests = 1  JobStarts = 1  RecentJobStarts = 1
> staged c1 A B
[FilesStaged] claim=c1
data1_1@vm: Cpus = 0  Disk = 300  DiskUsage = 300  GPUs = 0  Memory = 0  TotalSlotCpus = 0  TotalSlotDisk = 300.0
    TotalSlotGPUs = 0  TotalSlotMemory = 0  catalog_1 = [ id = "catalog_1"; Catalog = "A"; CatalogID = "idA";
    AccessPoint = "ap"; CatalogPath = "/execute/A"; CatalogSize = 100; CatalogScope = "1"; CatalogScopeType =
    "ClusterId" ]  catalog_2 = [ id = "catalog_2"; Catalog = "B"; CatalogID = "idB"; AccessPoint = "ap"; CatalogPath
    = "/execute/B"; CatalogSize = 200; CatalogScope = "1"; CatalogScopeType = "ClusterId" ]  catalogs = {
    catalog_1,catalog_2 }  -AssignedGPUs  -AvailableGPUs
slot1@vm: AvailableGPUs = { GPUs_GPU_0,GPUs_GPU_1 }  Cpus = 8  Disk = 75599700  GPUs = 2  Memory = 16000  catalog_1
    = [ id = "catalog_1"; Catalog = "A"; CatalogID = "idA"; AccessPoint = "ap"; CatalogPath = "/execute/A";
    CatalogSize = 100; CatalogScope = "1"; CatalogScopeType = "ClusterId" ]  catalog_2 = [ id = "catalog_2"; Catalog
    = "B"; CatalogID = "idB"; AccessPoint = "ap"; CatalogPath = "/execute/B"; CatalogSize = 200; CatalogScope = "1";
    CatalogScopeType = "ClusterId" ]  catalogs = { catalog_1,catalog_2 }
> staged c1 A
> ads data1_1@vm Cpus Memory Disk Name SlotType DiskUsage
Cpus = 0
Memory = 0
Disk = 300
Name = "data1_1@vm"
SlotType = "Dynamic"
DiskUsage = 300
>> claim slot1@vm RequestDisk=1024
>> ready c2
> run-with c2 1.0 A B
| slot1_2: Got activate_claim request from shadow (127.0.0.1)
| slot1_2: Remote job ID is 1.0
| slot1_2: Got universe "VANILLA" (5) from request classad
| slot1_2: State change: claim-activation protocol successful, Starter 4711
| slot1_2: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 2) attributes=(('JobId', '"1.0"'), ('RemoteUser', '"alice@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=1.0 run=1 common=('/execute/A', '/execute/B')
slot1_2@vm: Activity = "Busy"  CpusUsage = 0.0  GlobalJobId = "vm#1.0#1"  JobId = "1.0"  JobStart = 1795000000
    JobUniverse = 5  StarterPid = 4711
vm: ActivationRequests = 2  JobStarts = 2  RecentJobStarts = 2
> end c2 1.0 exit_code=0
| slot1_2: Received final job ClassAd update from starter.
| slot1_2: Changing activity: Busy -> Cleaning
| slot1_2: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c2 job=1.0 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 2) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000000
    ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "slot1_2@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
slot1_2@vm: Activity = "Idle"  -CpusUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -StarterPid
> run-with c2 2.0 C
| slot1_2: activate_claim refused: The common files of the job are not there any more
[RunEnded] claim_id=c2 job=2.0 run=1 error=The common files of the job are not there any more
[unpublished]
vm: ActivationRequests = 3
>> claim slot1@vm RequestDisk=1024 by=bob
>> ready c3
> run-with c3 3.0 A
| slot1_3: activate_claim refused: The common files of the job are not there any more
[RunEnded] claim_id=c3 job=3.0 run=1 error=The common files of the job are not there any more
[unpublished]
vm: ActivationRequests = 4
> stage c3 3.-1000
| command_data_slot(): authenticated via MATCH.
| data1_3: New data slot
| data1_3: Got activate_claim request from shadow (127.0.0.1)
| data1_3: Remote job ID is 3.-1000
| data1_3: Got universe "VANILLA" (5) from request classad
| data1_3: State change: claim-activation protocol successful, Starter 4711
| data1_3: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 3) attributes=(('JobId', '"3.-1000"'), ('RemoteUser', '"bob@example.net"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c3 job=3.-1000 run=1
data1_3@vm: new
slot1_3@vm: gone
vm: ActivationRequests = 5  JobStarts = 3  RecentJobStarts = 3
> stage c3 3.-1000
| data1_3: activate_claim refused: Slot is not idle
[RunEnded] claim_id=c3 job=3.-1000 run=1 error=Slot is not idle
[unpublished]
vm: ActivationRequests = 6
> end c1 1.-1000 exit_code=0
| data1_1: Received final job ClassAd update from starter.
| data1_1: Changing activity: Busy -> Cleaning
| data1_1: Changing activity: Cleaning -> Idle
[RunEnded] claim_id=c1 job=1.-1000 run=1
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 1) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000000  DiskUsage =
    300  ExitBySignal = false  ExitCode = 0  GlobalJobId = "vm#1.0#1"  JobStatus = 4  JobUniverse = 5  RemoteHost =
    "data1_1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 0  RequestCpus = 1  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0  User = "alice@example.net"
data1_1@vm: Activity = "Idle"  -CpusUsage  -DiskUsage  -GlobalJobId  -JobId  -JobStart  -JobUniverse  -StarterPid
> run-with c2 4.0 A
| slot1_2: activate_claim refused: The common files of the job are not there any more
[RunEnded] claim_id=c2 job=4.0 run=1 error=The common files of the job are not there any more
[unpublished]
vm: ActivationRequests = 7
> ReleaseClaim claim=c1
| data1_1: State change: received RELEASE_CLAIM command
| data1_1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| data1_1: State change: No preempting claim, returning to owner
| data1_1: Changing state and activity: Preempting/Killing -> Owner/Idle
| data1_1: State change: IS_OWNER is false
| data1_1: Changing state: Owner -> Unclaimed
| data1_1: Slot data1_1 no longer needed, deleting
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 1) attributes=(('Success', 'true'),)
[StopStarter] claim=c1
data1_1@vm: gone
data1_3@vm: -catalog_1  -catalog_2  -catalogs
slot1@vm: ChildState = { "Claimed","Claimed" }  Disk = 75597952  NumDynamicSlots = 2  -catalog_1  -catalog_2
    -catalogs
slot1_2@vm: -catalog_1  -catalog_2  -catalogs
vm: TotalSlots = 3

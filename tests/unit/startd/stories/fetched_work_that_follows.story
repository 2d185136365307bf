# When fetched work ends, the claim asks for more at once, and goes when there is none.
> hooks keyword=HOOK fetch_work=/fetch reply_fetch=/reply evict_claim=/evict
> policy hook_keyword=HOOK fetch_work_delay=0
> partitionable
> start
| slot1: New pSlot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[FetchWork] slot_name=slot1@vm program=/fetch
[Publish]
> WorkFetched slot=slot1@vm job="Owner:\"hal\";RequestCpus:2;RequestMemory:100;RequestDisk:10"
| slot1_1: New dSlot of type 1 allocated
| slot1_1: 	Cpus: 2.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0
| slot1_1: State change: Finished fetching work successfully
| slot1_1: Remote owner is hal
| slot1_1: Changing state: Owner -> Claimed
| slot1_1: State change: claiming protocol successful
[StartStarter] claim=c1 slot_name=slot1_1@vm
[FetchedJob] claim=c1 job=0.0 run=1
[ReplyFetch] program=/reply accept=True claim=c1
slot1@vm: ChildState = { "Claimed" }  Cpus = 6  Disk = 75598976  LastFetchWorkCompleted = 1795000000  Memory = 15872
    NumDynamicSlots = 1
slot1_1@vm: new
vm: TotalSlots = 2
> ready c1
| slot1_1: Got activate_claim request from shadow (127.0.0.1)
| slot1_1: Remote job ID is 0.0
| slot1_1: Got universe "VANILLA" (5) from request classad
| slot1_1: State change: claim-activation protocol successful, Starter 4711
| slot1_1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 1) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"hal"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=0.0 run=1
slot1_1@vm: Activity = "Busy"  CpusUsage = 0.0  JobStart = 1795000000  StarterPid = 4711
vm: JobStarts = 1  RecentJobStarts = 1
> started c1
[unpublished]
slot1_1@vm: JobPid = 5000
> wait 10
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000010  TotalTimeUnclaimedIdle = 10
slot1_1@vm: TotalClaimRunTime = 10  TotalJobRunTime = 10  TotalTimeClaimedBusy = 10
> end-fetched c1 exit_code=0
| slot1_1: Received final job ClassAd update from starter.
| slot1_1: Changing activity: Busy -> Cleaning
| slot1_1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 1) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000010
    ExitBySignal = false  ExitCode = 0  HookKeyword = "HOOK"  JobStatus = 4  Owner = "hal"  RemoteHost =
    "slot1_1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 10  RequestCpus = 2  RequestDisk =
    1024  RequestMemory = 128  StarterExitStatus = 0
[FetchWork] slot_name=slot1_1@vm program=/fetch
slot1_1@vm: Activity = "Idle"  LastFetchWorkSpawned = 1795000010  NextFetchWorkDelay = 0  -CpusUsage  -JobPid
    -JobStart  -StarterPid  -TotalJobRunTime
> WorkFetched slot=slot1_1@vm job="Owner:\"hal\";RequestCpus:1;RequestMemory:100;RequestDisk:10"
| slot1_1: Got activate_claim request from shadow (127.0.0.1)
| slot1_1: Remote job ID is 0.0
| slot1_1: Got universe "VANILLA" (5) from request classad
| slot1_1: State change: claim-activation protocol successful, Starter 4711
| slot1_1: Changing activity: Idle -> Busy
[FetchedJob] claim=c1 job=0.0 run=2
[ReplyFetch] program=/reply accept=True claim=c1
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 1) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"hal"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=0.0 run=2
slot1_1@vm: Activity = "Busy"  CpusUsage = 0.0  JobStart = 1795000010  LastFetchWorkCompleted = 1795000010
    StarterPid = 4711
vm: JobStarts = 2  RecentJobStarts = 2
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 20
slot1_1@vm: TotalClaimRunTime = 20  TotalJobRunTime = 10  TotalTimeClaimedBusy = 20
> end-fetched c1 exit_code=0
| slot1_1: Received final job ClassAd update from starter.
| slot1_1: Changing activity: Busy -> Cleaning
| slot1_1: Changing activity: Cleaning -> Idle
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(1, 1) attributes=(('Force', 'true'), ('JobDone', 'true'), ('Success', 'true'))
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = false  CompletionDate = 1795000020
    ExitBySignal = false  ExitCode = 0  HookKeyword = "HOOK"  JobStatus = 4  Owner = "hal"  RemoteHost =
    "slot1_1@vm"  RemoteSysCpu = 0.0  RemoteUserCpu = 0.0  RemoteWallClockTime = 10  RequestCpus = 1  RequestDisk =
    10  RequestMemory = 100  StarterExitStatus = 0
[FetchWork] slot_name=slot1_1@vm program=/fetch
slot1_1@vm: Activity = "Idle"  LastFetchWorkSpawned = 1795000020  -CpusUsage  -JobStart  -StarterPid
    -TotalJobRunTime
> WorkFetched slot=slot1_1@vm job=
| slot1_1: Changing state and activity: Claimed/Idle -> Preempting/Vacating
| slot1_1: State change: No preempting claim, returning to owner
| slot1_1: Changing state and activity: Preempting/Vacating -> Owner/Idle
| slot1_1: State change: IS_OWNER is false
| slot1_1: Changing state: Owner -> Unclaimed
| slot1_1: Slot slot1_1 no longer needed, deleting
[StopStarter] claim=c1
slot1@vm: ChildState = {  }  Cpus = 8  Disk = 75600000  Memory = 16000  NumDynamicSlots = 0  NumDynamicSlotsTime =
    1795000020
slot1_1@vm: gone
vm: TotalSlots = 1
> WorkFetched slot=slot1@vm job="Owner:\"hal\";RequestCpus:99"
| slot1: the job requests no memory or no disk
[ReplyFetch] program=/reply accept=False
slot1@vm: LastFetchWorkCompleted = 1795000020
> Drain
| Initiating graceful draining.
| slot1: eval_policy state should be: Drained/Retiring 17 entering Drained state (from unclaimed)
| slot1: State change: entering Drained state (from unclaimed).
| slot1: Changing state and activity: Unclaimed/Idle -> Drained/Retiring
| slot1: eval_policy state should be: Drained/Idle 20 draining is complete
| slot1: State change: draining is complete.
| slot1: Changing activity: Retiring -> Idle
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000020.0  how: graceful  last_start:
    1795000020  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 0.0
[DrainReply] ok=True request_id=1 error_code=0
slot1@vm: EnteredCurrentActivity = 1795000020  Requirements = false  Start = false  State = "Drained"
vm: DrainReason = "by command"  Draining = true  DrainingRequestId = "1"  LastDrainStartTime = 1795000020
> wait 500
[RememberDrain] active: True  badput: 0.0  boot_time: 0  counted_until: 1795000520.0  how: graceful  last_start:
    1795000020  last_stop: 0  on_completion: nothing  reason: by command  request_id: 1  requests: 1  start:
    unclaimed: 4000.0
[Publish]
slot1@vm: TotalTimeDrainedIdle = 500
vm: TotalMachineDrainingUnclaimedTime = 4000

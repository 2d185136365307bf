# Work that hooks fetch: taken, refused, preempted by better work, evicted.
> hooks keyword=HOOK fetch_work=/fetch reply_fetch=/reply evict_claim=/evict
> policy hook_keyword=HOOK rank="TARGET.Good ?: 0" fetch_work_delay="Activity == \"Idle\" ? 60 : 20" start="TARGET.Bad =!= true" machine_max_vacate_time=10
> static 1
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[FetchWork] slot_name=slot1@vm program=/fetch
[Publish]
> WorkFetched slot=slot1@vm job=
slot1@vm: LastFetchWorkCompleted = 1795000000
> wake
in 60 s
> wait 59
slot1@vm: TotalTimeUnclaimedIdle = 59
> wait 1
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000060  TotalTimeUnclaimedIdle = 60
> WorkFetched slot=slot1@vm job="Bad:true"
| slot1: Slot Requirements not satisfied: START is not true
[ReplyFetch] program=/reply accept=False
slot1@vm: LastFetchWorkCompleted = 1795000060
> wait 60
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000120  TotalTimeUnclaimedIdle = 120
> WorkFetched slot=slot1@vm job="Owner:\"hal\";Good:1;JobUniverse:5"
| slot1: State change: Finished fetching work successfully
| slot1: Remote owner is hal
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[StartStarter] claim=c1 slot_name=slot1@vm
[FetchedJob] claim=c1 job=0.0 run=1
[ReplyFetch] program=/reply accept=True claim=c1
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  CurrentRank = 1.0  EnteredCurrentActivity = 1795000120
    LastFetchWorkCompleted = 1795000120  PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup =
    false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "hal"  RemoteScheddName = "vm"  RemoteUser = "hal"
    State = "Claimed"
> ready c1
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 0.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"hal"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=0.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  JobStart = 1795000120  JobUniverse = 5  StarterPid = 4711
vm: JobStarts = 1  RecentJobStarts = 1
> started c1
[unpublished]
slot1@vm: JobPid = 5000
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000140  NextFetchWorkDelay = 20  TotalClaimRunTime = 20  TotalJobRunTime = 20
    TotalTimeClaimedBusy = 20
> WorkFetched slot=slot1@vm job="Owner:\"ian\";Good:1"
| slot1: Fetched claim doesn't have sufficient rank, refusing.
[ReplyFetch] program=/reply accept=False
slot1@vm: LastFetchWorkCompleted = 1795000140
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000160  TotalClaimRunTime = 40  TotalJobRunTime = 40  TotalTimeClaimedBusy = 40
> WorkFetched slot=slot1@vm job="Owner:\"jim\";Good:2"
| slot1: State change: preempting claim based on machine rank of fetched work.
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[ReplyFetch] program=/reply accept=True claim=c1
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
[EvictFetched] program=/evict claim=c1
[SoftKill] claim=c1 code=1018
slot1@vm: Activity = "Vacating"  LastFetchWorkCompleted = 1795000160  PreemptingOwner = "jim"  PreemptingRank = 2.0
    PreemptingUser = "jim"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  JobRankPreemptions = 1  RecentJobPreemptions = 1  RecentJobRankPreemptions = 1
> wait 5
slot1@vm: TotalClaimRunTime = 45  TotalJobRunTime = 45  TotalTimePreemptingVacating = 5
> wait 5
| slot1[0.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: TotalClaimRunTime = 50  TotalJobRunTime = 50  TotalTimePreemptingVacating = 10
> end c1 1.0 vacated=True exit_signal=15
| slot1: report of job 1.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=1.0 run=1 exit_signal=15 vacated=True
> starter-gone c1 0
| Starter pid 4711 exited with status 0
| slot1: State change: preempting claim exists - going to Claimed state
| slot1: Remote owner is jim
| slot1: Changing state and activity: Preempting/Vacating -> Claimed/Idle
| slot1: State change: claiming protocol successful
[RunOver] BadputCausedByDraining = false  BadputCausedByPreemption = true  CompletionDate = 1795000170  Good = 1
    HookKeyword = "HOOK"  JobStatus = 4  JobUniverse = 5  Owner = "hal"  RemoteHost = "slot1@vm"
    RemoteWallClockTime = 50  RequestCpus = 1  RequestDisk = 1  RequestMemory = 1  StarterExitStatus = 0
    VacateReason = "Preempted for a higher Ranked job"  VacateReasonCode = 1018  VacateReasonSubCode = 0
[StartStarter] claim=c2 slot_name=slot1@vm
[FetchedJob] claim=c2 job=0.0 run=1
slot1@vm: Activity = "Idle"  CurrentRank = 2.0  PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."  RemoteOwner =
    "jim"  RemoteUser = "jim"  Requirements = Start && WithinResourceLimits  State = "Claimed"  -CpusUsage  -JobPid
    -JobStart  -JobUniverse  -PreemptingOwner  -PreemptingRank  -PreemptingUser  -StarterPid  -TotalClaimRunTime
    -TotalJobRunTime
> ready c2
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 0.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"jim"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=0.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  JobStart = 1795000170  StarterPid = 4711
vm: JobStarts = 2  RecentJobStarts = 2
> started c2
[unpublished]
slot1@vm: JobPid = 5000
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000190  TotalClaimRunTime = 20  TotalJobRunTime = 20  TotalTimeClaimedBusy = 60
> WorkFetched slot=slot9@vm job=
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[EvictFetched] program=/evict claim=c2
[SoftKill] claim=c2 code=1010
slot1@vm: Activity = "Vacating"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 2  RecentJobPreemptions = 2
> wait 10
| slot1[0.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: TotalClaimRunTime = 30  TotalJobRunTime = 30  TotalTimePreemptingVacating = 20
> WorkFetched slot=slot1@vm job="Owner:\"kim\";Good:9"
| slot1: Rejecting new fetchwork; still preempting the previous job.
[ReplyFetch] program=/reply accept=False
slot1@vm: LastFetchWorkCompleted = 1795000200
> wait 1
slot1@vm: TotalClaimRunTime = 31  TotalJobRunTime = 31  TotalTimePreemptingVacating = 21
> Shutdown how=fast
| shutdown fast
| slot1: Changing activity: Vacating -> Killing
slot1@vm: Activity = "Killing"  Start = false

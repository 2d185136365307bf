# Work that hooks fetch: taken, refused, preempted by better work, evicted.
> hooks keyword=HOOK fetch_work=/fetch reply_fetch=/reply evict_claim=/evict
> policy hook_keyword=HOOK rank="TARGET.Good ?: 0" fetch_work_delay="Activity == \"Idle\" ? 60 : 20" start="TARGET.Bad =!= true" machine_max_vacate_time=10
> static 1
> start
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
[FetchWork] slot_name=slot1@vm program=/fetch
> WorkFetched slot=slot1@vm job=
[Publish]
slot1@vm: LastFetchWorkCompleted = 1795000000
> wake
in 60 s
> wait 59
slot1@vm: TotalTimeUnclaimedIdle = 59
vm: ExpectedMachineGracefulDrainingCompletion = 1795000059
vm: ExpectedMachineQuickDrainingCompletion = 1795000059
> wait 1
[FetchWork] slot_name=slot1@vm program=/fetch
slot1@vm: LastFetchWorkSpawned = 1795000060
slot1@vm: TotalTimeUnclaimedIdle = 60
vm: ExpectedMachineGracefulDrainingCompletion = 1795000060
vm: ExpectedMachineQuickDrainingCompletion = 1795000060
> WorkFetched slot=slot1@vm job="Bad:true"
| slot1: Slot Requirements not satisfied: START is not true
[ReplyFetch] program=/reply accept=False
[Publish]
slot1@vm: LastFetchWorkCompleted = 1795000060
> wait 60
[FetchWork] slot_name=slot1@vm program=/fetch
slot1@vm: LastFetchWorkSpawned = 1795000120
slot1@vm: TotalTimeUnclaimedIdle = 120
vm: ExpectedMachineGracefulDrainingCompletion = 1795000120
vm: ExpectedMachineQuickDrainingCompletion = 1795000120
> WorkFetched slot=slot1@vm job="Owner:\"hal\";Good:1;JobUniverse:5"
| slot1: State change: Finished fetching work successfully
| slot1: Remote owner is hal
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[StartStarter] claim_id=c1 slot_name=slot1@vm
[FetchedJob] claim_id=c1 job=0.0 run=1
[Publish]
[ReplyFetch] program=/reply accept=True claim_id=c1
slot1@vm: ClaimEndTime = 0
slot1@vm: ClientMachine = "vm"
slot1@vm: CurrentRank = 1.0
slot1@vm: EnteredCurrentActivity = 1795000120
slot1@vm: EnteredCurrentState = 1795000120
slot1@vm: LastFetchWorkCompleted = 1795000120
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."
slot1@vm: RemoteAutoregroup = false
slot1@vm: RemoteNegotiatingGroup = "<none>"
slot1@vm: RemoteOwner = "hal"
slot1@vm: RemoteScheddName = "vm"
slot1@vm: RemoteUser = "hal"
slot1@vm: State = "Claimed"
> ready c1
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 0.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"hal"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=0.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: JobStart = 1795000120
slot1@vm: JobUniverse = 5
slot1@vm: StarterPid = 4711
vm: ExpectedMachineGracefulDrainingBadput = 80
vm: ExpectedMachineGracefulDrainingCompletion = 1795000130
vm: ExpectedMachineQuickDrainingBadput = 80
vm: ExpectedMachineQuickDrainingCompletion = 1795000130
vm: JobStarts = 1
vm: RecentJobStarts = 1
> started c1
slot1@vm: JobPid = 5000
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
slot1@vm: LastFetchWorkSpawned = 1795000140
slot1@vm: NextFetchWorkDelay = 20
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimeClaimedBusy = 20
vm: ExpectedMachineGracefulDrainingBadput = 240
vm: ExpectedMachineGracefulDrainingCompletion = 1795000150
vm: ExpectedMachineQuickDrainingBadput = 240
vm: ExpectedMachineQuickDrainingCompletion = 1795000150
> WorkFetched slot=slot1@vm job="Owner:\"ian\";Good:1"
| slot1: Fetched claim doesn't have sufficient rank, refusing.
[ReplyFetch] program=/reply accept=False
[Publish]
slot1@vm: LastFetchWorkCompleted = 1795000140
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
slot1@vm: LastFetchWorkSpawned = 1795000160
slot1@vm: TotalClaimRunTime = 40
slot1@vm: TotalJobRunTime = 40
slot1@vm: TotalTimeClaimedBusy = 40
vm: ExpectedMachineGracefulDrainingBadput = 400
vm: ExpectedMachineGracefulDrainingCompletion = 1795000170
vm: ExpectedMachineQuickDrainingBadput = 400
vm: ExpectedMachineQuickDrainingCompletion = 1795000170
> WorkFetched slot=slot1@vm job="Owner:\"jim\";Good:2"
| slot1: State change: preempting claim based on machine rank of fetched work.
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[ReplyFetch] program=/reply accept=True claim_id=c1
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
[Publish]
[EvictFetched] program=/evict claim_id=c1
[SoftKill] claim=c1 code=1018
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000160
slot1@vm: EnteredCurrentState = 1795000160
slot1@vm: LastFetchWorkCompleted = 1795000160
slot1@vm: PreemptingOwner = "jim"
slot1@vm: PreemptingRank = 2.0
slot1@vm: PreemptingUser = "jim"
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
vm: JobPreemptions = 1
vm: JobRankPreemptions = 1
vm: RecentJobPreemptions = 1
vm: RecentJobRankPreemptions = 1
> wait 5
slot1@vm: TotalClaimRunTime = 45
slot1@vm: TotalJobRunTime = 45
slot1@vm: TotalTimePreemptingVacating = 5
vm: ExpectedMachineGracefulDrainingBadput = 440
vm: ExpectedMachineGracefulDrainingCompletion = 1795000175
vm: ExpectedMachineQuickDrainingBadput = 440
vm: ExpectedMachineQuickDrainingCompletion = 1795000175
> wait 5
| slot1[0.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c1
slot1@vm: TotalClaimRunTime = 50
slot1@vm: TotalJobRunTime = 50
slot1@vm: TotalTimePreemptingVacating = 10
vm: ExpectedMachineGracefulDrainingBadput = 480
vm: ExpectedMachineGracefulDrainingCompletion = 1795000180
vm: ExpectedMachineQuickDrainingBadput = 480
vm: ExpectedMachineQuickDrainingCompletion = 1795000180
> end c1 1.0 vacated=True exit_signal=15
| slot1: report of job 1.0 run 1 belongs to no run of this claim, ignored
> starter-gone c1 0
| Starter pid 4711 exited with status 0
| slot1: State change: preempting claim exists - going to Claimed state
| slot1: Remote owner is jim
| slot1: Changing state and activity: Preempting/Vacating -> Claimed/Idle
| slot1: State change: claiming protocol successful
[RunOver]
    BadputCausedByDraining = false
    BadputCausedByPreemption = true
    CompletionDate = 1795000170
    Good = 1
    HookKeyword = "HOOK"
    JobStatus = 4
    JobUniverse = 5
    Owner = "hal"
    RemoteHost = "slot1@vm"
    RemoteWallClockTime = 50
    RequestCpus = 1
    RequestDisk = 1
    RequestMemory = 1
    StarterExitStatus = 0
    VacateReason = "Preempted for a higher Ranked job"
    VacateReasonCode = 1018
    VacateReasonSubCode = 0
[Publish]
[StartStarter] claim_id=c2 slot_name=slot1@vm
[FetchedJob] claim_id=c2 job=0.0 run=1
slot1@vm: Activity = "Idle"
slot1@vm: CurrentRank = 2.0
slot1@vm: EnteredCurrentActivity = 1795000170
slot1@vm: EnteredCurrentState = 1795000170
slot1@vm: PublicClaimId = "<127.0.0.1:9618>#1795000000#2#..."
slot1@vm: RemoteOwner = "jim"
slot1@vm: RemoteUser = "jim"
slot1@vm: Requirements = Start && WithinResourceLimits
slot1@vm: State = "Claimed"
slot1@vm: - CpusUsage
slot1@vm: - JobPid
slot1@vm: - JobStart
slot1@vm: - JobUniverse
slot1@vm: - PreemptingOwner
slot1@vm: - PreemptingRank
slot1@vm: - PreemptingUser
slot1@vm: - StarterPid
slot1@vm: - TotalClaimRunTime
slot1@vm: - TotalJobRunTime
vm: ExpectedMachineGracefulDrainingBadput = 0
vm: ExpectedMachineGracefulDrainingCompletion = 1795000170
vm: ExpectedMachineQuickDrainingBadput = 0
vm: ExpectedMachineQuickDrainingCompletion = 1795000170
> ready c2
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 0.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"jim"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c2 job=0.0 run=1
[Publish]
slot1@vm: Activity = "Busy"
slot1@vm: CpusUsage = 0.0
slot1@vm: JobStart = 1795000170
slot1@vm: StarterPid = 4711
vm: ExpectedMachineGracefulDrainingBadput = 80
vm: ExpectedMachineGracefulDrainingCompletion = 1795000180
vm: ExpectedMachineQuickDrainingBadput = 80
vm: ExpectedMachineQuickDrainingCompletion = 1795000180
vm: JobStarts = 2
vm: RecentJobStarts = 2
> started c2
slot1@vm: JobPid = 5000
> wait 20
[FetchWork] slot_name=slot1@vm program=/fetch
slot1@vm: LastFetchWorkSpawned = 1795000190
slot1@vm: TotalClaimRunTime = 20
slot1@vm: TotalJobRunTime = 20
slot1@vm: TotalTimeClaimedBusy = 60
vm: ExpectedMachineGracefulDrainingBadput = 240
vm: ExpectedMachineGracefulDrainingCompletion = 1795000200
vm: ExpectedMachineQuickDrainingBadput = 240
vm: ExpectedMachineQuickDrainingCompletion = 1795000200
> WorkFetched slot=slot9@vm job=
> Vacate slot=slot1@vm
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1010'), ('Reason', '"Claim vacated by the administrator"'))
[Publish]
[EvictFetched] program=/evict claim_id=c2
[SoftKill] claim=c2 code=1010
slot1@vm: Activity = "Vacating"
slot1@vm: EnteredCurrentActivity = 1795000190
slot1@vm: EnteredCurrentState = 1795000190
slot1@vm: Requirements = false
slot1@vm: State = "Preempting"
vm: JobPreemptions = 2
vm: RecentJobPreemptions = 2
> wait 10
| slot1[0.0]: max vacate time expired.  Escalating to a fast shutdown of the job.
[HardKill] claim=c2
slot1@vm: TotalClaimRunTime = 30
slot1@vm: TotalJobRunTime = 30
slot1@vm: TotalTimePreemptingVacating = 20
vm: ExpectedMachineGracefulDrainingBadput = 320
vm: ExpectedMachineGracefulDrainingCompletion = 1795000210
vm: ExpectedMachineQuickDrainingBadput = 320
vm: ExpectedMachineQuickDrainingCompletion = 1795000210
> WorkFetched slot=slot1@vm job="Owner:\"kim\";Good:9"
| slot1: Rejecting new fetchwork; still preempting the previous job.
[ReplyFetch] program=/reply accept=False
[Publish]
slot1@vm: LastFetchWorkCompleted = 1795000200
> wait 1
slot1@vm: TotalClaimRunTime = 31
slot1@vm: TotalJobRunTime = 31
slot1@vm: TotalTimePreemptingVacating = 21
vm: ExpectedMachineGracefulDrainingBadput = 328
vm: ExpectedMachineGracefulDrainingCompletion = 1795000211
vm: ExpectedMachineQuickDrainingBadput = 328
vm: ExpectedMachineQuickDrainingCompletion = 1795000211
> Shutdown how=fast
| shutdown fast
| slot1: Changing activity: Vacating -> Killing
[Publish]
slot1@vm: Activity = "Killing"
slot1@vm: EnteredCurrentActivity = 1795000201
slot1@vm: Start = false

# A hook that fetches work but wants no reply; what is too big; a better job than the one that runs; and one for an idle claim.
> hooks keyword=X fetch_work=/f
> policy hook_keyword=X rank=TARGET.Prio fetch_work_delay=0
> static 1
>> start
>> wait 1
> WorkFetched slot=slot1@vm job="Owner:\"bob\";RequestMemory:99999999"
| slot1: Not enough Memory (99983999 short)
slot1@vm: LastFetchWorkCompleted = 1795000001
>> wait 1
> WorkFetched slot=slot1@vm job="Owner:\"bob\";Prio:1"
| slot1: State change: Finished fetching work successfully
| slot1: Remote owner is bob
| slot1: Changing state: Unclaimed -> Claimed
| slot1: State change: claiming protocol successful
[StartStarter] claim=c1 slot_name=slot1@vm
[FetchedJob] claim=c1 job=0.0 run=1
slot1@vm: ClaimEndTime = 0  ClientMachine = "vm"  CurrentRank = 1.0  EnteredCurrentActivity = 1795000002
    LastFetchWorkCompleted = 1795000002  PublicClaimId = "<127.0.0.1:9618>#1795000000#1#..."  RemoteAutoregroup =
    false  RemoteNegotiatingGroup = "<none>"  RemoteOwner = "bob"  RemoteScheddName = "vm"  RemoteUser = "bob"
    State = "Claimed"
> ready c1
| slot1: Got activate_claim request from shadow (127.0.0.1)
| slot1: Remote job ID is 0.0
| slot1: Got universe "VANILLA" (5) from request classad
| slot1: State change: claim-activation protocol successful, Starter 4711
| slot1: Changing activity: Idle -> Busy
[EpEvent] number=106 name=EP_ACTIVATE_CLAIM where=(1, 0) attributes=(('JobId', '"0.0"'), ('RemoteUser', '"bob"'), ('StarterPid', '4711'), ('Success', 'true'))
[StartJob] claim=c1 job=0.0 run=1
slot1@vm: Activity = "Busy"  CpusUsage = 0.0  JobStart = 1795000002  StarterPid = 4711
vm: JobStarts = 1  RecentJobStarts = 1
> wait 1
[FetchWork] slot_name=slot1@vm program=/f
[unpublished]
slot1@vm: LastFetchWorkSpawned = 1795000003  TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimeClaimedBusy = 1
> WorkFetched slot=slot1@vm job="Owner:\"carl\";Prio:1"
| slot1: Fetched claim doesn't have sufficient rank, refusing.
slot1@vm: LastFetchWorkCompleted = 1795000003
>> wait 1
> WorkFetched slot=slot1@vm job="Owner:\"carl\";Prio:2"
| slot1: State change: preempting claim based on machine rank of fetched work.
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1018'), ('Reason', '"Preempted for a higher Ranked job"'))
[SoftKill] claim=c1 code=1018
slot1@vm: Activity = "Vacating"  LastFetchWorkCompleted = 1795000004  PreemptingOwner = "carl"  PreemptingRank = 2.0
    PreemptingUser = "carl"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  JobRankPreemptions = 1  RecentJobPreemptions = 1  RecentJobRankPreemptions = 1
> withdraw

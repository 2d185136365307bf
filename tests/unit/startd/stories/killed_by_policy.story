# KILL is asked of what is on its way out only, and a job that is asked to leave already is not asked again.
> with killing_timeout=20
> policy machine_max_vacate_time="60" kill="TotalLoadAvg > 5"
> static 2
>> start
>> claim slot1@vm
>> ready c1
>> run c1 1.0
>> claim slot2@vm
>> ready c2
>> run c2 2.0
> wait 1 load_avg=6.0
[unpublished]
slot1@vm: LoadAvg = 4.0  TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimeClaimedBusy = 1
slot2@vm: LoadAvg = 2.0  TotalClaimRunTime = 1  TotalJobRunTime = 1  TotalTimeClaimedBusy = 1
vm: TotalLoadAvg = 6.0
> Deactivate claim=c2 graceful=True code=1 reason=enough
| slot2: Called deactivate_claim()
[EpEvent] number=107 name=EP_DEACTIVATE_CLAIM where=(2, 0) attributes=(('Force', 'false'), ('Success', 'true'))
[SoftKill] claim=c2 code=1
> Vacate slot=slot2@vm graceful=True code=1007 reason=why
| slot2: State change: received VACATE_CLAIM command
| slot2: Changing activity: Busy -> Retiring
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(2, 0) attributes=(('Code', '1007'), ('Reason', '"why"'))
slot2@vm: Activity = "Retiring"
> Vacate slot=slot1@vm graceful=True code=1007 reason=why
| slot1: State change: received VACATE_CLAIM command
| slot1: Changing activity: Busy -> Retiring
| slot1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired
| slot1: State change: claim retirement ended/expired.
| slot1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating
[EpEvent] number=108 name=EP_VACATE_CLAIM where=(1, 0) attributes=(('Code', '1007'), ('Reason', '"why"'))
[SoftKill] claim=c1 code=1007
slot1@vm: Activity = "Vacating"  Requirements = false  State = "Preempting"
vm: JobPreemptions = 1  RecentJobPreemptions = 1
> wait 1 load_avg=6.0
| slot1: eval_policy state should be: Preempting/Killing 14 KILL is TRUE
| slot1: State change: KILL is TRUE.
| slot1: Changing activity: Vacating -> Killing
[HardKill] claim=c1
[unpublished]
slot1@vm: Activity = "Killing"  TotalClaimRunTime = 2  TotalJobRunTime = 2  TotalTimePreemptingVacating = 1
slot2@vm: TotalClaimRunTime = 2  TotalJobRunTime = 2  TotalTimeClaimedRetiring = 1
> wake
in 20 s
> wait 20 load_avg=6.0
| slot1[1.0]: starter (pid 4711) is not responding to the request to hardkill its job
[KillStarter] claim=c1
slot1@vm: TotalClaimRunTime = 22  TotalJobRunTime = 22  TotalTimePreemptingKilling = 20
slot2@vm: TotalClaimRunTime = 22  TotalJobRunTime = 22  TotalTimeClaimedRetiring = 21
>> end c1 1.0 vacated=True

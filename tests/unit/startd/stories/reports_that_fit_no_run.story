# Reports, starters and orders of claims that are gone or have no such run.
> static 1
>> start
>> claim slot1@vm
> end c1 1.0 exit_code=0
| slot1: report of job 1.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=1.0 run=1
> SuspendClaim claim=c1
> ContinueClaim claim=c1
> run c1 1.0
[unpublished]
vm: ActivationRequests = 1
> end c1 1.0 exit_code=0
| slot1: report of job 1.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=1.0 run=1
> SuspendClaim claim=c1
> started c1
> Vacate slot=slot9@vm
> ReleaseClaim claim=c1
| slot1: State change: received RELEASE_CLAIM command
| slot1: Changing state and activity: Claimed/Idle -> Preempting/Killing
| slot1: State change: No preempting claim, returning to owner
| slot1: Changing state and activity: Preempting/Killing -> Owner/Idle
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[EpEvent] number=105 name=EP_RELEASE_CLAIM where=(1, 0) attributes=(('Success', 'true'),)
[RunEnded] claim_id=c1 job=1.0 run=1 error=Claim was released
[StopStarter] claim=c1
slot1@vm: State = "Unclaimed"  -ClaimEndTime  -ClientMachine  -PublicClaimId  -RemoteAutoregroup
    -RemoteNegotiatingGroup  -RemoteOwner  -RemoteScheddName  -RemoteUser
> ready c1
> started c1
> starter-gone c1 0
> end c1 1.0 exit_code=0
| report of job 1.0 run 1 belongs to no run of this claim: passed on
[RunEnded] claim_id=c1 job=1.0 run=1
> ReleaseClaim claim=c1
| RELEASE_CLAIM for a claim that does not exist, ignored
> Deactivate claim=c1 graceful=True code=1 reason=x
| Called deactivate_claim() without a job, ignored
> usage c1 A=1

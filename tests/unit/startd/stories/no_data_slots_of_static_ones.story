# A static slot refuses to become a data slot, and says why.
> static 1
>> start
>> claim slot1@vm
>> ready c1
> stage c1 1.-1000
| slot1: activate_claim refused: given slot is not dynamic
[RunEnded] claim_id=c1 job=1.-1000 run=1 error=given slot is not dynamic
[unpublished]
vm: ActivationRequests = 1

# A machine that does not transfer common files refuses to keep any, and says why.
> with mapping_method=
>> start
>> claim slot1@vm
>> ready c1
> stage c1 1.-1000
| slot1_1: activate_claim refused: Common files are not transferred on this machine
[RunEnded] claim_id=c1 job=1.-1000 run=1 error=Common files are not transferred on this machine
[unpublished]
vm: ActivationRequests = 1

# Ads of programs: for all slots, for one, by constraint; what is forgotten; condor_update_machine_ad.
> static 2
>> start
> CronJobs jobs=temp;disk
[Publish]
> CronAd job=temp tag= pairs="Temp:20;SlotMergeConstraint:SlotID == 2" publish=True
slot2@vm: Temp = 20
> CronAd job=temp tag= pairs="Temp:20;SlotMergeConstraint:SlotID == 2" publish=None
> CronAd job=temp tag=x pairs="More:1" publish=None
slot1@vm: More = 1
slot2@vm: More = 1
> CronAd job=disk tag= pairs="DiskFree:3" publish=False
[unpublished]
slot1@vm: DiskFree = 3
slot2@vm: DiskFree = 3
> wait 10
slot1@vm: TotalTimeUnclaimedIdle = 10
slot2@vm: TotalTimeUnclaimedIdle = 10
> CronAd job=disk tag= pairs="Name:\"other\";DiskFree:4" publish=True
slot1@vm: -DiskFree
slot2@vm: -DiskFree
> UpdateAd pairs="Hello:\"world\";Temp:5"
slot1@vm: Hello = "world"  OfflineUniverses = {  }  Temp = 5
slot2@vm: Hello = "world"  OfflineUniverses = {  }
> UpdateAd pairs="Hello:\"again\""
slot1@vm: Hello = "again"
slot2@vm: Hello = "again"
> UpdateAd pairs="Name:\"x\";SlotID:7;SlotType:\"Static\";State:\"Claimed\";RemoteUser:\"a@b\";Requirements:false"
[Publish]
> UpdateAd pairs="partitionableslot:true;StartdIpAddr:\"<x>\";ClaimId:\"x\""
[Publish]
> CronJobs jobs=disk
slot1@vm: -More
slot2@vm: Temp = 5  -More
> ads slot1@vm Hello Temp More DiskFree
Hello = "again"
Temp = 5
More = (none)
DiskFree = (none)

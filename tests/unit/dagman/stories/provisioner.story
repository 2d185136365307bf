# Nothing starts before the provisioner says so; a service node does.
> dag JOB A x
> dag SERVICE S x
> dag PROVISIONER P x
> begin
3: Number of pre-completed nodes: 0
1: Starting service node S...
1: Starting provisioner node...
> turn
[Submit] S P
> queued S 1
3: 	assigned HTCondor ID (1.0.0)
> queued P 2
3: 	assigned HTCondor ID (2.0.0)
> provisioned
> provisioned
> turn
[Submit] A
> queued A 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node A job proc (3.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] A success=True
> event 5 2.0 code=0
2: Node P job proc (2.0.0) completed successfully.
2: Node P job(s) have exited the queue
[Noted] P what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] P success=True
> turn
[RemoveJobs] S cluster=1 reason=Removed by DAGMan
[NodeEnded] S success=True
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 OK

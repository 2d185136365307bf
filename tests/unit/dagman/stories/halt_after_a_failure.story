# A DAG in which a node has failed is still that after it was halted.
> dag JOB A x
> dag JOB B x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=1
1: Node A job proc (1.0.0) failed with status 1.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=1 retry=0 job=(1, 0)
[NodeEnded] A success=False
> halt
> resume
> ad DAG_Status
DAG_Status = 2

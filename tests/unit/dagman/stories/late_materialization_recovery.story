# A condor_dagman that was started again knows when a cluster is over whose jobs come one by one.
> dag JOB A x
> begin recovery
3: Number of pre-completed nodes: 0
> event 35 1.-1 name=A
> event 0 1.0 name=A
> event 0 1.1 name=A
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
> recovered
> ad DAG_JobsSubmitted DAG_JobsIdle DAG_JobsRunning DAG_NodesQueued
DAG_JobsSubmitted = 2
DAG_JobsIdle = 1
DAG_JobsRunning = 0
DAG_NodesQueued = 1
> event 5 1.1 code=0
2: Node A job proc (1.1.0) completed successfully.
> event 36 1.-1
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 OK

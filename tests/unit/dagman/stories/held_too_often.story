# DAGMAN_MAX_JOB_HOLDS: two held jobs of a node are too many.
> with max_job_holds=2
> dag JOB A x
> dag JOB B x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1 3
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 12 1.0
3:   Hold reason: (unknown)
> event 12 1.0
3:   Hold reason: (unknown)
> event 12 2.0
3:   Hold reason: (unknown)
> event 12 1.2
3:   Hold reason: (unknown)
3: Total hold count for job 1 (node A)has reached DAGMAN_MAX_JOB_HOLDS (2); all job proc(s) for this node will now be removed
[RemoveJobs] A cluster=1 reason=DAG Limit: Max number of held jobs was reached.
> ad DAG_JobsHeld DAG_JobsIdle DAG_JobsRunning
DAG_JobsHeld = 3
DAG_JobsIdle = 1
DAG_JobsRunning = 0
> event 9 1.0
[RemoveJobs] A cluster=1 reason=Node Error: DAG node A (1.0.0) got ULOG_JOB_ABORTED event.
> event 9 1.0
> ad DAG_JobsHeld DAG_JobsIdle DAG_JobsCompleted
DAG_JobsHeld = 2
DAG_JobsIdle = 1
DAG_JobsCompleted = 1
> event 9 1.1
> event 9 1.2
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=-1002 retry=0 job=(1, 0)
[NodeEnded] A success=False
> ad DAG_JobsHeld DAG_JobsIdle DAG_JobsCompleted
DAG_JobsHeld = 1
DAG_JobsIdle = 0
DAG_JobsCompleted = 3

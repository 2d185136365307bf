# DAGMAN_MAX_JOB_HOLDS = 1: a node whose job is held once has failed, and its job is removed.
> with max_job_holds=1
> dag JOB A x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> event 12 1.0
3:   Hold reason: (unknown)
3: Total hold count for job 1 (node A)has reached DAGMAN_MAX_JOB_HOLDS (1); all job proc(s) for this node will now be removed
[RemoveJobs] A cluster=1 reason=DAG Limit: Max number of held jobs was reached.

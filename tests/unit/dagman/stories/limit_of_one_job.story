# A lowered limit of jobs removes those that are too many where DAGMAN_REMOVE_JOBS_AFTER_LIMIT_CHANGE says so, and once.
> with remove_jobs_after_limit_change=True
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
> limit max_jobs=1
[RemoveJobs] B cluster=2 reason=DAG Limit: Max number of submitted nodes was reached.
> limit max_jobs=1

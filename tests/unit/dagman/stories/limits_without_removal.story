# A lowered limit of jobs removes none unless DAGMAN_REMOVE_JOBS_AFTER_LIMIT_CHANGE says so.
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

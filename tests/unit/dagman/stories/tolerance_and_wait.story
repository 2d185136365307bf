# WAIT leaves the other jobs alone, also where DAGMAN_REMOVE_JOB_LIST_ON_FAILURE is true; per cent are of all jobs.
> dag JOB A x
> dag JOB B x
> dag TOLERANCE A 0 WAIT
> dag TOLERANCE B 50%
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1 2
3: 	assigned HTCondor ID (1.0.0)
> queued B 2 5
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=4
1: Node A job proc (1.0.0) failed with status 4.
> event 5 2.0 code=1
1: Node B job proc (2.0.0) failed with status 1.
> event 5 2.1 code=1
1: Node B job proc (2.1.0) failed with status 1.
> event 5 2.2 code=1
1: Node B job proc (2.2.0) failed with status 1.
[RemoveJobs] B cluster=2 reason=Node Error: DAG node B (2.2.0) reached failure tolerance after 3 failures.

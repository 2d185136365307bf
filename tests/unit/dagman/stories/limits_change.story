# New limits while the DAG runs: scripts that wait start, nodes that are too many leave the queue and come back.
> with remove_jobs_after_limit_change=True max_pre=1
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag JOB E x
> dag SCRIPT PRE D pre
> dag SCRIPT PRE E pre
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node D...
[Noted] D what=PRE_SCRIPT_STARTED retry=0
[RunScript] D PRE: pre
> turn
[Submit] A B C
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> queued C 3
3: 	assigned HTCondor ID (3.0.0)
> limit max_jobs=0 max_pre=2
> limit max_jobs=2 max_pre=2
[RemoveJobs] C cluster=3 reason=DAG Limit: Max number of submitted nodes was reached.
> turn
2: Running PRE script of Node E...
[Noted] E what=PRE_SCRIPT_STARTED retry=0
[RunScript] E PRE: pre
> event 9 3.0
2: Node C job(s) have exited the queue
[Noted] C what=JOB_FAILURE code=-1002 retry=0 job=(3, 0)
3: Retrying node C (retry #1 of 1)...
> turn
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> event 5 2.0 code=0
2: Node B job proc (2.0.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] B success=True
> limit max_jobs=2 max_pre=2
> turn
[Submit] C
> queued C 4
3: 	assigned HTCondor ID (4.0.0)
> states
A DONE
B DONE
C SUBMITTED
D PRERUN
E PRERUN

# An empty (NOOP) node runs no job, but its POST script.
> dag JOB A x NOOP
> dag SCRIPT POST A post $JOBID $JOB_COUNT $SUCCESS
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> submitted A 0
3: 	assigned HTCondor ID (0.0.0)
> event 0 0.2147483647.0 name=A
> event 5 0.2147483647.0 code=0
2: Node A job proc (0.2147483647.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(0, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(0, 0)
[RunScript] A POST: post 0.2147483647 1 True

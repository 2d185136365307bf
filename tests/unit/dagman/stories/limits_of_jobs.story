# Limits of jobs, and of idle jobs; how often they made something wait.
> with max_jobs=2 max_idle=3
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1 2
3: 	assigned HTCondor ID (1.0.0)
> event 1 1.0
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=0
2: Node B job proc (2.0.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] B success=True
> turn
[Submit] C
> limit max_jobs=0 max_idle=1
> turn
> event 1 1.1
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
> event 5 1.1 code=0
2: Node A job proc (1.1.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
[Submit] D
> limit max_jobs=0 max_idle=0 max_submits_per_interval=0
> turn
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
2: Note: 3 total node deferrals because of -MaxJobs limit (0)
2: Note: 1 total node deferrals because of -MaxIdle limit (0)
[ShowStatus] publish
[Finish] 2 RM

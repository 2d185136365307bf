# The FINAL node is over while a job that was to be removed is still there.
> dag JOB A x
> dag FINAL F x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=True
1: Starting final node...
> turn
[Submit] F
> queued F 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=0
2: Node F job proc (2.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] F success=True
> turn
1: ERROR: DAGMan FINAL node has terminated but DAGMan thinks 1 job(s) are still running.
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
[ShowStatus] publish
[Finish] 2 RM

# Whoever removes a DAG twice does not wait for its FINAL node.
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
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
[ShowStatus] publish
[Finish] 2 RM
> removed
1: Received SIGUSR1
> event 9 1.0
> turn
> script F PRE code=0

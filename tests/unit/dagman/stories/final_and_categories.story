# Nodes that waited for their category do not start beside the FINAL node.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag CATEGORY A c
> dag CATEGORY B c
> dag MAXJOBS c 1
> dag FINAL F x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A C
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued C 2
3: 	assigned HTCondor ID (2.0.0)
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=True
2: Note: 1 total node deferrals because of node category throttles
1: Starting final node...
> event 9 1.0
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=-1002 retry=0 job=(1, 0)
[NodeEnded] A success=False
> turn
[Submit] F
> queued F 3
3: 	assigned HTCondor ID (3.0.0)
> states
A ERROR
B NOT_READY
C SUBMITTED
F SUBMITTED

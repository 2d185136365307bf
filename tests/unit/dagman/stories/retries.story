# DAGMAN_RETRY_NODE_FIRST; UNLESS-EXIT; save points are written once.
> with retry_node_first=True max_submits_per_interval=1
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB W x
> dag RETRY A 2 UNLESS-EXIT 7
> dag SAVE_POINT_FILE A
> dag WEAK PARENT A CHILD W
> begin
3: Number of pre-completed nodes: 0
[WriteSavePoint] A
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> event 5 1.0 code=3
1: Node A job proc (1.0.0) failed with status 3.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=3 retry=0 job=(1, 0)
3: Retrying node A (retry #1 of 2)...
> turn
[Submit] A
> queued A 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=0
> event 5 2.0 code=7
1: Node A job proc (2.0.0) failed with status 7.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=7 retry=1 job=(2, 0)
2: Aborting further retries of node A (last attempt returned 7)
[NodeEnded] A success=False
> turn
[Submit] B
> turn
[Submit] C
> turn
[Submit] W
> states
A ERROR
B SUBMITTED
C SUBMITTED
W SUBMITTED

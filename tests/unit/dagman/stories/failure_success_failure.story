# A job that succeeds between two that fail: the value of the node is 0, it fails all the same, and is tried again.
> dag JOB A x
> dag TOLERANCE A 1 WAIT
> dag RETRY A 1
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1 3
3: 	assigned HTCondor ID (1.0.0)
> event 5 1.0 code=3
1: Node A job proc (1.0.0) failed with status 3.
> event 5 1.1 code=0
2: Node A job proc (1.1.0) completed successfully.
> event 5 1.2 code=3
1: Node A job proc (1.2.0) failed with status 3.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=0 retry=0 job=(1, 0)
3: Retrying node A (retry #1 of 1)...
> turn
[Submit] A

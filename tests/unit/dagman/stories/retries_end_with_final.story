# A node that fails while the FINAL node runs is not tried again.
> dag JOB A x
> dag JOB B x
> dag JOB W x
> dag WEAK PARENT B CHILD W
> dag FINAL F x
> dag RETRY B 5
> dag ABORT-DAG-ON A 1
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=1
1: Node A job proc (1.0.0) failed with status 1.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=1 retry=0 job=(1, 0)
[NodeEnded] A success=False
1: Aborting DAG because we got the ABORT exit value from a job
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=True
1: Starting final node...
> event 9 2.0
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=-1002 retry=0 job=(2, 0)
2: Aborting further retries of node B because final node is running (last attempt returned -1002)
[NodeEnded] B success=False
> turn
[Submit] F
> states
A ERROR
B ERROR
W READY
F SUBMITTED

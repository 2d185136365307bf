# A DAG that was broken off with RETURN 0 succeeds with its FINAL node too.
> dag JOB A x
> dag JOB B x
> dag FINAL F x
> dag ABORT-DAG-ON A 5 RETURN 0
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=5
1: Node A job proc (1.0.0) failed with status 5.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=5 retry=0 job=(1, 0)
[NodeEnded] A success=False
1: Aborting DAG because we got the ABORT exit value from a job
1: Aborting DAG...
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=True
1: Starting final node...
> event 9 2.0
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=-1002 retry=0 job=(2, 0)
[NodeEnded] B success=False
> turn
[Submit] F
> queued F 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node F job proc (3.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] F success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 NODE_FAILED
> states
A ERROR
B ERROR
F DONE

# Beside the FINAL node nothing starts: no script that waits, no child, no node whose PRE script ended too late.
> with max_pre=1
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag JOB E x
> dag PARENT D CHILD E
> dag FINAL F x
> dag SCRIPT PRE B pre
> dag SCRIPT PRE C pre
> dag ABORT-DAG-ON A 1
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> turn
[Submit] A D
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued D 2
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
2: Removing running scripts...
[KillScripts]
2: Note: 2 total PRE script deferrals because of -MaxPre limit (1) or DEFER
1: Starting final node...
> script B PRE code=0
[Noted] B what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node B completed successfully.
> event 5 2.0 code=0
2: Node D job proc (2.0.0) completed successfully.
2: Node D job(s) have exited the queue
[Noted] D what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] D success=True
> turn
[Submit] F
> ad DAG_NodesPrerun DAG_NodesReady
DAG_NodesPrerun = 0
DAG_NodesReady = 0
> queued F 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node F job proc (3.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] F success=True
> turn
2: All jobs Completed!
2: Note: 2 total PRE script deferrals because of -MaxPre limit (1) or DEFER
[ShowStatus] publish
[Finish] 0 ABORT
> states
A ERROR
B NOT_READY
C NOT_READY
D DONE
E READY
F DONE

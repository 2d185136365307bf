# A halted DAG with a FINAL node: what was not begun stays, the FINAL node runs.
> dag JOB A x
> dag JOB B x
> dag PARENT A CHILD B
> dag FINAL F x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> halt
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
1: Exiting because DAG is halted and no jobs or scripts are running
1: ERROR: the following Node(s) failed:
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=True
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
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 HALTED
> states
A DONE
B NOT_READY
F DONE

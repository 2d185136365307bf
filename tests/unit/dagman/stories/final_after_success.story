# A FINAL node runs when all others are done; its own failure is that of the DAG.
> dag JOB A x
> dag FINAL F x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
1: Starting final node...
> turn
[Submit] F
> queued F 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=3
1: Node F job proc (2.0.0) failed with status 3.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_FAILURE code=3 retry=0 job=(2, 0)
[NodeEnded] F success=False
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: F
1:            Noop: false
1:          NodeID: 1
1:     Node Status: STATUS_ERROR    
1: Node return val: 3
1:           Error: Job proc (2.0.0) failed with status 3
1: Job Submit File: x
1:  HTCondor Job ID: (2.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 NODE_FAILED

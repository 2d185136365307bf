# A cluster whose jobs come one by one is over when the log says so.
> dag JOB A x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> submitted A 1
3: 	assigned HTCondor ID (1.0.0)
> event 35 1.-1 name=A
> event 0 1.0 name=A
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
> event 0 1.1 name=A
> event 5 1.1 code=1
1: Node A job proc (1.1.0) failed with status 1.
[RemoveJobs] A cluster=1 reason=Node Error: DAG node A (1.1.0) reached failure tolerance after 1 failures.
> event 36 1.-1
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=1 retry=0 job=(1, 0)
[NodeEnded] A success=False
> event 36 1.-1
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: A
1:            Noop: false
1:          NodeID: 0
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job proc (1.1.0) failed with status 1
1: Job Submit File: x
1:  HTCondor Job ID: (1.1.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 NODE_FAILED

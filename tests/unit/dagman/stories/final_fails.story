# A FINAL node that fails decides; what was ready is forgotten.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag FINAL F x
> dag ABORT-DAG-ON A 1
> with max_jobs=1
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
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
2: Note: 2 total node deferrals because of -MaxJobs limit (1)
1: Starting final node...
> ad DAG_NodesReady
DAG_NodesReady = 1
> turn
[Submit] F
> queued F 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=1
1: Node F job proc (2.0.0) failed with status 1.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_FAILURE code=1 retry=0 job=(2, 0)
[NodeEnded] F success=False
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: A
1:            Noop: false
1:          NodeID: 0
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job proc (1.0.0) failed with status 1
1: Job Submit File: x
1:  HTCondor Job ID: (1.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------- Node ----------------------
1:       Node Name: F
1:            Noop: false
1:          NodeID: 3
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job proc (2.0.0) failed with status 1
1: Job Submit File: x
1:  HTCondor Job ID: (2.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
2: Note: 2 total node deferrals because of -MaxJobs limit (1)
[ShowStatus] publish
[Finish] 1 ABORT
> states
A ERROR
B NOT_READY
C NOT_READY
F ERROR

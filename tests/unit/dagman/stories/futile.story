# What can never run: behind a failed node, unless it hangs on it weakly.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag JOB E x
> dag JOB X x
> dag PARENT A CHILD B
> dag WEAK PARENT A CHILD C
> dag PARENT B CHILD D
> dag PARENT C CHILD D E
> dag PARENT X CHILD E
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A X
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued X 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=1
1: Node A job proc (1.0.0) failed with status 1.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=1 retry=0 job=(1, 0)
[NodeEnded] A success=False
> ad DAG_NodesFutile DAG_NodesUnready DAG_NodesReady DAG_NodesFailed
DAG_NodesFutile = 2
DAG_NodesUnready = 1
DAG_NodesReady = 1
DAG_NodesFailed = 1
> turn
[Submit] C
> queued C 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=1
1: Node C job proc (3.0.0) failed with status 1.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_FAILURE code=1 retry=0 job=(3, 0)
[NodeEnded] C success=False
> event 5 2.0 code=0
2: Node X job proc (2.0.0) completed successfully.
2: Node X job(s) have exited the queue
[Noted] X what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] X success=True
> ad DAG_NodesFutile DAG_NodesUnready DAG_NodesReady DAG_NodesFailed
DAG_NodesFutile = 3
DAG_NodesUnready = 0
DAG_NodesReady = 0
DAG_NodesFailed = 2
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
1: PARENTS:  WAITING: 0 CHILDREN: B C
1: ---------------------- Node ----------------------
1:       Node Name: C
1:            Noop: false
1:          NodeID: 2
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job proc (3.0.0) failed with status 1
1: Job Submit File: x
1:  HTCondor Job ID: (3.0.0)
1: PARENTS: A WAITING: 0 CHILDREN: D E
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 NODE_FAILED
> states
A ERROR
B FUTILE
C ERROR
D FUTILE
E FUTILE
X DONE

# A cycle is found when nothing is left that can run; all nodes are listed.
> dag JOB A x NOOP
> dag JOB B x
> dag JOB C y
> dag RETRY C 2
> dag SCRIPT POST C post
> dag PARENT A CHILD B
> dag PARENT B CHILD C
> dag PARENT C CHILD B
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> submitted A 0
3: 	assigned HTCondor ID (0.0.0)
> event 0 0.0 name=A
> event 5 0.0 code=0
2: Node A job proc (0.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(0, 0)
[NodeEnded] A success=True
> turn
1: ERROR: DAG finished but not all nodes are complete -- checking for a cycle...
1: ... ERROR: a cycle exists in the dag, please check input
1: ... the nodes of a cycle: B -> C -> B
2: ---------------------- Node ----------------------
2:       Node Name: A
2:            Noop: true
2:          NodeID: 0
2:     Node Status: STATUS_DONE     
2: Node return val: 0
2: Job Submit File: x
2:  HTCondor Job ID: (0.0.0)
2: PARENTS:  WAITING: 0 CHILDREN: B
2: ---------------------- Node ----------------------
2:       Node Name: B
2:            Noop: false
2:          NodeID: 1
2:     Node Status: STATUS_READY    
2: Node return val: -1
2: Job Submit File: x
2:  HTCondor Job ID: [not yet submitted]
2: PARENTS: A C WAITING: 1 CHILDREN: C
2: ---------------------- Node ----------------------
2:       Node Name: C
2:            Noop: false
2:          NodeID: 2
2:     Node Status: STATUS_READY    
2: Node return val: -1
2: Job Submit File: y
2:     POST Script: post
2:           Retry: 2
2:  HTCondor Job ID: [not yet submitted]
2: PARENTS: B WAITING: 1 CHILDREN: B
2: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 CYCLE

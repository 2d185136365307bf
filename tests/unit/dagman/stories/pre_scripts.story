# PRE scripts that fail, by code and by signal; with retries, with PRE_SKIP.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag PARENT A CHILD D
> dag RETRY A 1
> dag SCRIPT PRE A pre
> dag SCRIPT PRE B pre
> dag SCRIPT PRE C pre
> dag PRE_SKIP C 6
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
2: Running PRE script of Node C...
[Noted] C what=PRE_SCRIPT_STARTED retry=0
[RunScript] C PRE: pre
> script A PRE signal=9
1: PRE Script of node A died on signal 9 (Killed)
[Noted] A what=PRE_SCRIPT_FAILURE code=-9 retry=0
3: Retrying node A (retry #1 of 1)...
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=1
[RunScript] A PRE: pre
> script B PRE code=2
1: PRE Script of Node B failed with status 2
[Noted] B what=PRE_SCRIPT_FAILURE code=2 retry=0
[NodeEnded] B success=False
> script C PRE code=6
1: PRE Script of Node C failed with status 6
[Noted] C what=PRE_SCRIPT_FAILURE code=6 retry=0
2: PRE_SKIP return value 6 indicates we are done (successfully) with node C
[WriteEvent] C number=34
> event 34 0.0 name=C
[NodeEnded] C success=True
> ad DAG_NodesPrerun DAG_NodesDone DAG_NodesFailed
DAG_NodesPrerun = 1
DAG_NodesDone = 1
DAG_NodesFailed = 1
> script A PRE code=3
1: PRE Script of Node A failed with status 3
[Noted] A what=PRE_SCRIPT_FAILURE code=3 retry=1
[NodeEnded] A success=False
> ad DAG_NodesPrerun DAG_NodesDone DAG_NodesFailed DAG_NodesFutile DAG_Status
DAG_NodesPrerun = 0
DAG_NodesDone = 1
DAG_NodesFailed = 2
DAG_NodesFutile = 1
DAG_Status = 2
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: A
1:            Noop: false
1:          NodeID: 0
1:     Node Status: STATUS_ERROR    
1: Node return val: 3
1:           Error: PRE Script failed with status 3 (after 1 node retries)
1: Job Submit File: x
1:      PRE Script: pre
1:           Retry: 1
1:  HTCondor Job ID: [not yet submitted]
1: PARENTS:  WAITING: 0 CHILDREN: D
1: ---------------------- Node ----------------------
1:       Node Name: B
1:            Noop: false
1:          NodeID: 1
1:     Node Status: STATUS_ERROR    
1: Node return val: 2
1:           Error: PRE Script failed with status 2
1: Job Submit File: x
1:      PRE Script: pre
1:  HTCondor Job ID: [not yet submitted]
1: PARENTS:  WAITING: 0 CHILDREN: 
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
B ERROR
C DONE
D FUTILE

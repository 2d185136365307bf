# A service node is removed when the DAG is done; one that fails makes no difference.
> dag JOB A x
> dag SERVICE S x
> dag SERVICE T x
> dag SCRIPT PRE T pre
> begin
3: Number of pre-completed nodes: 0
1: Starting service node S...
1: Starting service node T...
2: Running PRE script of Node T...
[Noted] T what=PRE_SCRIPT_STARTED retry=0
[RunScript] T PRE: pre
> turn
[Submit] S A
> queued S 1
3: 	assigned HTCondor ID (1.0.0)
> queued A 2
3: 	assigned HTCondor ID (2.0.0)
> ad DAG_NodesTotal DAG_NodesQueued DAG_NodesReady
DAG_NodesTotal = 1
DAG_NodesQueued = 1
DAG_NodesReady = 0
> script T PRE code=1
1: PRE Script of Node T failed with status 1
[Noted] T what=PRE_SCRIPT_FAILURE code=1 retry=0
[NodeEnded] T success=False
> ad DAG_NodesFailed
DAG_NodesFailed = 0
> event 5 2.0 code=0
2: Node A job proc (2.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] A success=True
> turn
[RemoveJobs] S cluster=1 reason=Removed by DAGMan
[NodeEnded] S success=True
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 NODE_FAILED
> states
A DONE
S DONE
T ERROR

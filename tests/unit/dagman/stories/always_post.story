# DAGMAN_ALWAYS_RUN_POST: the POST script of a node whose PRE script has failed decides.
> with always_post=True
> dag JOB A x
> dag JOB B x
> dag SCRIPT PRE A pre
> dag SCRIPT POST A post $PRE_SCRIPT_RETURN $RETURN $SUCCESS $JOBID $JOB_COUNT $EXIT_CODES $JOB_ABORT_COUNT
> dag SCRIPT PRE B pre
> dag SCRIPT POST B post
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> script A PRE code=5
1: PRE Script of Node A failed with status 5
[Noted] A what=PRE_SCRIPT_FAILURE code=5 retry=0
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0
[RunScript] A POST: post 5 -1004 False -1.-1 0  0
> script B PRE code=5
1: PRE Script of Node B failed with status 5
[Noted] B what=PRE_SCRIPT_FAILURE code=5 retry=0
2: Running POST script of Node B...
[Noted] B what=POST_SCRIPT_STARTED retry=0
[RunScript] B POST: post
> script A POST code=0
[WriteEvent] A number=16 code=0
> event 16 -1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0
[NodeEnded] A success=True
> script B POST signal=15
[WriteEvent] B number=16 signal=15
> event 16 -1.0 name=B signal=15
2: POST Script of node B died on signal 15
1: POST script died on signal 15
[Noted] B what=POST_SCRIPT_FAILURE code=-15 retry=0
[NodeEnded] B success=False
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: B
1:            Noop: false
1:          NodeID: 1
1:     Node Status: STATUS_ERROR    
1: Node return val: -15
1:           Error: Job exited with status 5 and POST Script died on signal 15
1: Job Submit File: x
1:      PRE Script: pre
1:     POST Script: post
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
A DONE
B ERROR

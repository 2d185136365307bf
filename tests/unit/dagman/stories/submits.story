# Submits that fail: later and later, the ones behind wait; and for good, with a POST script.
> with max_submit_attempts=3
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag RETRY A 2
> dag SCRIPT POST A post $RETURN $RETRY
> dag PARENT B CHILD D
> dag WEAK PARENT A CHILD D
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B C
> untried C
> untried B
> states
A SUBMITTED
B READY
C READY
D READY
> refused A
[Noted] A what=SUBMIT_FAILURE retry=0
2: Job submit try 1/3 failed, will try again in >= 1 second.
> ad DAG_NodesQueued DAG_NodesReady
DAG_NodesQueued = 0
DAG_NodesReady = 3
> wake
in 1 s
> turn +0
> turn +1
[Submit] A B C
> untried C
> untried B
> refused A
[Noted] A what=SUBMIT_FAILURE retry=0
2: Job submit try 2/3 failed, will try again in >= 2 seconds.
> wake
in 2 s
> turn +2
[Submit] A B C
> untried C
> untried B
> refused A
[Noted] A what=SUBMIT_FAILURE retry=0
1: Node submit failed after 3 tries.
2: Shortcutting node A retries because of submit failure(s)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=2
[RunScript] A POST: post -1001 2
> wake
never
> turn
[Submit] B C
> queued B 1
3: 	assigned HTCondor ID (1.0.0)
> refused C for good
[Noted] C what=SUBMIT_FAILURE retry=0
1: Node submit failed after 1 try.
2: Shortcutting node C retries because of submit failure(s)
[NodeEnded] C success=False
> ad DAG_NodesFailed DAG_Status DAG_NodesQueued
DAG_NodesFailed = 1
DAG_Status = 2
DAG_NodesQueued = 1
> script A POST code=1
[WriteEvent] A number=16 code=1
> event 16 -1.0 name=A code=1
2: POST Script of node A failed with status 1
1: POST for Node A returned 1
[Noted] A what=POST_SCRIPT_FAILURE code=1 retry=2
[NodeEnded] A success=False
> event 5 1.0 code=0
2: Node B job proc (1.0.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] B success=True
> turn
[Submit] D
> queued D 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=0
2: Node D job proc (2.0.0) completed successfully.
2: Node D job(s) have exited the queue
[Noted] D what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] D success=True
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: A
1:            Noop: false
1:          NodeID: 0
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job failed due to DAGMAN error -1001 and POST Script failed with status 1 (after 2 node retries)
1: Job Submit File: x
1:     POST Script: post $RETURN $RETRY
1:           Retry: 2
1:  HTCondor Job ID: [not yet submitted]
1: PARENTS:  WAITING: 0 CHILDREN: D
1: ---------------------- Node ----------------------
1:       Node Name: C
1:            Noop: false
1:          NodeID: 2
1:     Node Status: STATUS_ERROR    
1: Node return val: -1
1:           Error: Job submit failed
1: Job Submit File: x
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
B DONE
C ERROR
D DONE

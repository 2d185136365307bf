# What is said of a job that died on a signal, and of nodes whose POST script failed behind it.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag SCRIPT POST B post
> dag SCRIPT POST C post
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B C
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> queued C 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 1.0 signal=9
1: Node A job proc (1.0.0) failed with signal 9.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=-9 retry=0 job=(1, 0)
[NodeEnded] A success=False
> event 5 2.0 signal=64
1: Node B job proc (2.0.0) failed with signal 64.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=-64 retry=0 job=(2, 0)
2: Running POST script of Node B...
[Noted] B what=POST_SCRIPT_STARTED retry=0 job=(2, 0)
[RunScript] B POST: post
> script B POST code=1
[WriteEvent] B number=16 code=1
> event 16 2.0 name=B code=1
2: POST Script of node B failed with status 1
1: POST for Node B returned 1
[Noted] B what=POST_SCRIPT_FAILURE code=1 retry=0 job=(2, 0)
[NodeEnded] B success=False
> event 5 3.0 code=1
1: Node C job proc (3.0.0) failed with status 1.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_FAILURE code=1 retry=0 job=(3, 0)
2: Running POST script of Node C...
[Noted] C what=POST_SCRIPT_STARTED retry=0 job=(3, 0)
[RunScript] C POST: post
> script C POST signal=15
[WriteEvent] C number=16 signal=15
> event 16 3.0 name=C signal=15
2: POST Script of node C died on signal 15
1: POST script died on signal 15
[Noted] C what=POST_SCRIPT_FAILURE code=-15 retry=0 job=(3, 0)
[NodeEnded] C success=False
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: A
1:            Noop: false
1:          NodeID: 0
1:     Node Status: STATUS_ERROR    
1: Node return val: -9
1:           Error: Job proc (1.0.0) failed with signal 9
1: Job Submit File: x
1:  HTCondor Job ID: (1.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------- Node ----------------------
1:       Node Name: B
1:            Noop: false
1:          NodeID: 1
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job died on signal 64 and POST Script failed with status 1
1: Job Submit File: x
1:     POST Script: post
1:  HTCondor Job ID: (2.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------- Node ----------------------
1:       Node Name: C
1:            Noop: false
1:          NodeID: 2
1:     Node Status: STATUS_ERROR    
1: Node return val: -15
1:           Error: Job exited with status 1 and POST Script died on signal 15
1: Job Submit File: x
1:     POST Script: post
1:  HTCondor Job ID: (3.0.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 NODE_FAILED

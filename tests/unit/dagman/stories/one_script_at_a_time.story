# Scripts that wait for room start one by one, in their order.
> with max_post=1 max_hold=1
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag SCRIPT POST ALL_NODES post $NODE
> dag SCRIPT HOLD A hold
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B C
> queued A 1 2
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> queued C 3
3: 	assigned HTCondor ID (3.0.0)
> event 12 1.0
3:   Hold reason: (unknown)
2: Running HOLD script of Node A...
[Noted] A what=HOLD_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A HOLD: hold
> event 12 1.1
3:   Hold reason: (unknown)
> script A HOLD code=0
2: Running HOLD script of Node A...
[Noted] A what=HOLD_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A HOLD: hold
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
> event 5 1.1 code=0
2: Node A job proc (1.1.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post A
> event 5 2.0 code=0
2: Node B job proc (2.0.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
> event 5 3.0 code=1
1: Node C job proc (3.0.0) failed with status 1.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_FAILURE code=1 retry=0 job=(3, 0)
> turn
> ad DAG_NodesPostrun DAG_NodesUnready DAG_NodesHoldrun
DAG_NodesPostrun = 3
DAG_NodesUnready = 0
DAG_NodesHoldrun = 1
> script A POST code=0
[WriteEvent] A number=16 code=0
2: Running POST script of Node B...
[Noted] B what=POST_SCRIPT_STARTED retry=0 job=(2, 0)
[RunScript] B POST: post B
> script B POST code=0
[WriteEvent] B number=16 code=0
2: Running POST script of Node C...
[Noted] C what=POST_SCRIPT_STARTED retry=0 job=(3, 0)
[RunScript] C POST: post C
> event 16 1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> event 16 2.0 name=B code=0
2: POST Script of node B completed successfully.
[Noted] B what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] B success=True
> ad DAG_NodesPostrun DAG_NodesUnready DAG_NodesHoldrun
DAG_NodesPostrun = 1
DAG_NodesUnready = 0
DAG_NodesHoldrun = 1
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
2: Removing running scripts...
[KillScripts]
2: Note: 4 total POST script deferrals because of -MaxPost limit (1) or DEFER
2: Note: 1 total HOLD script deferrals because of -MaxHold limit (1) or DEFER
[ShowStatus] publish
[Finish] 2 RM

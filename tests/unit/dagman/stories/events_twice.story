# Events that come twice, and events of jobs that a node does not have, change nothing.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag PARENT A CHILD C
> dag SCRIPT POST A post
> begin
3: Number of pre-completed nodes: 0
> event 12 99.0 name=B
> event 5 99.0 name=B code=1
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 1 1.0
> event 12 1.-1
> event 12 1.0
3:   Hold reason: (unknown)
> event 12 1.0
3:   Hold reason: (unknown)
> event 13 1.0
> ad DAG_JobsIdle DAG_JobsHeld DAG_JobsRunning
DAG_JobsIdle = 2
DAG_JobsHeld = 0
DAG_JobsRunning = 0
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post
> event 5 1.0 code=1
> ad DAG_JobsCompleted
DAG_JobsCompleted = 1
> script A POST code=0
[WriteEvent] A number=16 code=0
> event 16 1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> event 16 1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(1, 0)
> event 13 1.0
> ad DAG_NodesDone DAG_NodesPostrun DAG_JobsHeld
DAG_NodesDone = 1
DAG_NodesPostrun = 0
DAG_JobsHeld = 0
> turn
[Submit] C
> queued C 3
3: 	assigned HTCondor ID (3.0.0)

# A node with all three scripts fails once and is tried again; its scripts are told of its job.
> dag JOB A x
> dag JOB B x
> dag PARENT A CHILD B
> dag RETRY A 1
> dag SCRIPT PRE A pre $NODE  $RETRY	$MAX_RETRIES $DAGID $NODE_COUNT
> dag SCRIPT POST A post $JOBID $CLUSTERID $JOB_COUNT $RETURN $SUCCESS $PRE_SCRIPT_RETURN $EXIT_CODES $EXIT_CODE_COUNTS $EXIT_CODE_LIST $JOB_ABORT_COUNT
> dag SCRIPT HOLD A hold $DONE_COUNT $QUEUED_COUNT $FAILED_COUNT $FUTILE_COUNT $DAG_STATUS
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre A 0 1 7 2
> ad DAG_NodesPrerun DAG_NodesQueued DAG_NodesReady DAG_NodesUnready
DAG_NodesPrerun = 1
DAG_NodesQueued = 0
DAG_NodesReady = 0
DAG_NodesUnready = 1
> turn
> script A PRE code=0
[Noted] A what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node A completed successfully.
> ad DAG_NodesPrerun DAG_NodesQueued DAG_NodesReady DAG_NodesUnready
DAG_NodesPrerun = 0
DAG_NodesQueued = 0
DAG_NodesReady = 1
DAG_NodesUnready = 1
> turn
[Submit] A
> queued A 1 3
3: 	assigned HTCondor ID (1.0.0)
> ad DAG_NodesQueued DAG_JobsSubmitted DAG_JobsIdle DAG_JobsHeld DAG_JobsRunning DAG_JobsCompleted
DAG_NodesQueued = 1
DAG_JobsSubmitted = 3
DAG_JobsIdle = 3
DAG_JobsHeld = 0
DAG_JobsRunning = 0
DAG_JobsCompleted = 0
> event 1 1.0
> event 1 1.2
> event 12 1.1 reason=because
3:   Hold reason: because
2: Running HOLD script of Node A...
[Noted] A what=HOLD_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A HOLD: hold 0 1 0 0 0
> ad DAG_NodesHoldrun DAG_JobsIdle DAG_JobsHeld DAG_JobsRunning
DAG_NodesHoldrun = 1
DAG_JobsIdle = 0
DAG_JobsHeld = 1
DAG_JobsRunning = 2
> event 13 1.1
> ad DAG_JobsIdle DAG_JobsHeld DAG_JobsRunning
DAG_JobsIdle = 1
DAG_JobsHeld = 0
DAG_JobsRunning = 2
> script A HOLD code=1
> ad DAG_NodesHoldrun
DAG_NodesHoldrun = 0
> event 5 1.0 code=3
1: Node A job proc (1.0.0) failed with status 3.
[RemoveJobs] A cluster=1 reason=Node Error: DAG node A (1.0.0) reached failure tolerance after 1 failures.
> ad DAG_JobsIdle DAG_JobsRunning DAG_JobsCompleted
DAG_JobsIdle = 1
DAG_JobsRunning = 1
DAG_JobsCompleted = 1
> event 9 1.1
> event 5 1.2 signal=9
1: Node A job proc (1.2.0) failed with signal 9.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=3 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post 1.2 1 3 3 False 0 0,3 0:1,3:1 3,,0 1
> ad DAG_NodesQueued DAG_NodesPostrun DAG_JobsCompleted
DAG_NodesQueued = 0
DAG_NodesPostrun = 1
DAG_JobsCompleted = 3
> script A POST code=4
[WriteEvent] A number=16 code=4
> event 16 1.0 name=A code=4
2: POST Script of node A failed with status 4
1: POST for Node A returned 4
[Noted] A what=POST_SCRIPT_FAILURE code=4 retry=0 job=(1, 0)
3: Retrying node A (retry #1 of 1)...
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=1
[RunScript] A PRE: pre A 1 1 7 2
> ad DAG_NodesPostrun DAG_NodesPrerun
DAG_NodesPostrun = 0
DAG_NodesPrerun = 1
> script A PRE code=0
[Noted] A what=PRE_SCRIPT_SUCCESS code=0 retry=1
2: PRE Script of node A completed successfully.
> turn
[Submit] A
> queued A 2
3: 	assigned HTCondor ID (2.0.0)
> event 1 2.0
> event 5 2.0 code=0
2: Node A job proc (2.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=1 job=(2, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=1 job=(2, 0)
[RunScript] A POST: post 2.0 2 1 0 True 0 0 0:1 0 0
> script A POST code=0
[WriteEvent] A number=16 code=0
> event 16 2.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=1 job=(2, 0)
[NodeEnded] A success=True
> turn
[Submit] B
> queued B 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node B job proc (3.0.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] B success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 OK

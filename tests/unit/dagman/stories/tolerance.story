# TOLERANCE in per cent and FAIL_FAST or WAIT: how many jobs may fail, and whether the others are removed.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag TOLERANCE A 50%
> dag TOLERANCE B 1 WAIT
> dag TOLERANCE C 1 FAIL_FAST
> with remove_job_list_on_failure=False
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B C
> queued A 1 4
3: 	assigned HTCondor ID (1.0.0)
> queued B 2 4
3: 	assigned HTCondor ID (2.0.0)
> queued C 3 4
3: 	assigned HTCondor ID (3.0.0)
> event 5 1.0 code=1
1: Node A job proc (1.0.0) failed with status 1.
> event 5 1.1 code=1
1: Node A job proc (1.1.0) failed with status 1.
> event 5 1.2 code=0
2: Node A job proc (1.2.0) completed successfully.
> event 5 1.3 code=0
2: Node A job proc (1.3.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> event 5 2.0 code=1
1: Node B job proc (2.0.0) failed with status 1.
> event 5 2.1 code=2
1: Node B job proc (2.1.0) failed with status 2.
> event 5 2.2 code=0
2: Node B job proc (2.2.0) completed successfully, but status is STATUS_ERROR
2: Node B job proc (2.2.0) completed successfully.
> event 9 3.0
> event 9 3.1
[RemoveJobs] C cluster=3 reason=Node Error: DAG node C (3.1.0) got ULOG_JOB_ABORTED event.
> event 5 2.3 code=0
2: Node B job proc (2.3.0) completed successfully, but status is STATUS_ERROR
2: Node B job proc (2.3.0) completed successfully.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=1 retry=0 job=(2, 0)
[NodeEnded] B success=False
> event 9 3.2
> event 9 3.3
2: Node C job(s) have exited the queue
[Noted] C what=JOB_FAILURE code=-1002 retry=0 job=(3, 0)
[NodeEnded] C success=False
> turn
1: ERROR: the following job(s) failed:
1: ---------------------- Node ----------------------
1:       Node Name: B
1:            Noop: false
1:          NodeID: 1
1:     Node Status: STATUS_ERROR    
1: Node return val: 1
1:           Error: Job proc (2.0.0) failed with status 1
1: Job Submit File: x
1:  HTCondor Job ID: (2.3.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------- Node ----------------------
1:       Node Name: C
1:            Noop: false
1:          NodeID: 2
1:     Node Status: STATUS_ERROR    
1: Node return val: -1002
1:           Error: HTCondor reported ULOG_JOB_ABORTED event for job proc (3.0.0)
1: Job Submit File: x
1:  HTCondor Job ID: (3.3.0)
1: PARENTS:  WAITING: 0 CHILDREN: 
1: ---------------------------------------	<END>
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 1 NODE_FAILED

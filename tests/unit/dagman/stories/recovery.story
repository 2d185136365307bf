# condor_dagman was killed: the nodes log tells what has happened.
> dag JOB A x
> dag JOB B x
> dag JOB C x NOOP
> dag JOB D x
> dag JOB E x DONE
> dag RETRY A 2
> dag SCRIPT POST B post $RETURN $JOBID
> dag SCRIPT PRE D pre
> dag PRE_SKIP D 1
> dag SCRIPT PRE B pre
> pre-end B code=2
> pre-end D code=1
> dag RETRY B 1
> begin recovery
[NodeEnded] E success=True
3: Number of pre-completed nodes: 1
> event 0 1.0 name=A
> event 1 1.0
> event 5 1.0 code=1
1: Node A job proc (1.0.0) failed with status 1.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=1 retry=0 job=(1, 0)
3: Looking for retry of node A (retry #1 of 2)...
> event 0 2.0 name=A
> event 12 2.0 reason=because
3:   Hold reason: because
> event 0 3.0 name=B
> event 0 3.1 name=B
> event 5 3.0 code=2
1: Node B job proc (3.0.0) failed with status 2.
[RemoveJobs] B cluster=3 reason=Node Error: DAG node B (3.0.0) reached failure tolerance after 1 failures.
> event 5 3.1 code=2
1: Node B job proc (3.1.0) failed with status 2.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=2 retry=1 job=(3, 0)
> event 0 0.2147483647.5 name=C
> event 34 0.0 name=D
[NodeEnded] D success=True
> ad DAG_InRecovery DAG_NodesQueued DAG_JobsHeld DAG_JobsIdle
DAG_InRecovery = 1
DAG_NodesQueued = 2
DAG_JobsHeld = 1
DAG_JobsIdle = 1
> recovered
2: Running POST script of Node B...
[Noted] B what=POST_SCRIPT_STARTED retry=1 job=(3, 0)
[RunScript] B POST: post 2 3.1
> ad DAG_InRecovery
DAG_InRecovery = 0
> states
A SUBMITTED
B POSTRUN
C SUBMITTED
D DONE
E DONE
> event 5 0.2147483647.5 code=0
2: Node C job proc (0.2147483647.5) completed successfully.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_SUCCESS code=0 retry=0 job=(0, 5)
[NodeEnded] C success=True
> turn

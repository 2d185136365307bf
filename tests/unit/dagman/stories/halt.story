# A halted DAG: POST scripts run, PRE scripts wait and are submitted nowhere; it goes on where it was.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag PARENT A CHILD B
> dag PARENT A CHILD C
> dag SCRIPT POST A post
> dag SCRIPT PRE B pre
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A D
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued D 2
3: 	assigned HTCondor ID (2.0.0)
> halt
> ad DAG_Status
DAG_Status = 6
> event 5 2.0 code=1
1: Node D job proc (2.0.0) failed with status 1.
2: Node D job(s) have exited the queue
[Noted] D what=JOB_FAILURE code=1 retry=0 job=(2, 0)
[NodeEnded] D success=False
> ad DAG_Status
DAG_Status = 6
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post
> turn
> script A POST code=0
[WriteEvent] A number=16 code=0
> event 16 1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> halt
> resume
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> ad DAG_Status
DAG_Status = 2
> turn
[Submit] C
> states
A DONE
B PRERUN
C SUBMITTED
D ERROR

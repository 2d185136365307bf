# ABORT-DAG-ON looks at the POST script where there is one, and not at the job; the FINAL node runs all the same.
> dag JOB A x
> dag JOB B x
> dag SCRIPT POST A post
> dag FINAL F x
> dag ABORT-DAG-ON A 5 RETURN 9
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=5
1: Node A job proc (1.0.0) failed with status 5.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=5 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post
> script A POST code=5
[WriteEvent] A number=16 code=5
> event 16 1.0 name=A code=5
2: POST Script of node A failed with status 5
1: POST for Node A returned 5
[Noted] A what=POST_SCRIPT_FAILURE code=5 retry=0 job=(1, 0)
[NodeEnded] A success=False
1: Aborting DAG because we got the ABORT exit value from a POST script
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=True
1: Starting final node...
> event 9 2.0
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=-1002 retry=0 job=(2, 0)
[NodeEnded] B success=False
> turn
[Submit] F
> queued F 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node F job proc (3.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] F success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 ABORT

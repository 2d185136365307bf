# ABORT-DAG-ON 0 looks at how the POST script ended, and not at the job.
> dag JOB A x
> dag JOB B x
> dag SCRIPT POST A post
> dag ABORT-DAG-ON A 0
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=3
1: Node A job proc (1.0.0) failed with status 3.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=3 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post
> script A POST code=0
[WriteEvent] A number=16 code=0
> event 16 1.0 name=A code=0
2: POST Script of node A completed successfully.
[Noted] A what=POST_SCRIPT_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
1: Aborting DAG because we got the ABORT exit value from a POST script
1: Aborting DAG...
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 0 ABORT

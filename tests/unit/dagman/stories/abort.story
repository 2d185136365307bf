# ABORT-DAG-ON of a job: its code is that of the DAG; scripts are killed, jobs removed.
> notes
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag SCRIPT PRE B pre
> dag SCRIPT POST C post
> dag ABORT-DAG-ON A 5
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> turn
[Submit] A C
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued C 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=0
2: Node C job proc (2.0.0) completed successfully.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
2: Running POST script of Node C...
[Noted] C what=POST_SCRIPT_STARTED retry=0 job=(2, 0)
[RunScript] C POST: post
> event 5 1.0 code=5
1: Node A job proc (1.0.0) failed with status 5.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=5 retry=0 job=(1, 0)
[NodeEnded] A success=False
1: Aborting DAG because we got the ABORT exit value from a job
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
2: Removing running scripts...
[KillScripts]
2: Note: 0 total node deferrals because of -MaxJobs limit (0)
2: Note: 0 total node deferrals because of -MaxIdle limit (1000)
2: Note: 0 total node deferrals because of node category throttles
2: Note: 0 total PRE script deferrals because of -MaxPre limit (20) or DEFER
2: Note: 0 total POST script deferrals because of -MaxPost limit (20) or DEFER
2: Note: 0 total HOLD script deferrals because of -MaxHold limit (20) or DEFER
[ShowStatus] publish
[Finish] 5 ABORT

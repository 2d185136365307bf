# DAGMAN_PUT_FAILED_JOBS_ON_HOLD: a failed node is tried once more, its job on hold; not where it ends the DAG.
> with put_failed_jobs_on_hold=True
> dag JOB A x
> dag JOB B x
> dag ABORT-DAG-ON B 5
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
3: Retrying node A (retry #1 of 1)...
> turn
[Submit] A (on hold)
> queued A 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=3
1: Node A job proc (3.0.0) failed with status 3.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=3 retry=1 job=(3, 0)
3: Retrying node A (retry #2 of 2)...
> turn
[Submit] A (on hold)
> queued A 4
3: 	assigned HTCondor ID (4.0.0)
> event 5 2.0 code=5
1: Node B job proc (2.0.0) failed with status 5.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=5 retry=0 job=(2, 0)
[NodeEnded] B success=False
1: Aborting DAG because we got the ABORT exit value from a job
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 5 ABORT

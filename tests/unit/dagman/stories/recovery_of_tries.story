# Ends of PRE scripts belong to tries: the first had no job, its POST script failed; the second was submitted.
> with always_post=True
> dag JOB A x
> dag JOB B x
> dag RETRY A 3
> dag SCRIPT PRE A pre
> dag SCRIPT POST A post $PRE_SCRIPT_RETURN $RETRY
> dag SCRIPT HOLD A hold
> pre-end A code=5
> pre-end A code=0
> begin recovery
3: Number of pre-completed nodes: 0
> event 16 -1.0 name=A code=1
2: POST Script of node A failed with status 1
1: POST for Node A returned 1
[Noted] A what=POST_SCRIPT_FAILURE code=1 retry=0
3: Looking for retry of node A (retry #1 of 3)...
> event 0 1.0 name=A
> event 12 1.0
3:   Hold reason: (unknown)
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=1 job=(1, 0)
> recovered
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=1 job=(1, 0)
[RunScript] A POST: post 0 1

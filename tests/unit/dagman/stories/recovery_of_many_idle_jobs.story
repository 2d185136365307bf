# Jobs that come one by one count as idle after a restart as well: the limit of idle jobs holds.
> with max_idle=2
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag SCRIPT POST A post $JOB_COUNT
> begin recovery
3: Number of pre-completed nodes: 0
> event 35 1.-1 name=A
> event 0 1.0 name=A
> recovered
> turn
[Submit] B
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> event 1 2.0
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
> event 36 1.-1
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(1, 0)
[RunScript] A POST: post 1
> turn
[Submit] C

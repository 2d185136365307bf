# A child whose PRE script had ended goes on from there when its turn comes.
> dag JOB A x
> dag JOB B x
> dag PARENT A CHILD B
> dag SCRIPT PRE B pre
> pre-end B code=0
> begin recovery
3: Number of pre-completed nodes: 0
> event 0 1.0 name=A
> recovered
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
2: PRE script of node B had ended before condor_dagman was started again
[Noted] B what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node B completed successfully.
[Submit] B
> turn

# Of two parents that C hangs on weakly one is done and one still runs: that one must have failed without an event.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag WEAK PARENT A CHILD C
> dag WEAK PARENT B CHILD C
> dag PARENT B CHILD D
> begin recovery
3: Number of pre-completed nodes: 0
> event 0 1.0 name=A
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> event 0 2.0 name=C
[NodeEnded] B success=False
> recovered
> states
A DONE
B ERROR
C SUBMITTED
D FUTILE
> turn

# A node was submitted although a parent that it hangs on strongly was not over; that is no matter of weak edges.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag PARENT A CHILD B
> dag WEAK PARENT A CHILD C
> begin recovery
3: Number of pre-completed nodes: 0
> event 0 1.0 name=B
1: Error: DAG semantics violated! Node B was submitted but has unfinished parents!
[ShowStatus] publish
[Finish] 1 OK
> recovered
> turn

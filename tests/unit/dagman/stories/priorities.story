# Priorities of nodes come on top of that of the DAG; equal ones go in their order.
> with priority=10 max_submits_per_interval=1
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag PRIORITY B 1
> dag PRIORITY C -1
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] B
> turn
[Submit] A
> turn
[Submit] C

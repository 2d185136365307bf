# Submit events that nobody expected; a node that was submitted although its parents are not over.
> dag JOB A x
> dag JOB B x
> dag PARENT A CHILD B
> begin
3: Number of pre-completed nodes: 0
> event 0 9.0 name=A
1: Unrecognized submit event (for node "A") found in log (none expected)
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> event 0 8.0 name=A
1: Unrecognized submit event (for node "A") found in log (none expected)
> event 0 5.0 name=B
1: Error: DAG semantics violated! Node B was submitted but has unfinished parents!
[ShowStatus] publish
[Finish] 1 OK
> turn

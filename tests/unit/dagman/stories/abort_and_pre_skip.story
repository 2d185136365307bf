# A node that its PRE script skips does not end the DAG, though that has the code for it.
> dag JOB A x
> dag JOB B x
> dag SCRIPT PRE A pre
> dag PRE_SKIP A 6
> dag ABORT-DAG-ON A 6
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> script A PRE code=6
1: PRE Script of Node A failed with status 6
[Noted] A what=PRE_SCRIPT_FAILURE code=6 retry=0
2: PRE_SKIP return value 6 indicates we are done (successfully) with node A
[WriteEvent] A number=34
> event 34 0.0 name=A
[NodeEnded] A success=True
> turn
[Submit] B

# A FINAL node with a PRE script runs although the DAG is halted.
> dag JOB A x
> dag FINAL F x
> dag SCRIPT PRE F pre
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> halt
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
1: Starting final node...
2: Running PRE script of Node F...
[Noted] F what=PRE_SCRIPT_STARTED retry=0
[RunScript] F PRE: pre
> turn
> script F PRE code=0
[Noted] F what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node F completed successfully.
> turn
[Submit] F
> queued F 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 2.0 code=0
2: Node F job proc (2.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] F success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 HALTED

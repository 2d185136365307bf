# A provisioner that ends before it said so ends the DAG.
> dag JOB A x
> dag PROVISIONER P x
> begin
3: Number of pre-completed nodes: 0
1: Starting provisioner node...
> turn
[Submit] P
> queued P 1
3: 	assigned HTCondor ID (1.0.0)
> event 5 1.0 code=0
2: Node P job proc (1.0.0) completed successfully.
1: ERROR: Provisioner node P job exited before giving DAGMan the go ahead!
[ShowStatus] publish
[Finish] 1 OK
> turn

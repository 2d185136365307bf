# A service node that ends early does not end the DAG; condor_dagman that starts again knows what was provisioned.
> dag JOB A x
> dag SERVICE S x
> dag PROVISIONER P x
> begin
3: Number of pre-completed nodes: 0
1: Starting service node S...
1: Starting provisioner node...
> turn
[Submit] S P
> queued S 1
3: 	assigned HTCondor ID (1.0.0)
> queued P 2
3: 	assigned HTCondor ID (2.0.0)
> event 5 1.0 code=0
2: Node S job proc (1.0.0) completed successfully.
2: Node S job(s) have exited the queue
[Noted] S what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] S success=True
> turn

# condor_dagman that starts again knows what was provisioned.
> dag JOB A x
> dag PROVISIONER P x
> begin recovery
3: Number of pre-completed nodes: 0
> event 0 1.0 name=P
> provisioned
> recovered
> turn
[Submit] A A

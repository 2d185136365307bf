# Jobs that are evicted, suspended or lose their shadow wait again.
> dag JOB A x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1 4
3: 	assigned HTCondor ID (1.0.0)
> event 1 1.0
> event 1 1.1
> event 1 1.2
> event 1 1.3
> ad DAG_JobsIdle DAG_JobsRunning
DAG_JobsIdle = 0
DAG_JobsRunning = 4
> event 4 1.0
> event 7 1.1
> event 10 1.2
> event 24 1.3
> ad DAG_JobsIdle DAG_JobsRunning
DAG_JobsIdle = 4
DAG_JobsRunning = 0
> event 11 1.2
> event 1 1.0
> event 1 1.0
> ad DAG_JobsIdle DAG_JobsRunning
DAG_JobsIdle = 2
DAG_JobsRunning = 2
> event 28 1.0
> event 6 1.1
> event 1 99.0
> event 12 99.0 name=nobody
> event 13 1.-1
> ad DAG_JobsIdle DAG_JobsRunning
DAG_JobsIdle = 2
DAG_JobsRunning = 2

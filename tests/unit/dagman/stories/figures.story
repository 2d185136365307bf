# The job ad of condor_dagman: the figures that condor_q and htcondor dag status show.
> with max_idle=5 max_jobs=4 max_pre=3 max_post=2 max_hold=1 max_submits_per_interval=7
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag PARENT A CHILD D
> dag SCRIPT PRE C pre
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node C...
[Noted] C what=PRE_SCRIPT_STARTED retry=0
[RunScript] C PRE: pre
> turn
[Submit] A B
> queued A 1 3
3: 	assigned HTCondor ID (1.0.0)
> submitted B 0
3: 	assigned HTCondor ID (0.0.0)
> event 0 0.0 name=B
> event 1 0.0
> event 1 1.0
> event 1 1.1
> event 5 1.1 code=0
2: Node A job proc (1.1.0) completed successfully.
> ad
DAG_Status = 0
DAG_InRecovery = 0
DAG_NodesTotal = 4
DAG_NodesDone = 0
DAG_NodesPrerun = 1
DAG_NodesQueued = 2
DAG_NodesPostrun = 0
DAG_NodesHoldrun = 0
DAG_NodesReady = 0
DAG_NodesUnready = 1
DAG_NodesFailed = 0
DAG_NodesFutile = 0
DAG_JobsSubmitted = 4
DAG_JobsIdle = 1
DAG_JobsHeld = 0
DAG_JobsRunning = 2
DAG_JobsCompleted = 1
DAGMan_MaxJobs = 4
DAGMan_MaxIdle = 5
DAGMan_MaxPreScripts = 3
DAGMan_MaxPostScripts = 2
DAGMan_MaxHoldScripts = 1
DAGMan_MaxSubmitsPerInterval = 7

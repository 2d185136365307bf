# DAGMAN_REMOVE_NODE_JOBS = False, and no rescue files.
> with remove_node_jobs=False max_rescue_num=0
> dag JOB A x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> removed
1: Received SIGUSR1
1: Aborting DAG...
1: No rescue DAG written because DAGMAN_MAX_RESCUE_NUM is 0
2: Removing submitted jobs...
2: Note: 0 total node deferrals because of -MaxJobs limit (0)
2: Note: 0 total node deferrals because of -MaxIdle limit (1000)
2: Note: 0 total node deferrals because of node category throttles
2: Note: 0 total PRE script deferrals because of -MaxPre limit (20) or DEFER
2: Note: 0 total POST script deferrals because of -MaxPost limit (20) or DEFER
2: Note: 0 total HOLD script deferrals because of -MaxHold limit (20) or DEFER
[ShowStatus] publish
[Finish] 2 RM

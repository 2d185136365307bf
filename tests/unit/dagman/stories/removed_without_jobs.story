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
[ShowStatus] publish
[Finish] 2 RM

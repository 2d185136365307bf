# ... and the end of the DAG where it is not.
> dag JOB A x
> dag SCRIPT PRE A pre $JOBID
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
1: Warning: $JOBID macro should not be used as a PRE script argument!
1: ERROR: Warning is fatal error because of DAGMAN_USE_STRICT setting
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
2: Note: 0 total node deferrals because of -MaxJobs limit (0)
2: Note: 0 total node deferrals because of -MaxIdle limit (1000)
2: Note: 0 total node deferrals because of node category throttles
2: Note: 0 total PRE script deferrals because of -MaxPre limit (20) or DEFER
2: Note: 0 total POST script deferrals because of -MaxPost limit (20) or DEFER
2: Note: 0 total HOLD script deferrals because of -MaxHold limit (20) or DEFER
[ShowStatus] publish
[Finish] 1 ERROR

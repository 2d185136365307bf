# Macros that are none end the DAG where DAGMAN_USE_STRICT says so.
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
[ShowStatus] publish
[Finish] 1 ERROR

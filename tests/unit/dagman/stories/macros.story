# Macros that are none: a warning where DAGMAN_USE_STRICT is 0.
> with strict=0
> dag JOB A x
> dag SCRIPT PRE A pre $JOBID $nosuch $node
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
1: Warning: $JOBID macro should not be used as a PRE script argument!
1: Warning: unrecognized macro $nosuch in node A PRE script arguments
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre $JOBID $nosuch A

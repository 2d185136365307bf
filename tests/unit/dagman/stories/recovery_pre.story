# Ends of PRE scripts that no event tells of: nodes go on from there.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag SCRIPT PRE A pre
> dag SCRIPT PRE B pre
> dag SCRIPT PRE C pre
> pre-end A code=0
> pre-end B signal=9
> begin recovery
3: Number of pre-completed nodes: 0
> recovered
2: Running PRE script of Node C...
[Noted] C what=PRE_SCRIPT_STARTED retry=0
[RunScript] C PRE: pre
2: PRE script of node A had ended before condor_dagman was started again
[Noted] A what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node A completed successfully.
2: PRE script of node B had ended before condor_dagman was started again
1: PRE Script of node B died on signal 9 (Killed)
[Noted] B what=PRE_SCRIPT_FAILURE code=-9 retry=0
[NodeEnded] B success=False
> turn
[Submit] A
> states
A SUBMITTED
B ERROR
C PRERUN

# DEFER: a script runs again later; others of its kind that wait meanwhile.
> with max_pre=1
> dag JOB A x
> dag JOB B x
> dag SCRIPT DEFER 4 60 PRE A pre
> dag SCRIPT DEFER 4 30 PRE B pre
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> wake
never
> script A PRE code=4
2: Deferring PRE script of node A for 60 seconds (exit status was 4)...
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> wake
in 60 s
> script B PRE code=4
2: Deferring PRE script of node B for 30 seconds (exit status was 4)...
> wake
in 30 s
> turn +29
> turn +1
2: Running PRE script of Node B...
[Noted] B what=PRE_SCRIPT_STARTED retry=0
[RunScript] B PRE: pre
> turn +30
> script B PRE code=0
[Noted] B what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node B completed successfully.
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> wake
never
> script A PRE code=1
1: PRE Script of Node A failed with status 1
[Noted] A what=PRE_SCRIPT_FAILURE code=1 retry=0
[NodeEnded] A success=False
> turn
[Submit] B
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
2: Note: 4 total PRE script deferrals because of -MaxPre limit (1) or DEFER
[ShowStatus] publish
[Finish] 2 RM

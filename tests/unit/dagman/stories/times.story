# Times count from when something happened, and not from the last turn.
> dag JOB A x
> dag JOB B x
> dag SCRIPT DEFER 4 60 PRE A pre
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> wait 100
> script A PRE code=4
2: Deferring PRE script of node A for 60 seconds (exit status was 4)...
> wake
in 60 s
> turn
[Submit] B
> wait 50
> refused B
[Noted] B what=SUBMIT_FAILURE retry=0
2: Job submit try 1/6 failed, will try again in >= 1 second.
> wake
in 1 s

# DAGMAN_RETRY_SUBMIT_FIRST = False: the one that was refused goes behind the others.
> with retry_submit_first=False
> dag JOB A x
> dag JOB B x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> untried B
> refused A
[Noted] A what=SUBMIT_FAILURE retry=0
2: Job submit try 1/6 failed, will try again in >= 1 second.
> turn +1
[Submit] B A

# DAGMAN_SUBMIT_DELAY: submits are so many seconds apart.
> with submit_delay=100
> dag JOB A x
> dag JOB B x
> begin
3: Number of pre-completed nodes: 0
> wake
never
> turn
2: Sleeping for 100 s (DAGMAN_SUBMIT_DELAY) to throttle submissions...
[Submit] A
> wake
in 100 s
> turn +99
> turn +1
2: Sleeping for 100 s (DAGMAN_SUBMIT_DELAY) to throttle submissions...
[Submit] B
> wake
never

# 0 is no limit: of submits, jobs, idle jobs, scripts, holds; a category without MAXJOBS has none either.
> with max_idle=0 max_submits_per_interval=0 max_pre=0 max_job_holds=0
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag CATEGORY A free
> dag CATEGORY B free
> dag SCRIPT PRE C pre
> dag SCRIPT PRE D pre
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node C...
[Noted] C what=PRE_SCRIPT_STARTED retry=0
[RunScript] C PRE: pre
2: Running PRE script of Node D...
[Noted] D what=PRE_SCRIPT_STARTED retry=0
[RunScript] D PRE: pre
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> event 12 1.0
3:   Hold reason: (unknown)

# -MaxIdle 2: no node is submitted while two jobs are idle.
> with max_idle=2
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued B 2
3: 	assigned HTCondor ID (2.0.0)
> turn
> event 1 1.0
> turn
[Submit] C
> queued C 3
3: 	assigned HTCondor ID (3.0.0)
> event 12 3.0
3:   Hold reason: (unknown)
> turn
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
2: Note: 6 total node deferrals because of -MaxIdle limit (2)
[ShowStatus] publish
[Finish] 2 RM

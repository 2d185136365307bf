# Limits: jobs, idle jobs, submits at a time, categories; how often they made something wait.
> with max_jobs=3 max_idle=2 max_submits_per_interval=2
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag JOB D x
> dag JOB E x
> dag CATEGORY A c
> dag CATEGORY B c
> dag CATEGORY C c
> dag CATEGORY D none
> dag MAXJOBS c 1
> dag MAXJOBS none 0
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A E
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> queued E 2
3: 	assigned HTCondor ID (2.0.0)
> turn
> event 1 1.0
> event 1 2.0
> turn
> event 5 1.0 code=0
2: Node A job proc (1.0.0) completed successfully.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_SUCCESS code=0 retry=0 job=(1, 0)
[NodeEnded] A success=True
> turn
[Submit] B
> queued B 3
3: 	assigned HTCondor ID (3.0.0)
> event 1 3.0
> event 5 3.0 code=1
1: Node B job proc (3.0.0) failed with status 1.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=1 retry=0 job=(3, 0)
[NodeEnded] B success=False
> turn
[Submit] C
> queued C 4
3: 	assigned HTCondor ID (4.0.0)
> event 5 4.0 code=0
2: Node C job proc (4.0.0) completed successfully.
2: Node C job(s) have exited the queue
[Noted] C what=JOB_SUCCESS code=0 retry=0 job=(4, 0)
[NodeEnded] C success=True
> event 5 2.0 code=0
2: Node E job proc (2.0.0) completed successfully.
2: Node E job(s) have exited the queue
[Noted] E what=JOB_SUCCESS code=0 retry=0 job=(2, 0)
[NodeEnded] E success=True
> turn
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=False
2: Note: 3 total node deferrals because of node category throttles
[ShowStatus] publish
[Finish] 2 RM

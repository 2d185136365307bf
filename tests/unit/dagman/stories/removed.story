# condor_rm of the DAG: the FINAL node is submitted as often as any, another not more than twice.
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag FINAL F x
> with max_jobs=3
> begin
3: Number of pre-completed nodes: 0
> turn
[Submit] A B C
> untried C
> refused B
[Noted] B what=SUBMIT_FAILURE retry=0
2: Job submit try 1/6 failed, will try again in >= 1 second.
> queued A 1
3: 	assigned HTCondor ID (1.0.0)
> removed
1: Received SIGUSR1
1: Aborting DAG...
[WriteRescue]
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Removed: User removed scheduler job from queue. keep_lifetime=True
1: Starting final node...
> event 9 1.0
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=-1002 retry=0 job=(1, 0)
[NodeEnded] A success=False
> turn
[Submit] F
> refused F
[Noted] F what=SUBMIT_FAILURE retry=0
2: Job submit try 1/6 failed, will try again in >= 1 second.
> turn +1
[Submit] F
> refused F
[Noted] F what=SUBMIT_FAILURE retry=0
2: Job submit try 2/6 failed, will try again in >= 2 seconds.
> turn +2
[Submit] F
> refused F
[Noted] F what=SUBMIT_FAILURE retry=0
2: Job submit try 3/6 failed, will try again in >= 4 seconds.
> turn +4
[Submit] F
> queued F 3
3: 	assigned HTCondor ID (3.0.0)
> event 5 3.0 code=0
2: Node F job proc (3.0.0) completed successfully.
2: Node F job(s) have exited the queue
[Noted] F what=JOB_SUCCESS code=0 retry=0 job=(3, 0)
[NodeEnded] F success=True
> turn
2: All jobs Completed!
[ShowStatus] publish
[Finish] 0 RM

# All macros, after a job with several processes, one of which was removed.
> with dagman_id=44
> dag JOB A x
> dag JOB B x
> dag JOB C x
> dag PARENT B CHILD C
> dag SCRIPT POST A post $node $job $retry $max_retries $dag_status $failed_count $futile_count $done_count $queued_count $node_count $dagid $jobid $clusterid $job_count $success $return $exit_codes $exit_code_counts $exit_code_list $pre_script_return $job_abort_count
> dag SCRIPT PRE A pre
> dag RETRY A 3
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> script A PRE code=0
[Noted] A what=PRE_SCRIPT_SUCCESS code=0 retry=0
2: PRE Script of node A completed successfully.
> turn
[Submit] B A
> queued A 12 5
3: 	assigned HTCondor ID (12.0.0)
> queued B 13
3: 	assigned HTCondor ID (13.0.0)
> event 5 13.0 code=1
1: Node B job proc (13.0.0) failed with status 1.
2: Node B job(s) have exited the queue
[Noted] B what=JOB_FAILURE code=1 retry=0 job=(13, 0)
[NodeEnded] B success=False
> event 5 12.4 code=10
1: Node A job proc (12.4.0) failed with status 10.
[RemoveJobs] A cluster=12 reason=Node Error: DAG node A (12.4.0) reached failure tolerance after 1 failures.
> event 5 12.2 code=7
1: Node A job proc (12.2.0) failed with status 7.
> event 9 12.3
> event 9 12.1
> event 5 12.0 code=10
1: Node A job proc (12.0.0) failed with status 10.
2: Node A job(s) have exited the queue
[Noted] A what=JOB_FAILURE code=10 retry=0 job=(12, 0)
2: Running POST script of Node A...
[Noted] A what=POST_SCRIPT_STARTED retry=0 job=(12, 0)
[RunScript] A POST: post A A 0 3 2 1 1 0 0 3 44 12.4 12 5 False 10 7,10 7:1,10:2 10,,7,,10 0 2

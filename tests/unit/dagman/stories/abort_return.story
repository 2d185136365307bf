# ABORT-DAG-ON ... RETURN 0 of a PRE script and of a POST script: a success, without a rescue file.
> dag JOB A x
> dag SCRIPT PRE A pre
> dag ABORT-DAG-ON A 5 RETURN 0
> dag RETRY A 3
> begin
3: Number of pre-completed nodes: 0
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=0
[RunScript] A PRE: pre
> script A PRE code=4
1: PRE Script of Node A failed with status 4
[Noted] A what=PRE_SCRIPT_FAILURE code=4 retry=0
3: Retrying node A (retry #1 of 3)...
2: Running PRE script of Node A...
[Noted] A what=PRE_SCRIPT_STARTED retry=1
[RunScript] A PRE: pre
> script A PRE code=5
1: PRE Script of Node A failed with status 5
[Noted] A what=PRE_SCRIPT_FAILURE code=5 retry=1
[NodeEnded] A success=False
1: Aborting DAG because we got the ABORT exit value from a PRE script
1: Aborting DAG...
2: Removing submitted jobs...
2: Removing any/all submitted HTCondor jobs...
[RemoveAll] reason=DAG Abort: DAG is exiting and writing rescue file. keep_lifetime=False
[ShowStatus] publish
[Finish] 0 OK

"""condor_qsub submits, and its jobs wait for others."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def test_a_job_waits_for_another_and_for_its_exit_code(pool: PersonalPool) -> None:
    script = pool.work / "run.sh"
    script.write_text(f"#!/bin/sh\n#$ -N first\nuntil [ -e {pool.work}/gate ]; do sleep 0.05; done\necho $1\nexit $2\n")
    said = [
        pool.tool("condor_qsub", "run.sh", "one", "3").stdout,
        pool.tool("condor_qsub", "run.sh", "two", "100").stdout,
        pool.tool("condor_qsub", "-N", "after", "-hold_jid", "1", "-b", "y", "echo", "released").stdout,
        pool.tool("condor_qsub", "-z", "-N", "never", "-hold_jid", "1,2", "-b", "y", "echo", "no").stdout,
    ]
    assert said == [
        'Your job 1 ("first") has been submitted\n',
        'Your job 2 ("first") has been submitted\n',
        'Your job 3 ("after") has been submitted\n',
        "",
    ]
    assert pool.status_of("3.0") == 5
    (pool.work / "gate").touch()
    wait_for(lambda: not pool.queue("ClusterId"), "all jobs have left the queue")
    assert (pool.work / "first.o1").read_text() == "one\n"
    assert (pool.work / "after.o3").read_text() == "released\n"
    assert not list(pool.work.glob("never.o*"))
    removed = [row for row in pool.history("ClusterId", "JobStatus", "RemoveReason") if row[1] == "3"]
    assert [row[0] for row in removed] == ["5"]
    assert "exited with code 100" in " ".join(removed[0])
    done = pool.tool("condor_qsub", "-hold_jid", "2", "-b", "y", "true", check=False)
    assert (done.returncode, done.stderr) == (100, "Error: Job dependency 2 completed but exited with code 100.\n")


def test_a_script_on_standard_input(pool: PersonalPool) -> None:
    done = pool.tool("condor_qsub", "-t", "1-3:2", stdin="#$ -N task\necho task $SGE_TASK_ID of $SGE_TASK_LAST\n")
    assert done.stdout == 'Your job 1 ("task") has been submitted\n'
    wait_for(lambda: not pool.queue("ClusterId"), "both tasks are done")
    assert (pool.work / "task.o1.1").read_text() == "task 1 of 3\n"
    assert (pool.work / "task.o1.3").read_text() == "task 3 of 3\n"

"""condor_qsub submits, and its jobs wait for others."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def test_a_job_waits_for_another_and_for_its_exit_code(pool: PersonalPool) -> None:
    one, two, after, _, never = (str(pool.first_cluster + number) for number in range(5))
    script = pool.work / "run.sh"
    script.write_text(f"#!/bin/sh\n#$ -N first\nuntil [ -e {pool.work}/gate ]; do sleep 0.05; done\necho $1\nexit $2\n")
    said = [
        pool.tool("condor_qsub", "run.sh", "one", "3").stdout,
        pool.tool("condor_qsub", "run.sh", "two", "100").stdout,
        pool.tool("condor_qsub", "-N", "after", "-hold_jid", one, "-b", "y", "echo", "released").stdout,
        pool.tool("condor_qsub", "-z", "-N", "never", "-hold_jid", f"{one},{two}", "-b", "y", "echo", "no").stdout,
    ]
    assert said == [
        f'Your job {one} ("first") has been submitted\n',
        f'Your job {two} ("first") has been submitted\n',
        f'Your job {after} ("after") has been submitted\n',
        "",
    ]
    assert pool.status_of(after) == 5
    (pool.work / "gate").touch()
    wait_for(lambda: not pool.queue("ClusterId"), "all jobs have left the queue")
    assert (pool.work / f"first.o{one}").read_text() == "one\n"
    assert (pool.work / f"after.o{after}").read_text() == "released\n"
    assert not list(pool.work.glob("never.o*"))
    removed = [row for row in pool.history("ClusterId", "JobStatus", "RemoveReason") if row[1] == "3"]
    assert [row[0] for row in removed] == [never]
    assert "exited with code 100" in " ".join(removed[0])
    done = pool.tool("condor_qsub", "-hold_jid", two, "-b", "y", "true", check=False)
    assert (done.returncode, done.stderr) == (100, f"Error: Job dependency {two} completed but exited with code 100.\n")


def test_a_script_on_standard_input(pool: PersonalPool) -> None:
    task = pool.first_cluster
    done = pool.tool("condor_qsub", "-t", "1-3:2", stdin="#$ -N task\necho task $SGE_TASK_ID of $SGE_TASK_LAST\n")
    assert done.stdout == f'Your job {task} ("task") has been submitted\n'
    wait_for(lambda: not pool.queue("ClusterId"), "both tasks are done")
    assert (pool.work / f"task.o{task}.1").read_text() == "task 1 of 3\n"
    assert (pool.work / f"task.o{task}.3").read_text() == "task 3 of 3\n"

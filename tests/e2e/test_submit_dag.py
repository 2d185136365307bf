"""condor_submit_dag gives the queue a condor_dagman, a job of the scheduler universe."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from pool import PersonalPool, wait_for

#: Stands for condor_dagman: notes how it was called, and ends.
_DAGMAN = """#!/bin/sh
printf '%s\\n' "$@" > called
env > surroundings
exit 0
"""


def test_a_dag_is_submitted_and_its_condor_dagman_started(pool: PersonalPool, tmp_path: Path) -> None:
    program = tmp_path / "condor_dagman"
    program.write_text(_DAGMAN)
    program.chmod(0o755)
    (pool.work / "t.dag").write_text("SET_JOB_ATTR Mine = 7\nENV SET COLOR=blue\nJOB A x.sub\n")
    done = pool.tool("condor_submit_dag", "-dagman", str(program), "-batch-name", "mine", "-maxjobs", "3", "t.dag")
    cluster = pool.first_cluster
    assert f"1 job(s) submitted to cluster {cluster}.\n" in done.stdout
    assert done.stdout.count("-" * 71) == 2
    pool.wait("t.dag.dagman.log")
    called = (pool.work / "called").read_text().split("\n")
    assert called[:5] == ["-f", "-l", ".", "-Lockfile", "t.dag.lock"]
    assert called[called.index("-MaxJobs") + 1] == "3"
    surroundings = (pool.work / "surroundings").read_text()
    assert "COLOR=blue\n" in surroundings
    assert "_CONDOR_DAGMAN_LOG=t.dag.dagman.out\n" in surroundings
    asked = shlex.split("-af JobBatchName Mine JobUniverse OtherJobRemoveRequirements IsDaemonCore")
    recorded = f"mine 7 7 DAGManJobId =?= {cluster} true\n"
    wait_for(lambda: pool.tool("condor_history", str(cluster), *asked).stdout == recorded, "it is recorded")
    assert os.path.exists(pool.work / "t.dag.lib.out")

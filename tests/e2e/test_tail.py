"""condor_tail looks at what running jobs have written, whether their files are transferred or not."""

from __future__ import annotations

import subprocess
import sys

from pool import MAIN, PersonalPool, wait_for

_JOB = """
executable = {program}
arguments = {name}
output = {name}.out
error = {name}.err
log = {name}.log
{transfer}
queue
"""
_PROGRAM = """#!/bin/sh
echo "hello from $1"
echo trouble >&2
echo partial > result.txt
until [ -e {gate} ]; do sleep 0.05; done
echo "the end of $1"
"""


def test_output_errors_and_listed_files_of_running_jobs(pool: PersonalPool) -> None:
    _start(pool, "there", "should_transfer_files = YES\ntransfer_output_files = result.txt")
    _start(pool, "here", "should_transfer_files = NO")
    _start(pool, "away", "should_transfer_files = YES\nstream_output = true\nstream_error = true")
    here, there, away = _cluster(pool, "here"), _cluster(pool, "there"), _cluster(pool, "away")
    for job, name in ((here, "here"), (there, "there"), (away, "away")):
        wait_for(lambda job=job: pool.tool("condor_tail", job, check=False).stdout, "the job prints")  # type: ignore[misc]
        assert pool.tool("condor_tail", f"{job}.0").stdout == f"hello from {name}\n"
        wait_for(lambda job=job: pool.tool("condor_tail", "-stderr", job).stdout == "trouble\n", "and complains")  # type: ignore[misc]
        assert pool.tool("condor_tail", "-maxbytes", "3", job).stdout == f"hello from {name}\n"[-3:]
    partial = ("condor_tail", "-no-stdout", there, "result.txt")
    wait_for(lambda: pool.tool(*partial, check=False).stdout == "partial\n", "and has something to show")
    refused = pool.tool("condor_tail", there, "../../x", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "transfer_output_files" in refused.stderr

    follower = subprocess.Popen(
        [sys.executable, "-I", str(MAIN), "condor_tail", "-f", there],
        env=pool.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert follower.stdout is not None
    assert follower.stdout.readline() == "hello from there\n"
    (pool.work / "gate").touch()
    assert follower.stdout.read() == "the end of there\n"
    assert follower.wait() == 0
    wait_for(lambda: pool.status_of(there) is None, "the job has left")
    gone = pool.tool("condor_tail", there, check=False)
    assert (gone.returncode, gone.stderr) == (1, f"No such job: {there}.0\n")


def test_jobs_that_do_not_run(pool: PersonalPool) -> None:
    held = pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    done = pool.tool("condor_tail", str(held), check=False)
    assert (done.returncode, done.stderr) == (
        1,
        f"Job {held}.0 is on hold: submitted on hold at user's request\n",
    )
    for words, text in ((("x",), "Invalid Job ID: x\n"), ((), "Job ID not specified.\n")):
        done = pool.tool("condor_tail", *words, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(text + "Usage: condor_tail")


def _start(pool: PersonalPool, name: str, transfer: str) -> None:
    program = pool.work / "program"
    if not program.exists():  # other jobs may be reading it
        program.write_text(_PROGRAM.format(gate=pool.work / "gate"))
        program.chmod(0o755)
    pool.submit(_JOB.format(program=program, name=name, transfer=transfer))


def _cluster(pool: PersonalPool, name: str) -> str:
    wait_for(lambda: 1 in {number for number, _ in pool.events(f"{name}.log")}, "the job runs")
    return pool.events(f"{name}.log")[0][1].split(".")[0]

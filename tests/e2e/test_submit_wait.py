"""condor_submit -wait: back when the jobs have ended, with their exit status."""

from __future__ import annotations

import getpass
import signal
import subprocess
import sys

from live_screen import live_screen
from pool import MAIN, PersonalPool, wait_for

COMMAND = [sys.executable, "-I", str(MAIN), "condor_submit", "-wait", "job.sub"]


def submitted(pool: PersonalPool, text: str) -> subprocess.Popen[str]:
    """condor_submit -wait, running."""
    (pool.work / "job.sub").write_text(text)
    return subprocess.Popen(
        COMMAND,
        env=pool.environment,
        cwd=pool.work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def test_the_highest_exit_status_of_the_jobs(pool: PersonalPool) -> None:
    (pool.work / "job.sub").write_text("shell = exit $(Process)\nqueue 4\n")
    done = pool.tool("condor_submit", "-wait", "job.sub", check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (3, "Submitting job(s)....")
    assert done.stderr.splitlines()[1:] == [
        f"condor_submit: job {pool.first_cluster}.{process}: exit status {process}" for process in range(1, 4)
    ]
    (pool.work / "job.sub").write_text("shell = echo a bad end >&2; kill -TERM $$\nerror = error\nqueue 2\n")
    done = pool.tool("condor_submit", "-wait", "-terse", "job.sub", check=False)
    assert done.returncode == 128 + signal.SIGTERM
    both = f"2 jobs (first {pool.first_cluster + 1}.0)"
    assert done.stderr == f"condor_submit: {both}: killed by signal 15; error ends with: a bad end\n"
    (pool.work / "job.sub").write_text("executable = /bin/true\nmax_materialize = 2\nqueue 5\n")
    assert pool.tool("condor_submit", "-wait", "job.sub", check=False).returncode == 0
    (pool.work / "job.sub").write_text("shell = exit 4\nleave_in_queue = true\nqueue\n")
    assert pool.tool("condor_submit", "-wait", "job.sub", check=False).returncode == 4
    assert len(pool.tool("condor_q", "-af", "JobStatus").stdout.split()) == 1
    for words in (("-all",), ("-forcex", "-all")):  # it would stay as a removed one, too
        pool.tool("condor_rm", *words)


#: A held job, and one that runs: without it the wait would end.
HELD_AND_RUNNING = "executable = /bin/sleep\narguments = 600\nhold = $(held)\nqueue held in (true, false)\n"


def test_a_held_job_is_told_and_a_removed_one_has_failed(pool: PersonalPool) -> None:
    waiting = submitted(pool, HELD_AND_RUNNING)
    assert waiting.stdout is not None
    assert waiting.stderr is not None
    first = waiting.stderr.readline()
    told = first if "is held" in first else waiting.stderr.readline()
    job = told.split()[2].rstrip(":")
    why = "submitted on hold at user's request"
    assert told == f"condor_submit: job {job}: it is held: {why}; what helps: condor_release {job}\n"
    pool.tool("condor_rm", "-all")
    assert waiting.wait(60) == 1
    waiting.communicate()


def test_who_stops_waiting_keeps_his_jobs(pool: PersonalPool) -> None:
    waiting = submitted(pool, HELD_AND_RUNNING)
    assert waiting.stderr is not None
    assert any("is held" in line for line in waiting.stderr), "it follows its jobs"
    wait_for(lambda: pool.tool("condor_q", "-run", "-af", "ClusterId").stdout.split() != [], "a job runs")
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    cluster, other = pool.tool("condor_q", "-af", "ClusterId").stdout.split()
    assert cluster == other
    assert err.splitlines()[-1] == f"condor_submit: the jobs stay in the queue; condor_rm {cluster} removes them"


def test_a_terminal_shows_how_far_it_is(pool: PersonalPool) -> None:
    (pool.work / "job.sub").write_text("shell = until [ -e go ]; do sleep 0.1; done\nqueue 2\n")
    with live_screen(COMMAND, pool.environment, pool.work) as screen:
        screen.shows("0 of 2 jobs done, ")
        (pool.work / "go").touch()
        assert screen.end() == 0
        assert b"\r" in screen.raw.replace(b"\r\n", b"\n")


def test_each_hold_is_told(pool: PersonalPool) -> None:
    waiting = submitted(pool, HELD_AND_RUNNING)
    assert waiting.stderr is not None
    job = next(line for line in waiting.stderr if "is held" in line).split()[2].rstrip(":")
    pool.tool("condor_release", job)
    wait_for(lambda: pool.status_of(job) == 2, "it runs")
    pool.tool("condor_hold", job)
    assert "is held: via condor_hold" in waiting.stderr.readline()
    pool.tool("condor_rm", "-all")
    why = f"via condor_rm (by user {getpass.getuser()})"
    assert waiting.communicate(timeout=60)[1] == (
        f"condor_submit: 2 jobs (first {pool.first_cluster}.0): removed: {why}\n"
    )
    assert waiting.returncode == 1

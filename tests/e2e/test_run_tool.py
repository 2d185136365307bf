"""condor_run waits for its job, hands its output and exit status on, and leaves nothing behind."""

from __future__ import annotations

import os
import pwd
import re
import signal
import subprocess
import sys

from pool import MAIN, PATIENCE, PersonalPool, wait_for


def _left(pool: PersonalPool) -> list[str]:
    return [path.name for path in pool.work.iterdir()]


def test_output_status_and_cleaning_up(pool: PersonalPool) -> None:
    done = pool.tool("condor_run", "echo out; echo err >&2; exit 7", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")
    pool.environment["CONDOR_REQUIREMENTS"] = "(TARGET.Cpus >= 1)"
    done = pool.tool("condor_run", "-a", "My.Tag = 5", "-getenv", "echo", "$HOME", ">", "kept")
    assert (done.stdout, done.stderr) == ("", "")
    assert _left(pool) == ["kept"]
    assert (pool.work / "kept").read_text() == f"{pwd.getpwuid(os.geteuid()).pw_dir}\n"
    wait_for(lambda: pool.history("Tag", "JobUniverse")[0] == ["5", "5"], "it is recorded")
    done = pool.tool("condor_run", "kill -9 $$", check=False)
    assert (done.returncode, done.stderr) == (137, "Condor job killed by signal 9.\n")


def test_a_line_says_what_happened(pool: PersonalPool) -> None:
    done = pool.tool("condor_run", "-summary", "echo out; exit 7", check=False)
    assert (done.returncode, done.stdout) == (7, "out\n")
    told = re.fullmatch(
        rf"condor_run: job {pool.first_cluster}\.0 waited \d+ s and ran \d+ s on slot1_1@\S+"
        r"(; it used \d+ of its 128 MB of memory)?; its exit status is 7\n",
        done.stderr,
    )
    assert told, done.stderr
    done = pool.tool("condor_run", "-summary", "kill -9 $$", check=False)
    assert done.returncode == 137
    assert done.stderr.endswith("; signal 9 ended it\n")


def test_a_job_that_cannot_run_and_is_removed(pool: PersonalPool) -> None:
    running = subprocess.Popen(
        [sys.executable, "-I", str(MAIN), "condor_run", "-summary", "-a", "request_memory = 1 TB", "true"],
        env=pool.environment,
        cwd=pool.work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr
    job = f"{pool.first_cluster}.0"
    reason = running.stderr.readline()
    assert reason.startswith(f"condor_run: job {job} will never run here: no slot is large enough: memory: wants 1 TB")
    pool.tool("condor_rm", "-all")
    out, errors = running.communicate(timeout=60 * PATIENCE)
    assert (running.returncode, out) == (1, "")
    assert errors == f"The job was aborted\ncondor_run: job {job} was removed before its end\n"
    assert _left(pool) == []


def test_warnings_of_the_submit_are_shown(pool: PersonalPool) -> None:
    done = pool.tool("condor_run", "-a", "requrements = true", "echo out")
    expected = "WARNING: the line 'requrements = true' was unused by condor_submit. Is it a typo?\n"
    assert (done.stdout, done.stderr) == ("out\n", expected)


def test_a_wrong_command_line_and_a_refused_submit(pool: PersonalPool) -> None:
    done = pool.tool("condor_run", check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("Usage: condor_run")
    done = pool.tool("condor_run", "-u", "nosuch", "true", check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("Failed to submit Condor job.\n")
    assert _left(pool) == []


def test_a_killed_condor_run_removes_its_job(pool: PersonalPool) -> None:
    running = subprocess.Popen(
        [sys.executable, "-I", str(MAIN), "condor_run", "touch started; sleep 600"],
        env=pool.environment,
        cwd=pool.work,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for((pool.work / "started").exists, "the job runs")
    running.send_signal(signal.SIGTERM)
    assert running.wait(60 * PATIENCE) == 128 + signal.SIGTERM
    assert running.stderr is not None
    assert running.stderr.read() == "Killed by SIGTERM.\n"
    wait_for(lambda: not pool.queue("ClusterId"), "the job is gone")
    assert _left(pool) == ["started"]

"""condor_run waits for its job, hands its output and exit status on, and leaves nothing behind."""

from __future__ import annotations

import os
import pwd
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

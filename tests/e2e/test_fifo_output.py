"""A job whose output is a pipe that nobody reads."""

from __future__ import annotations

import os
import time

from pool import PATIENCE, PersonalPool, wait_for


def test_a_job_whose_output_is_a_pipe(pool: PersonalPool) -> None:
    """It waits for whoever reads, as in a shell; nobody waits with it when it is removed."""
    os.mkfifo(pool.work / "pipe")
    text = "executable = /bin/echo\narguments = \"'$HOME; ls' b\"\noutput = pipe\nlog = {}\n"
    text += "should_transfer_files = NO\nqueue\n"
    job = pool.submit(text.format("first"))
    wait_for(lambda: pool.status_of(f"{job}.0") == 2, "it runs")
    wait_for(lambda: (1, f"{job}.0") in pool.events("first"), "and waits for a reader")
    begun = time.monotonic()
    pool.tool("condor_rm", str(job))
    wait_for(lambda: "Claimed" not in pool.tool("condor_status", "-nocompact", "-af", "State").stdout, "a free slot")
    assert time.monotonic() - begun < 30 * PATIENCE
    wait_for(lambda: pool.events("first")[-1][0] == 9, "the log tells of it")
    pool.submit(text.format("second"))
    with open(pool.work / "pipe", encoding="utf-8") as pipe:
        assert pipe.read() == "$HOME; ls b\n"
    pool.wait("second")
    pool.recorded([["0"], ["undefined"]], "ExitCode")

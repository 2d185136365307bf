"""The gridmanager of a user when it, or its schedd, is killed; no batch system is needed for it."""

from __future__ import annotations

import getpass
import os
import signal
from pathlib import Path

from pool import PersonalPool, of_processes, wait_for


def gridmanagers(pool: PersonalPool) -> list[int]:
    """Process ids of those of a pool."""
    ours = set(pool.processes())
    return [pid for pid, words in of_processes("cmdline") if pid in ours and b"\0GRIDMANAGER\0" in words]


def test_files_of_jobs_that_have_ended_go_after_a_kill(own_pool: PersonalPool) -> None:
    """Another one is started that removes them, though its user has no jobs; it leaves when that is done."""
    user, sandbox = getpass.getuser(), own_pool.spool / "grid"
    job = own_pool.submit("universe = grid\ngrid_resource = batch lsf\nexecutable = /bin/true\nqueue\n")
    wait_for(lambda: gridmanagers(own_pool), "the gridmanager works for the job")
    wait_for(lambda: (sandbox / user / "jobs").is_dir(), "and has made its directories")
    own_pool.tool("condor_rm", str(job))
    own_pool.tool("condor_rm", "-forcex", str(job), check=False)  # without its batch system it may be gone already
    wait_for(lambda: own_pool.status_of(str(job)) is None, "the job is gone")

    def left() -> list[Path]:
        files = [sandbox / user / "jobs" / "old_1" / "scratch" / "out", sandbox / user / "notices" / "old_1.said"]
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("of a job that has ended\n")
        return files

    files = left()
    os.kill(gridmanagers(own_pool)[0], signal.SIGKILL)
    wait_for(lambda: not any(path.exists() for path in files), "the next gridmanager has removed them")
    wait_for(lambda: not (sandbox / user / "jobs" / "old_1").exists(), "with their directory")
    files = left()
    killed = own_pool.kill("schedd")
    wait_for(lambda: own_pool.pid("schedd") != killed and own_pool.ready(), "the schedd is back")
    wait_for(lambda: not any(path.exists() for path in files), "that of the next schedd has removed them")
    wait_for(lambda: not gridmanagers(own_pool), "it leaves: it has nothing to do")
    wait_for(lambda: [path.name for path in sandbox.iterdir()] == [user], "and nothing tells the next schedd of it")

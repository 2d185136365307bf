"""What goes wrong while a DAG of a walk runs: kills of condor_dagman, daemons and starters, all at once as a reboot
does, a disk that is full for a while, condor_hold, condor_rm.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pool import PersonalPool, of_processes, wait_for

_FULL_SECONDS = 1.5


def kill_manager(folder: Path) -> None:
    """kill -9 of the condor_dagman that works in a directory."""
    for pid, command in of_processes("cmdline"):
        with suppress(OSError):
            if b"failing_dagman.py" in command and Path(f"/proc/{pid}/cwd").readlink() == folder:
                os.kill(pid, signal.SIGKILL)


def _startd(pool: PersonalPool, folder: Path, cluster: int) -> None:
    old = pool.kill("startd")
    wait_for(lambda: pool.pid("startd") != old, "the master starts the startd again")


def _starter(pool: PersonalPool, folder: Path, cluster: int) -> None:
    for pid in pool.starters():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _boot(pool: PersonalPool, folder: Path, cluster: int) -> None:
    old = {daemon: pool.pid(daemon) for daemon in ("schedd", "startd")}
    while found := pool.processes():
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    pool.start()
    for daemon, pid in old.items():  # the ads that tell of a pool that is ready are those of before
        wait_for(lambda one=daemon, was=pid: pool.pid(one) != was, f"{daemon} is up again")


def _full(pool: PersonalPool, folder: Path, cluster: int) -> None:
    fill(folder)
    time.sleep(_FULL_SECONDS)  # what happens in that time is what is tried
    (folder / "filler").unlink()


def fill(folder: Path) -> None:
    """Take the rest of the file system."""
    with (folder / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def _schedd(pool: PersonalPool, folder: Path, cluster: int) -> None:
    old = pool.kill("schedd")
    wait_for(lambda: pool.pid("schedd") != old, "the master starts the schedd again")


def _hold(pool: PersonalPool, folder: Path, cluster: int) -> None:
    pool.tool("condor_hold", str(cluster), check=False)
    pool.tool("condor_release", str(cluster), check=False)


def _remove(pool: PersonalPool, folder: Path, cluster: int) -> None:
    pool.tool("condor_rm", str(cluster), check=False)


FAULTS: dict[str, Callable[[PersonalPool, Path, int], None]] = {
    "schedd": _schedd,
    "dagman": lambda pool, folder, cluster: kill_manager(folder),
    "hold": _hold,
    "startd": _startd,
    "starter": _starter,
    "boot": _boot,
    "full": _full,
    "remove": _remove,
}
#: Those after which a job may run again, each run with its event.
RUN_AGAIN = {"startd", "starter", "boot"}


def disturb(pool: PersonalPool, faults: list[tuple[str, int]], folder: Path, cluster: int) -> None:
    """One fault after the other, each when the nodes log has so many events, or the DAG is over."""
    log = folder / "t.dag.nodes.log"

    def reached(count: int) -> bool:
        return log.exists() and log.read_text().count("\n...\n") >= count

    for fault, count in faults:
        wait_for(lambda most=count: reached(most) or over(pool, folder, cluster), f"{count} events in {folder}", 60)
        FAULTS[fault](pool, folder, cluster)


def over(pool: PersonalPool, folder: Path, cluster: int) -> bool:
    """Whether the DAG has left the queue. On a disk that was full its log may not tell."""
    log = folder / "t.dag.dagman.log"
    if log.exists() and re.search(rf"^00[59] \({cluster:03d}\.", log.read_text(), re.M):
        return True
    return os.path.ismount(folder) and [str(cluster)] not in pool.queue("ClusterId")


@contextlib.contextmanager
def small_disk(folder: Path, is_wanted: bool):  # type: ignore[no-untyped-def]
    """The directory, on a file system of its own that can be filled."""
    folder.mkdir()
    if not is_wanted:
        yield
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k,mode=755", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)

"""Removal of what starters leave when they or their daemon are killed: processes, hanging starters, and directories."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

from condor_py.daemons.common.remover import GONE, Remover
from condor_py.machine.probes import process

#: How the directory of a trial begins, in which the startd finds out what the machine can do; behind it is the number
#: of its process.
TRIAL = "trial_"
#: These, those of plugins, and what older versions made.
_TRIALS = (TRIAL, "test_file_transfer.", "docker_test.", "singularity_test.", "java_test.", "vm_test.")


def clear_execute(execute: str, log: str, remover: Remover, tell: Callable[[str], None]) -> None:
    """Makes the directory ``execute`` if need be, ends what former starters left running in it, and removes what they
    left lying there. No starter of ours may work there yet."""
    try:
        os.makedirs(execute, 0o755, exist_ok=True)
    except OSError as error:
        tell(f"cannot make the scratch directory {execute}: {error.strerror}")
        return
    for pid in end_starters(execute, os.path.realpath(log)):
        tell(f"killed the left-over starter {pid}")
    left = process.kill_family(lambda: process.find_by_environ("_CONDOR_SCRATCH_DIR", execute, below=True))
    if left:
        tell(f"cannot kill left-over job processes {sorted(left)}")
    for name in os.listdir(execute):
        if name.startswith(("dir_", GONE, *_TRIALS)):
            tell(f"removing left-over {execute}/{name}")
            remover.take_away(f"{execute}/{name}")


_ROOM = re.compile(r"dir_(\d+)\Z")


def end_starters(execute: str, log: str) -> list[int]:
    """Kill the starters whose directories are in ``execute``, if they still run; return their pids.

    A pid may have been reused: only a process that has a file in our ``log`` directory open is ours.
    """
    found = [int(match[1]) for name in os.listdir(execute) if (match := _ROOM.match(name))]
    ours = [pid for pid in found if pid != os.getpid() and _has_open(pid, log)]
    process.send(ours, signal.SIGKILL)
    return ours


def _has_open(pid: int, directory: str) -> bool:
    """Whether a process has a file below ``directory`` open."""
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    for name in names:
        try:
            if os.readlink(f"{folder}/{name}").startswith(directory.rstrip("/") + "/"):
                return True
        except OSError:
            continue
    return False

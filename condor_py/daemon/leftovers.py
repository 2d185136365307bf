"""Starters that outlived their startd. They leave by themselves when it dies; one that hangs or is stopped does not."""

from __future__ import annotations

import os
import re
import signal

from condor_py.hardware import process

_ROOM = re.compile(r"dir_(\d+)\Z")


def end_starters(execute: str, log: str) -> list[int]:
    """Kills the starters whose directories lie in ``execute``, as far as they still run; their pids.

    A pid may belong to anybody by now: only a process that has a file in our ``log`` directory open is ours.
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

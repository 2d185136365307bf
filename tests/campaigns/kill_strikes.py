"""Who can be killed in a pool: its processes by what they are."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from pool import PersonalPool, of_processes

DAEMONS = ("master", "schedd", "negotiator", "startd")
#: How often each kind of process is chosen, among those that there are.
WEIGHTS = {
    "schedd": 16, "startd": 8, "negotiator": 6, "master": 2, "web": 2, "gridmanager": 4, "dagman": 8, "starter": 20,
    "helper": 8, "job": 18, "program": 6, "tool": 10, "engine": 6, "everything": 2,
}  # fmt: skip
_ENGINES = ("podman", "conmon", "runc", "docker", "crun")


def processes(pool: PersonalPool) -> set[int]:
    """The processes of a pool. Those of the jobs of a Slurm, which has its own machine as it were, are not the pool's,
    although they have its environment."""
    mark = str(pool.directory).encode()
    found = of_processes("environ")
    return {pid for pid, data in found if mark in data and b"SLURM_JOB_ID=" not in data} - {os.getpid()}


def victims(pool: PersonalPool) -> dict[str, list[int]]:
    """The processes of a pool by what they are, and what runs in its containers."""
    pids = processes(pool)
    parents = {int(name): _parent(int(name)) for name in os.listdir("/proc") if name.isdecimal()}
    engines = {pid for pid in pids if _is_engine(_words(pid))}
    pids |= {pid for pid in parents if engines.intersection(_ancestors(pid, parents))}
    daemons = {}
    for daemon in DAEMONS:
        with suppress(OSError, LookupError):
            daemons[pool.pid(daemon)] = daemon
    starters = {pid for pid in pids if pid in set(_starters(pool))}
    found: defaultdict[str, list[int]] = defaultdict(list)
    for pid in sorted(pids):
        found[_kind_of(pid, parents, daemons, starters)].append(pid)
    found.pop("", None)
    return found


def strike(pid: int) -> bool:
    """Kills a process; whether it was there."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def _kind_of(pid: int, parents: dict[int, int], daemons: dict[int, str], starters: set[int]) -> str:
    if pid in daemons:
        return daemons[pid]
    if pid in starters:
        return "starter"
    words = _words(pid)
    if not words or parents[pid] < 0:
        return ""
    if _is_engine(words):
        return "engine"
    ours = [os.path.basename(word) for word in words if "condor" in word]
    if "GRIDMANAGER" in words:
        return "gridmanager"
    for name in ("dagman", "web"):
        if f"condor_{name}" in ours:
            return name
    if "main.py" in ours or "__main__.py" in ours:
        return "helper"
    above = _ancestors(pid, parents)
    if any(ancestor in starters or _is_engine(_words(ancestor)) for ancestor in above):
        return "job"
    return "program"


def _is_engine(words: list[str]) -> bool:
    """Whether it is a command of an engine of containers, or what stays with a container."""
    return bool(words) and (
        os.path.basename(words[0]) in _ENGINES or any(word.endswith("/engine") for word in words[:2])
    )


def _ancestors(pid: int, parents: dict[int, int]) -> list[int]:
    found: list[int] = []
    while (pid := parents.get(pid, 0)) > 1 and pid not in found:
        found.append(pid)
    return found


def _starters(pool: PersonalPool) -> list[int]:
    places = (pool.execute, pool.spool / "local_univ_execute")
    return [int(path.name[4:]) for place in places for path in place.glob("dir_*") if path.name[4:].isdecimal()]


def _parent(pid: int) -> int:
    """The parent of a process; -1 when it has ended."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return -1
    return -1 if state in "ZX" else int(parent)


def _words(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []

"""The startds of this machine: where their pools keep what they publish."""

from __future__ import annotations

import os
from dataclasses import dataclass

from condor_py.client.lockfile import lock_holder
from condor_py.client.pool import Pool


@dataclass(frozen=True, slots=True)
class Place:
    """A startd: the directory of the ads of its pool, and its process id (0: it does not run)."""

    ads: str
    pid: int


def configured(pool: Pool) -> Place:
    """The startd of the configured pool."""
    return Place(pool.paths.ads, lock_holder(f"{pool.paths.lock}/startd.lock"))


def of_log_directory(pool: Pool, log: str) -> Place | None:
    """The pool that logs in a directory: the configured one, or one with the usual places beside it."""
    if os.path.realpath(log) == os.path.realpath(pool.paths.log):
        return configured(pool)
    ads = f"{os.path.dirname(os.path.abspath(log))}/spool/ads"
    return Place(ads, lock_holder(f"{log}/startd.lock")) if os.path.isdir(ads) else None


def running(pool: Pool) -> list[Place]:
    """Every startd whose open files may be looked at: one's own processes, or all for root."""
    found = {}
    here = configured(pool)
    for name in os.listdir("/proc"):
        log = _startd_log(name) if name.isdigit() else None
        if log is None:
            continue
        place = of_log_directory(pool, log)
        if place is not None and place.pid and os.path.isdir(place.ads):  # starters hold the file open too
            found[place.pid] = place
    if here.pid:
        found[here.pid] = here
    return [found[pid] for pid in sorted(found)]


def _startd_log(pid: str) -> str | None:
    """The log directory of a process that is a startd of this package."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        if b"STARTD" not in words or not any(word.endswith(b"daemon/main.py") for word in words):
            return None
        for name in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{name}")
            if os.path.basename(target) == ".startd.lock":
                return os.path.dirname(target)
    except OSError:
        return None
    return None

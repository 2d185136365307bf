"""The starter is the subreaper of everything its job starts: nothing can leave the family, and nothing is left
unreaped.

Looking at and signalling processes is done by a ``Processes`` handed in (condor_py.daemon.starter.jobfamily).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from typing import Protocol

_PR_SET_CHILD_SUBREAPER = 36


class FamilyUsage(Protocol):
    """Sums over a job's living processes: seconds of CPU, KB of resident memory and of address space, how many."""

    @property
    def user_cpu(self) -> float: ...

    @property
    def sys_cpu(self) -> float: ...

    @property
    def rss_kb(self) -> int: ...

    @property
    def image_kb(self) -> int: ...

    @property
    def processes(self) -> int: ...


class Processes(Protocol):
    """Finding, signalling and killing processes."""

    @property
    def counts_ended(self) -> bool:
        """Whether ``usage`` also counts the CPU of processes that ended since the program was started."""

    def descendants(self, pid: int, /) -> set[int]:
        """All living processes below ``pid``."""

    def send(self, pids: Iterable[int], number: int, /) -> int:
        """Sends a signal to each; how many took it."""

    def usage(self, pids: Iterable[int], /) -> FamilyUsage:
        """What living processes use together."""

    def kill_family(self, find: Callable[[], Iterable[int]], /) -> set[int]:
        """Kills what ``find`` finds until nothing is found; what is left."""


def become_subreaper() -> None:
    """Orphans among our descendants become our children (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_all() -> bool:
    """Collects every ended child; True when no child is left."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return False

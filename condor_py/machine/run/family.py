"""The starter is the subreaper of everything its job starts: nothing can leave the family, and nothing is left
unreaped.

Looking at and signalling processes is done by a ``Family`` handed in (condor_py.daemons.starter.jobfamily).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from typing import Protocol

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.process import Within
from condor_py.model.report import ExitReport

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


class ContainerUsage(FamilyUsage, Protocol):
    """That of everything which is and was in a container; bytes that came and went over its network, -1 where nothing
    knows."""

    @property
    def received(self) -> int: ...

    @property
    def sent(self) -> int: ...


class ContainerWatch(Protocol):
    """The view of a container without asking its engine."""

    def first(self) -> int:
        """Its first process; 0 as long as it is being made, and where it is unknown."""

    def abandoned(self, pid: int, /) -> bool:
        """Whether no process of the engine keeps the container any more whose first process this is."""

    def usage(self, pid: int, /) -> ContainerUsage:
        """Return the usage of the container with this first process; an empty one when that is gone."""


class Family(Protocol):
    """Finding, signalling, limiting and killing the processes of a slot's jobs."""

    @property
    def counts_ended(self) -> bool:
        """Whether ``usage`` also counts the CPU of processes that ended since the program was started."""

    def descendants(self, pid: int, /) -> set[int]:
        """All living processes below ``pid``."""

    def send(self, pids: Iterable[int], number: int, /) -> int:
        """Sends a signal to each; how many took it."""

    def usage(self, pids: Iterable[int], /) -> FamilyUsage:
        """Return the common usage of living processes."""

    def container(self, name: str, /) -> ContainerWatch:
        """The container with this id."""

    def sees(self, pid: int, path: str, /) -> tuple[int, int] | None:
        """Device and inode of what ``path`` is for a process; None when it is gone, or sees nothing there."""

    def innermost(self, pid: int, /) -> int:
        """The first process below ``pid`` that sees other directories than ``pid`` and we do; 0 if no process does."""

    def kill_family(self, find: Callable[[], Iterable[int]], /) -> set[int]:
        """Kills what ``find`` finds until nothing is found; what is left."""

    def prepare(self, job_ad: ClassAd) -> None:
        """Limits what the next job may use. OSError when that cannot be done."""

    def within(self, job_ad: ClassAd) -> Within:
        """Return the surroundings of this job's program."""

    def again(self) -> None:
        """The job continues with a new program: what was used so far has been counted."""

    def join(self) -> None:
        """Takes the calling process, a fresh child of the starter, into the family. OSError."""

    def too_big(self) -> bool:
        """Whether the job has met its limit of memory."""

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """Seconds of CPU (user, system) that were used beyond what is ``counted``."""

    def judge(self, report: ExitReport) -> ExitReport:
        """The report of a job that may have been killed for its memory."""


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

"""The way of programs into a job's control group, with as little waiting for the kernel as can be.

Moving a process into a group makes the kernel wait, once a hierarchy (some 10 ms each). In version 1 it need not be
moved: a thread of ours, which may be elsewhere than its process, has been in the group since the starter began, and
what it starts is born there. In version 2 the kernel itself lets a process be born in a group, unless it has killed
that group by its file: then, and where the kernel is too old, the new process moves itself before it executes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from condor_py.machine.probes.jobgroup import JobGroup


class Inhabitant(Protocol):
    """A thread of ours in the group that starts programs there, known by ``handle`` to the code that starts them."""

    handle: Any

    def is_inside(self) -> bool:
        """Whether the kernel has let it in; waits until that is known."""

    def leave(self) -> None:
        """Ends it."""


class GroupDoor:
    """The way into one group. ``close`` it before the group. ``enter`` makes an inhabitant of tasks files, where there
    can be one."""

    def __init__(self, group: JobGroup, enter: Callable[[tuple[str, ...]], Inhabitant] | None) -> None:
        self._group = group
        self._inhabitant: Inhabitant | None = None
        #: What is left to do for who is started by the inhabitant.
        self._left: tuple[str, ...] | None = None
        tasks = group.thread_files()
        if enter is not None and tasks:
            group.expect_thread()
            self._inhabitant = enter(tasks)

    def join(self) -> None:
        """Takes the calling process into the group. OSError."""
        self._group.join()

    def ways(self) -> tuple[tuple[str, ...], Any]:
        """See ``starter.spawning.Door``."""
        inhabitant = self._inhabitant
        if inhabitant is not None and inhabitant.is_inside():
            if self._left is None:
                self._left = self._group.doors(inside=True)
            return self._left, inhabitant.handle
        return self._group.doors(inside=False), None

    def close(self) -> None:
        """The inhabitant leaves the group, which cannot be removed before."""
        if self._inhabitant is not None:
            self._inhabitant.leave()
            self._inhabitant = None

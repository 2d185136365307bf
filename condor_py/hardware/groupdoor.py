"""Starting programs inside a job's control group, with as little waiting for the kernel as can be.

Moving a process into a group makes the kernel wait, once a hierarchy. In version 1 it need not be moved: a thread of
ours, which may be elsewhere than its process, has been in the group since the starter began, and what it starts is
born there. In version 2 the new process moves itself before it executes. (clone3 can start a process in a group of
version 2. But a kernel that has killed a group by its file kills what is started in it from elsewhere, from then on.)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

from condor_py.hardware.jobgroup import JobGroup

#: (process id, step that failed, errno) of an attempt to start a program; -1 for the process when it failed.
Outcome = tuple[int, str, int]
#: An attempt, told the files into which the new process has to write itself.
Attempt = Callable[[tuple[str, ...]], Outcome]


class GroupDoor:
    """The way into one group. ``close`` it before the group."""

    def __init__(self, group: JobGroup, *, threaded: bool) -> None:
        self._group = group
        self._attempts: SimpleQueue[Attempt | None] = SimpleQueue()
        self._answers: SimpleQueue[Outcome | BaseException | bool] = SimpleQueue()
        self._inside: bool | None = None
        self._thread: threading.Thread | None = None
        if threaded and group.doors(inside=False) != group.doors(inside=True):
            group.threads = 1
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def join(self) -> None:
        """Takes the calling process into the group. OSError."""
        self._group.join()

    def run(self, attempt: Attempt) -> Outcome:
        """Lets the attempt start a program in the group."""
        if not self._is_inside():
            return attempt(self._group.doors(inside=False))
        self._attempts.put(attempt)
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        assert not isinstance(answer, bool)
        return answer

    def _is_inside(self) -> bool:
        """Whether the thread is in the group: it says so once."""
        if self._inside is None:
            self._inside = self._thread is not None and self._answers.get() is True
        return self._inside

    def _serve(self) -> None:
        """What the thread does. One that is not let in ends at once."""
        inside = self._group.admit_thread()
        self._answers.put(inside)
        while inside and (attempt := self._attempts.get()) is not None:
            try:
                self._answers.put(attempt(self._group.doors(inside=True)))
            except BaseException as error:  # whoever asked is waiting for an answer
                self._answers.put(error)

    def close(self) -> None:
        """The thread leaves the group, which cannot be removed before."""
        if self._thread is not None:
            self._attempts.put(None)
            self._thread.join()
            # Python's thread ends before the kernel's does.
            while os.path.exists(f"/proc/self/task/{self._thread.native_id}"):
                os.sched_yield()
            self._thread = None

"""Starting programs inside a job's control group, from their first moment and without making the kernel wait.

Moving a running process into a group stops the kernel for some milliseconds, once a hierarchy. So a process is not
moved: in version 2 it is born in the group (clone3), and in version 1 it is started by a thread of ours that has been
in the group since the starter began, for there a thread need not be where its process is.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

from condor_py.hardware.jobgroup import JobGroup

#: (process id, step that failed, errno) of an attempt to start a program; -1 for the process when it failed.
Outcome = tuple[int, str, int]
#: An attempt, told the descriptor of a group of version 2 (-1: none) and the files that take the new process.
Attempt = Callable[[int, tuple[str, ...]], Outcome]
#: What the kernel says when there is just no room for one more process.
_FULL = (errno.EAGAIN, errno.ENOMEM)


class GroupDoor:
    """The way into one group. ``close`` it before the group."""

    def __init__(self, group: JobGroup, *, threaded: bool) -> None:
        self._group = group
        self._descriptor = group.open()
        self._attempts: SimpleQueue[Attempt | None] = SimpleQueue()
        self._answers: SimpleQueue[Outcome | BaseException | bool] = SimpleQueue()
        self._inside: bool | None = None
        self._thread: threading.Thread | None = None
        if threaded and group.doors(born=True, inside=False):
            group.threads = 1
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def join(self) -> None:
        """Takes the calling process into the group. OSError."""
        self._group.join()

    def run(self, attempt: Attempt) -> Outcome:
        """Lets the attempt start a program in the group."""
        outcome = self._once(attempt)
        if outcome[1] == "clone" and self._descriptor >= 0 and outcome[2] not in _FULL:
            self._forget_descriptor()  # a kernel, or a guard of system calls, that does not know how
            outcome = self._once(attempt)
        return outcome

    def _once(self, attempt: Attempt) -> Outcome:
        inside = self._is_inside()
        doors = self._group.doors(born=self._descriptor >= 0, inside=inside)
        if not inside:
            return attempt(self._descriptor, doors)
        self._attempts.put(lambda descriptor, _: attempt(descriptor, doors))
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
                self._answers.put(attempt(self._descriptor, ()))
            except BaseException as error:  # whoever asked is waiting for an answer
                self._answers.put(error)

    def _forget_descriptor(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def close(self) -> None:
        """The thread leaves the group, which cannot be removed before."""
        self._forget_descriptor()
        if self._thread is not None:
            self._attempts.put(None)
            self._thread.join()
            # Python's thread ends before the kernel's does.
            while os.path.exists(f"/proc/self/task/{self._thread.native_id}"):
                os.sched_yield()
            self._thread = None

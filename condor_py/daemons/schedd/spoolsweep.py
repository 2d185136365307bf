"""Files in the spool of jobs and factories that have left the queue, which a schedd was to remove when it died."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import GONE, Remover
from condor_py.machine.run import trees
from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue

_OF_JOB = re.compile(r"cluster(\d+)\.proc(\d+)\.subproc0(\.|\Z)")
#: Files of a factory; while a command writes one its name ends with the number of the process.
_FACTORY = re.compile(r"condor_submit\.(\d+)\.(?:digest|items)(?:\.tmp(\d+))?\Z")


class SpoolSweep:
    """One look at the spool, a directory at a time when the schedd has nothing else to do.

    A cluster is gone when the queue does not have it and its number was given before. The files of one that is being
    submitted are in the spool before its jobs are in the queue: its number was not.
    """

    def __init__(self, loop: Loop, queue: JobQueue, spool: str, log: Callable[[str], None]) -> None:
        self._loop, self._queue, self._spool, self._log = loop, queue, spool, log
        self._remover = Remover(loop, log, spool)
        self._waiting: deque[str] = deque()

    def begin(self) -> None:
        """Looks at the spool, and at each directory of it later."""
        for name in os.listdir(self._spool):
            if name.startswith(GONE):
                self._take_away(f"{self._spool}/{name}")
            elif name.isdecimal():
                self._waiting.append(name)
        if self._waiting:
            self._loop.when_idle(self._next, last=True)

    def _next(self) -> None:
        folder = f"{self._spool}/{self._waiting.popleft()}"
        for name in _names(folder):
            if name.isdecimal():
                self._look_at_jobs(f"{folder}/{name}")
            elif (match := _FACTORY.match(name)) and self._is_gone(int(match[1])) and not _runs(match[2]):
                self._remove_file(f"{folder}/{name}")
        _remove_if_empty(folder)
        if self._waiting:
            self._loop.when_idle(self._next, last=True)

    def _remove_file(self, path: str) -> None:
        self._log(f"removing left-over {path}")
        try:
            trees.remove(path)
        except OSError as error:  # the next schedd tries it again
            self._log(f"cannot remove {path}: {error.strerror}")

    def _look_at_jobs(self, above: str) -> None:
        for name in _names(above):
            match = _OF_JOB.match(name)
            if name.startswith(GONE) or (match and self._has_left(JobId(int(match[1]), int(match[2])))):
                self._take_away(f"{above}/{name}")
        _remove_if_empty(above)

    def _is_gone(self, cluster: int) -> bool:
        given = max(self._queue.next_cluster - 1, self._queue.last_cluster)
        return cluster <= given and self._queue.cluster(cluster) is None

    def _has_left(self, job: JobId) -> bool:
        """Whether a job is in the queue no more; one that a factory has yet to make has no files."""
        if self._queue.cluster(job.cluster) is None:
            return self._is_gone(job.cluster)
        return not self._queue.among([job])

    def _take_away(self, path: str) -> None:
        self._log(f"removing left-over {path}")
        self._remover.take_away(path)


def _runs(pid: str | None) -> bool:
    return pid is not None and os.path.exists(f"/proc/{pid}")


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # a file, or gone
        return []


def _remove_if_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        return  # others have files there

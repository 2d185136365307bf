"""The notices that the scripts of batch jobs leave: heard of at once where the kernel tells us (a disk of this
machine), and with each look at the jobs wherever they come from."""

from __future__ import annotations

import os

from condor_py.core.grid import events as told
from condor_py.daemons.common.watch import DirectoryWatch
from condor_py.daemons.gridmanager.host import Host
from condor_py.machine.batch import notices


class NoticeBoard:
    """Tells the core of each beginning and each end once."""

    def __init__(self, host: Host, directory: str) -> None:
        self._host = host
        self._directory = directory
        #: How often a job has begun, as far as the core knows.
        self._begun: dict[str, int] = {}
        self._ended: set[str] = set()
        DirectoryWatch(host.loop, directory, self._written)

    def read(self) -> None:
        """Looks at all notices."""
        for file in sorted(os.listdir(self._directory)):
            self._written(file)

    def forget(self, name: str) -> None:
        """A job's notices are to be removed."""
        self._begun.pop(name, None)
        self._ended.discard(name)

    def _written(self, file: str) -> None:
        name, dot, ending = file.rpartition(".")
        if dot + ending == notices.BEGAN:
            self._tell_beginning(name)
        elif dot + ending == notices.ENDED and name not in self._ended:
            if name not in self._begun:
                self._tell_beginning(name)
            self._tell_end(name)

    def _tell_beginning(self, name: str) -> None:
        job = self._host.job_named(name)
        found = None if job is None else notices.beginning(self._directory, name)
        known = self._begun.get(name, 0)
        if job is not None and found is not None and found.times > known:
            self._begun[name] = found.times
            self._host.tell(told.Began(job, found.number, found.when, found.host, again=known > 0))

    def _tell_end(self, name: str) -> None:
        job = self._host.job_named(name)
        found = None if job is None else notices.ending(self._directory, name)
        if job is not None and found is not None:
            self._ended.add(name)
            self._host.tell(told.Ended(job, found))

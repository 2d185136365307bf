"""The copy of the starter's log that a job asks for (starter_debug): a file in its scratch directory.

It begins when the scratch directory is there, with the lines since the job came. The starter's log has one level of
detail; whatever flags the job names, it gets that.
"""

from __future__ import annotations

import os

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import STARTER_LOG_NAME
from condor_py.machine.run.userfiles import open_user_file


class JobLog:
    """Takes the lines of ``log`` for one job. Lines that come before ``open`` wait in memory."""

    def __init__(self, log: DaemonLog) -> None:
        self._log = log
        self._waiting: list[bytes] | None = []
        self._descriptor = -1
        log.copy = self._take

    def _take(self, data: bytes) -> None:
        if self._waiting is not None:
            self._waiting.append(data)
            return
        try:
            os.write(self._descriptor, data)
        except OSError:  # the disk of the job is full
            return

    def open(self, scratch: str, owner: Account | None) -> None:
        """Begin the file, with the rights of the job's owner. Without a file the lines are lost."""
        waiting, self._waiting = self._waiting or [], None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        try:
            with as_user(owner):
                self._descriptor = open_user_file(f"{scratch}/{STARTER_LOG_NAME}", flags, 0o644)
        except OSError as error:
            self._log.copy = None
            self._log.write(f"Cannot write {scratch}/{STARTER_LOG_NAME}: {error.strerror}")
            return
        for data in waiting:
            self._take(data)

    def close(self) -> None:
        """End the copy."""
        self._log.copy = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def job_log(ad: ClassAd, log: DaemonLog) -> JobLog | None:
    """The copy that a job wants; None when it wants none."""
    wanted = ad.evaluate("JobStarterDebug")
    if isinstance(wanted, str):
        return None if wanted.strip().lower() in ("", "false") else JobLog(log)
    return JobLog(log) if wanted is True else None

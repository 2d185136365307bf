"""The copy of the starter's log that a job asks for (starter_debug): a file in its scratch directory.

It begins when the scratch directory is there, with the lines since the job came. The starter's log has one level of
detail; whatever flags the job names, it gets that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import now
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import STARTER_LOG_NAME
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.errors import StoreError
from condor_py.model.later import Later
from condor_py.model.report import ExitReport

if TYPE_CHECKING:
    from condor_py.lang import events as kinds
    from condor_py.store import event_log
else:  # hardly a job names a log of the starter's
    kinds, event_log = Later("condor_py.lang.events"), Later("condor_py.store.event_log")


class JobLog:
    """Takes the lines of ``log`` for one job. Lines that come before ``open`` wait in memory."""

    def __init__(self, log: DaemonLog) -> None:
        self._log = log
        self._waiting: list[bytes] | None = []
        self._descriptor = -1
        log.copy_to(self._take)

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
            self._log.copy_to(None)
            self._log.write(f"Cannot write {scratch}/{STARTER_LOG_NAME}: {error.strerror}")
            return
        for data in waiting:
            self._take(data)

    def close(self) -> None:
        """End the copy."""
        self._log.copy_to(None)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def job_log(ad: ClassAd, log: DaemonLog) -> JobLog | None:
    """The copy that a job wants; None when it wants none."""
    if ad.text("JobStarterDebug") is None:
        return None
    wanted = ad.evaluate("JobStarterDebug")
    if isinstance(wanted, str):
        return None if wanted.strip().lower() in ("", "false") else JobLog(log)
    return JobLog(log) if wanted is True else None


def starter_user_log(
    ad: ClassAd, directory: str, moved: bool, complain: Callable[[str], None]
) -> StarterUserLog | None:
    """The log that a job names; None for most. ``directory`` is where its program runs; a job that was moved there
    (``moved``) has its log there, too."""
    name = ad.eval_str("StarterUserLog", None) or ""
    if moved:
        name = os.path.basename(name)
    return StarterUserLog(ad, os.path.join(directory, name), complain) if name else None


class StarterUserLog:
    """The log of one job, at ``path``."""

    def __init__(self, ad: ClassAd, path: str, complain: Callable[[str], None]) -> None:
        self._path = path
        self._form = event_log.Form.XML if ad.eval_bool("StarterUserLogUseXML", False) is True else event_log.Form.TEXT
        self._job = ad.eval_int("ClusterId", None) or 1, ad.eval_int("ProcId", None) or 0
        self._complain = complain

    def started(self, owner: Account | None, host: str) -> None:
        """001: the program runs."""
        cluster, proc = self._job
        self._write(owner, kinds.Execute(cluster=cluster, proc=proc, time=now(), host=host))

    def ended(self, owner: Account | None, report: ExitReport) -> None:
        """005, or 004 when it was stopped from outside. A program that never ran has no end."""
        if not report.pid:
            return
        cluster, proc = self._job
        used = kinds.CpuUsage(report.usage.user_cpu, report.usage.sys_cpu)
        event: kinds.JobEvent
        if report.vacated:
            event = kinds.JobEvicted(cluster=cluster, proc=proc, time=now(), run_remote=used)
        else:
            event = kinds.JobTerminated(
                cluster=cluster, proc=proc, time=now(), run_remote=used, total_remote=used,
                return_value=report.exit_code, signal=report.exit_signal,
            )  # fmt: skip
        self._write(owner, event)

    def _write(self, owner: Account | None, event: kinds.JobEvent) -> None:
        try:
            with as_user(owner):
                event_log.append(self._path, [event_log.format_event(event, self._form)])
        except (StoreError, OSError) as error:
            self._complain(f"StarterUserLog: {error}")

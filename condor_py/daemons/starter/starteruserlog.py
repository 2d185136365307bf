"""The event log that a fetched job may name (StarterUserLog, StarterUserLogUseXML): the starter writes it, with the
job's identity, for there is no schedd that would."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.daemons.common.loop import now
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, as_user
from condor_py.model import events as kinds
from condor_py.model.errors import StoreError
from condor_py.model.events import CpuUsage
from condor_py.model.report import ExitReport
from condor_py.store.event_log import Form, append, format_event


class StarterUserLog:
    """The log of one job; nothing where the job names none. ``directory`` is where its program runs; a job that was
    moved there (``moved``) has its log there, too."""

    def __init__(self, ad: ClassAd, directory: str, moved: bool, complain: Callable[[str], None]) -> None:
        name = ad.eval_str("StarterUserLog", None) or ""
        if moved:
            name = os.path.basename(name)
        self._path = os.path.join(directory, name) if name else ""
        self._form = Form.XML if ad.eval_bool("StarterUserLogUseXML", False) is True else Form.TEXT
        self._job = ad.eval_int("ClusterId", None) or 1, ad.eval_int("ProcId", None) or 0
        self._complain = complain

    def started(self, owner: Account | None, host: str) -> None:
        """001: the program runs."""
        cluster, proc = self._job
        self._write(owner, kinds.Execute(cluster=cluster, proc=proc, time=now(), host=host))

    def ended(self, owner: Account | None, report: ExitReport) -> None:
        """005, or 004 when it was stopped from outside. A program that never ran has no end."""
        if not self._path or not report.pid:
            return
        cluster, proc = self._job
        used = CpuUsage(report.usage.user_cpu, report.usage.sys_cpu)
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
        if not self._path:
            return
        try:
            with as_user(owner):
                append(self._path, [format_event(event, self._form)])
        except (StoreError, OSError) as error:
            self._complain(f"StarterUserLog: {error}")

"""The record of a job's use over time: points from the looks at its processes, and marks."""

from __future__ import annotations

from dataclasses import replace

from condor_py.daemons.common.loop import monotonic
from condor_py.machine.probes.mounts import Mounts
from condor_py.machine.run import trees
from condor_py.machine.run.run import Run
from condor_py.model.report import ExitReport
from condor_py.model.usagerecord import UsageRecord

#: Of a scratch directory with more files the disk is not measured while the job runs.
_MOST_FILES = 5_000
_NEVER = float("inf")


class UsageRecorder:
    """One run at a time. Nothing is made for a run that is over before its first point is due."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._record: UsageRecord | None = None
        self._begun, self._ended = 0.0, 0.0
        self._due = _NEVER
        self._rss_kb = 0
        self._measures_disk = True
        self._mounts = Mounts()

    def begin(self) -> None:
        """The program of a run was started."""
        self._record = None
        self._begun, self._ended = monotonic(), 0.0
        self._due = self._interval or _NEVER
        self._measures_disk = True

    def look(self, run: Run, sample: dict[str, str]) -> None:
        """Take a look at the job as a point, if one is due. ``sample`` has the attributes of ``Meter.look``."""
        at = monotonic() - self._begun
        if at < self._due:
            return
        record = self._made()
        cpu = float(sample["RemoteUserCpu"]) + float(sample["RemoteSysCpu"])
        self._rss_kb = int(sample["ResidentSetSize_RAW"])
        record.add(at, cpu, self._rss_kb, self._disk_kb(run))
        self._due = record.due

    def mark(self, word: str) -> None:
        """Note that something happened."""
        if self._interval and self._begun:
            self._made().mark(monotonic() - self._begun, word)

    @property
    def text(self) -> str:
        """The record so far; "" without one."""
        return "" if self._record is None else self._record.text()

    def end(self) -> None:
        """The program is over."""
        self._ended = monotonic()

    def completed(self, report: ExitReport) -> ExitReport:
        """Return the report of the run with the record, and be ready for the next run."""
        record, self._record = self._record, None
        at, used = self._ended - self._begun, report.usage
        self._begun, self._due = 0.0, _NEVER
        if record is None or at <= 0.0:
            return report
        if record.text():
            record.add(at, used.user_cpu + used.sys_cpu, self._rss_kb, used.disk_kb)
        return report.but(usage=replace(used, record=record.text()))

    def _made(self) -> UsageRecord:
        if self._record is None:
            self._record = UsageRecord(float(self._interval))
        return self._record

    def _disk_kb(self, run: Run) -> int | None:
        """Return the disk that the job's scratch directory takes, in KB; None where that is too much work.

        What the job has mounted there might not answer: it is not measured then.
        """
        scratch = run.place.sandbox.scratch
        if not self._measures_disk or self._mounts.any_inside(scratch):
            return None
        disk_kb, files = trees.measure(scratch, most=_MOST_FILES)
        self._measures_disk = files <= _MOST_FILES
        return disk_kb if self._measures_disk else None

"""Reads what a report describes: the history, the records of runs, the records of negotiation cycles, and the queue."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from condor_py.cli.plots import scale
from condor_py.cli.report.figures import Figures
from condor_py.cli.report.records import (
    HELD,
    RUNNING,
    SIZES,
    Run,
    Values,
    job_of,
    label_of_ad,
    run_of,
    values,
)
from condor_py.cli.times import Period
from condor_py.cli.userlog import event_ad
from condor_py.client.progress import Meter
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.states import SLOTLESS, Universe
from condor_py.store.event_log import EventReader, LogEvent
from condor_py.store.history import HistoryRecord, all_records, history_files

if TYPE_CHECKING:
    from condor_py.cli.report.sizes import Sizes
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import Groups, QueueView


#: Seconds by which a record may be older than the one behind it.
_CLOCKS = 300


def first_record(pool: Pool) -> int:
    """Return when the records of runs and of jobs begin (Unix seconds); 0 where there are none."""
    times: list[int] = []
    for path in filter(None, map(pool.config.path, ("JOB_EPOCH_HISTORY", "HISTORY"))):
        try:
            record = next(all_records(path, newest_first=False), None)
        except StoreError:  # the walk through it reports that
            continue
        if record is not None and (written := record.written()) is not None:
            found = values(record)
            begin = found.whole("shadowbday", "jobcurrentstartdate") if found is not None else 0
            times.append(min(begin or written, written))
    return min(times, default=0)


class Counter(Protocol):
    """Shows how many records have been read, until all are."""

    def at(self, count: int) -> None:
        """So many records are read."""

    def done(self) -> None:
        """All records are read."""


class Histories:
    """Reads the histories of a pool as far as they are about a period; ``notes`` collects what is not on record. Of
    each at most the newest ``most`` records are read (None: all)."""

    def __init__(
        self, pool: Pool, period: Period, notes: list[str], meter: Counter | None = None, most: int | None = None
    ) -> None:
        self._pool, self._period, self._notes = pool, period, notes
        self._meter = Meter(None, "records read") if meter is None else meter
        self._most = most
        self._read = self._damaged = 0

    def walk(self, knob: str, what: str, take: Callable[[Values], None], **names: frozenset[str]) -> bool:
        """Every record of a history that may be in the period, newest first; whether there is such a history."""
        path = self._pool.config.path(knob)
        if not path:
            if knob == "HISTORY":
                self._notes.append("No history is kept (HISTORY): nothing is known of jobs that have left.")
            return False
        oldest: int | None = None
        whole = True
        for name in history_files(path):
            if not os.access(name, os.R_OK) and os.path.exists(name):  # one that is gone has been rotated
                raise CondorError(f"condor_report: cannot read {name} ({knob}): Permission denied")
        for number, record in enumerate(all_records(path)):
            if number == self._most:
                whole = False
                since = f", those since {scale.moment(oldest)}" if oldest is not None else ""
                self._notes.append(
                    f"{what}: only the newest {number:,} records were read{since} ({knob}); condor_report reads all."
                )
                break
            self.count()
            written = record.written()
            if written is not None:
                oldest = written
                if written < self._period.since - _CLOCKS:
                    whole = False
                    break
            self._take(record, take, **names)
        if whole and oldest is not None and oldest > self._period.since + _CLOCKS:
            self._notes.append(f"{what} are on record since {scale.moment(oldest)} ({knob}).")
        return True

    def _take(self, record: HistoryRecord, take: Callable[[Values], None], **names: frozenset[str]) -> None:
        if record.kind() not in ("JOB", "EPOCH", ""):
            return
        found = values(record, **names) if record.text else None
        if found is None:
            self._damaged += bool(record.text)
        else:
            take(found)

    def count(self) -> None:
        """One record more was read."""
        self._read += 1
        self._meter.at(self._read)

    def done(self) -> None:
        """All that is wanted was read."""
        self._meter.done()
        if self._damaged:
            self._notes.append(f"{self._damaged} records of the histories cannot be read and are left out.")


class Gathering:
    """One report's way through the files of a pool; ``sizes`` gets the jobs and runs as well.

    ``asked_at`` is when the report was asked for (Unix seconds; None: now): one whose time reaches to that moment lists
    the jobs that wait, however long the reading takes.
    """

    def __init__(
        self,
        pool: Pool,
        figures: Figures,
        histories: Histories | None = None,
        sizes: Sizes | None = None,
        asked_at: int | None = None,
    ) -> None:
        self.pool, self.figures, self._sizes = pool, figures, sizes
        self._asked_at = pool.now() if asked_at is None else asked_at
        self._histories = Histories(pool, figures.period, figures.notes) if histories is None else histories

    def everything(self) -> None:
        """All sources. CondorError says which one cannot be read."""
        names = {} if self._sizes is None else {"numbers_of": SIZES}
        has_runs = self._histories.walk("JOB_EPOCH_HISTORY", "Runs of jobs", self._run, **names)
        self._histories.walk("HISTORY", "Jobs", self._job if has_runs else self._job_and_run, **names)
        if not has_runs:
            self.figures.notes.append(
                "No runs are recorded (JOB_EPOCH_HISTORY): cores in use are those of the last run of each job that has "
                "left the queue, and nothing is known of runs that were cut short."
            )
        if self.figures.batch is None:
            self._cycles()
        self._queue()
        self._event_log()
        self._histories.done()

    # -- histories -------------------------------------------------------------------------------------------

    def _job(self, found: Values) -> None:
        self.figures.job(job_of(found))
        if self._sizes is not None:
            self._sizes.job(found)

    def _run(self, found: Values) -> None:
        if self._sizes is not None:
            self._sizes.run(found)
        run = run_of(found)
        if run is not None:
            self.figures.run(run, f"{found.whole('clusterid')}.{found.whole('procid')}")
            if self.figures.wants(run.owner):
                self.figures.batches.add(found)

    def _job_and_run(self, found: Values) -> None:
        self._job(found)
        job = job_of(found)
        begin = found.whole("jobcurrentstartdate")
        if begin and begin <= job.ended and not job.slotless:
            self.figures.run(Run(job.owner, job.label, begin, job.ended, job.cpus, None), job.id)

    # -- the rest --------------------------------------------------------------------------------------------

    def _cycles(self) -> None:
        """NEGOTIATION_HISTORY: shares, demand and use."""
        from condor_py.store.cyclelog import records

        path = self.pool.config.path("NEGOTIATION_HISTORY")
        figures = self.figures
        first: int | None = None
        try:
            for record in records(path, figures.period.since) if path else ():
                self._histories.count()
                first = record.begin if first is None else first
                if record.begin >= figures.period.until:
                    break
                figures.cycles(record)
        except StoreError as error:
            raise CondorError(f"condor_report: {error}") from None
        if first is None or first >= figures.period.until:
            figures.notes.append(
                "No negotiation cycles are on record for this time (NEGOTIATION_HISTORY): nothing is known of what "
                "users were entitled to."
            )
        elif first > figures.period.since + _CLOCKS:
            figures.notes.append(f"Negotiation cycles are on record since {scale.moment(first)}.")

    def _queue(self) -> None:
        """Runs in progress, and jobs that are on hold."""
        try:
            view = self.pool.read_queue()
        except CondorError as error:
            self.figures.notes.append(f"The queue could not be read: jobs that run now are left out ({error}).")
            return
        period, now = self.figures.period, self.pool.now()
        groups = view.groups()
        if period.until > self._asked_at:
            self._waiting(view, groups)
        ids = [(cluster, proc) for cluster, procs in groups for proc in procs]
        states = view.texts("JobStatus", groups)
        for (cluster, proc), state in zip(ids, states, strict=True):
            if state not in (str(RUNNING), str(HELD)):
                continue
            ad = view.job(JobId(cluster, proc))
            if ad is None:
                continue
            owner, label, name = ad.eval_str("Owner", "") or "?", label_of_ad(ad), f"{cluster}.{proc}"
            since = ad.eval_int("EnteredCurrentStatus", 0)
            if state == str(HELD):
                if self.figures.wants_job(owner, label, name) and period.since <= since < period.until:
                    reason = ad.eval_int("HoldReasonCode", 0), ad.eval_str("HoldReason", "")
                    self.figures.hold(reason, name)
            elif ad.eval_int("JobUniverse", Universe.VANILLA) not in SLOTLESS:
                begin = ad.eval_int("ShadowBday", 0) or ad.eval_int("JobCurrentStartDate", 0)
                cpus = ad.eval_real("CpusProvisioned", 0.0) or ad.eval_real("RequestCpus", 1.0) or 1.0
                if begin:
                    self.figures.run(Run(owner, label, begin, max(now, begin), cpus, None), name, ended=False)

    def _waiting(self, view: QueueView, groups: Groups) -> None:
        """Jobs that wait now, by batch and reason."""
        from condor_py.cli.waiting import around_pool
        from condor_py.cli.waiting.alike import alike
        from condor_py.cli.waiting.rows import part_of, rows_of

        around = around_pool(self.pool, view)
        parts = (part_of(view, found, {}) for found in alike(view, groups, around) if not found.held)
        mine = (part for part in parts if part is not None and self.figures.wants(part.owner))
        self.figures.waiting = rows_of(mine)

    def _event_log(self) -> None:
        """EVENT_LOG describes every hold, where the history and the queue know the last one of a job. It does not tell
        whose job it was."""
        path = self.pool.config.path("EVENT_LOG")
        if not path or self.figures.owner is not None or self.figures.batch is not None:
            return

        found = holds_on_record(path, self.figures.period)
        if found is not None:
            self.figures.every_hold = True
            self.figures.holds.clear()
            for hold in found:
                self.figures.hold(hold.reason, hold.job)


#: A log of more bytes is not read: the history tells of its jobs.
_LARGEST = 200_000_000
_ROTATED = re.compile(r"\.(old|\d+)\Z")


class Hold(NamedTuple):
    """One job was put on hold: code and reason, and the job's id."""

    reason: tuple[int, str]
    job: str


def holds_on_record(path: str, period: Period) -> list[Hold] | None:
    """Each hold in the period; None where the log cannot say: there is none, it is damaged, or it begins later."""
    first: float | None = None
    found: list[Hold] = []
    try:
        for event in _events(path):
            first = event.time if first is None or 0 < event.time < first else first
            if event.number == JobEventType.JOB_HELD and period.since <= event.time < period.until:
                found.append(_hold(event))
    except (StoreError, OSError):
        return None
    return found if first is not None and first <= period.since else None


def _events(path: str) -> Iterator[LogEvent]:
    """The events of the log and of its rotated files."""
    directory, base = os.path.split(path)
    names = [name for name in os.listdir(directory or ".") if _ROTATED.sub("", name) == base]
    for name in names:
        file = os.path.join(directory, name)
        if os.path.getsize(file) > _LARGEST:
            raise StoreError(f"{file} is too large")
        yield from EventReader(file).events()


def _hold(event: LogEvent) -> Hold:
    ad = event_ad(event)
    reason = ad.eval_int("HoldReasonCode", 0), ad.eval_str("HoldReason", "")
    return Hold(reason, f"{event.cluster}.{event.proc}")

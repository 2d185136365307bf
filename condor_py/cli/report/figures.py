"""The figures of a report, added up record by record. Pure; what is kept grows with users, not with jobs, but for eight
bytes a job that started (its waiting time, of which medians are made)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.cli.plots import scale
from condor_py.cli.plots.bins import Bins
from condor_py.cli.report.batches import Batches
from condor_py.cli.report.records import COMPLETED, REMOVED, Job, Run
from condor_py.cli.times import Period
from condor_py.cli.waiting.rows import Row
from condor_py.model.cyclerecords import CycleRecord

#: Bounds: kinds of jobs whose efficiency is reported, and different reasons that are kept apart.
MOST_KINDS, MOST_REASONS, LONGEST = 5000, 300, 240
MOST_DRAINS = 500
#: Seconds between two drains that are counted separately; bins of a chart.
_SAME_DRAIN, _BINS = 300, 168
#: Seconds that charts over time show at least.
_LEAST_SHOWN = 600
OTHERS = "(others)"
_WHO = re.compile(r"\s*\(by user [^)]*\)\Z")


@dataclass(slots=True)
class Amounts:
    """Sums over jobs: ``wall`` and ``cpu`` in hours, ``cores`` core-hours, memory in gigabyte-hours."""

    jobs: int = 0
    completed: int = 0
    failed: int = 0
    removed: int = 0
    wall: float = 0.0
    cores: float = 0.0
    cpu: float = 0.0
    memory_asked: float = 0.0
    memory_used: float = 0.0

    def add(self, job: Job) -> None:
        """One more job."""
        self.jobs += 1
        self.completed += job.status == COMPLETED
        self.failed += bool(job.failed)
        self.removed += job.status == REMOVED
        if job.slotless:
            return
        hours = job.wall / 3600.0
        self.wall += hours
        self.cores += hours * job.cpus
        self.cpu += job.cpu / 3600.0
        self.memory_asked += hours * job.memory / 1024.0
        self.memory_used += hours * job.used / 1024.0


@dataclass(slots=True)
class Kind:
    """Jobs of one user that have the same name and ask for the same: what they ask for (cores, megabytes), and use."""

    owner: str
    label: str
    cpus: float
    memory: float
    amounts: Amounts = field(default_factory=Amounts)
    largest: float = 0.0


@dataclass(slots=True)
class Entitlement:
    """A submitter or group over the period, in slot weight hours: ``used``, ``asked`` for, ``entitled`` to by fair
    share (of a group: its quota), and ``due``: what of that was asked for. ``waiting`` are the
    seconds with jobs that waited."""

    group: str = ""
    used: float = 0.0
    asked: float = 0.0
    entitled: float = 0.0
    due: float = 0.0
    waiting: int = 0
    priority: float = 0.0
    factor: float = 0.0
    lost: int = 0


@dataclass(slots=True)
class Cut:
    """Runs that were cut short, or jobs on hold, for one reason."""

    code: int
    reason: str
    count: int = 0
    hours: float = 0.0
    example: str = ""


@dataclass(slots=True)
class Drain:
    """A time, in Unix seconds, in which slots were drained; ``hours`` in slot weight."""

    begin: int
    end: int
    hours: float = 0.0


class Waits(NamedTuple):
    """Seconds in the queue before the first start: of how many jobs, half of them at most, nine of ten, the worst."""

    jobs: int
    median: int
    most: int
    worst: int


def waits_of(seconds: Iterable[int]) -> Waits:
    """The waiting times by their ranks: the median is the value at rank half of them, rounded up."""
    ordered = sorted(seconds)
    if not ordered:
        return Waits(0, 0, 0, 0)

    def rank(part: float) -> int:
        return ordered[max(0, -int(-len(ordered) * part // 1) - 1)]

    return Waits(len(ordered), rank(0.5), rank(0.9), ordered[-1])


class Figures:
    """All figures of a report about ``period``. ``owner`` restricts it to one user's jobs and submitters, ``batch`` to
    the jobs of a batch name, of a program, or of a cluster number. ``first`` is when the records begin (Unix seconds;
    0: not known)."""

    def __init__(self, period: Period, owner: str | None = None, batch: str | None = None, first: int = 0) -> None:
        self.period, self.owner, self.batch = period, owner, batch
        #: The part of the period that charts over time show.
        self.shown = period
        if period.since < first < period.until:
            self.shown = Period(max(period.since, min(first, period.until - _LEAST_SHOWN)), period.until)
        self.total = Amounts()
        self.users: dict[str, Amounts] = {}
        self.groups: dict[str, Amounts] = {}
        self.kinds: dict[tuple[str, str, float, float], Kind] = {}
        self.failures: dict[tuple[str, str], int] = {}
        self.never_started: dict[str, int] = {}
        self.holds: dict[tuple[int, str], Cut] = {}
        #: Whether ``holds`` counts every hold, and not jobs by their last one.
        self.every_hold = False
        self.cuts: dict[tuple[int, str], Cut] = {}
        #: What waits at the time of the report.
        self.waiting: list[Row] = []
        self.runs = 0
        self.run_hours = 0.0
        width = scale.bin_width(*self.shown, _BINS)
        self.finished, self.cores = Bins(width, 1 << 20), Bins(width, 1 << 20)
        self.entitled: dict[str, Entitlement] = {}
        self.quotas: dict[str, Entitlement] = {}
        self.pool = Bins(width, 1 << 20)
        self.drained = 0.0
        self.drains: list[Drain] = []
        self.known = 0
        self.notes: list[str] = []
        self.batches = Batches(period)
        self._waits: dict[str, array[int]] = {}

    def wants(self, owner: str) -> bool:
        """Whether a user's jobs are reported on."""
        return self.owner is None or owner == self.owner

    def wants_job(self, owner: str, label: str, job: str) -> bool:
        """Whether a job (its id) of a batch or program is reported on."""
        return self.wants(owner) and (self.batch is None or self.batch in (label, job.partition(".")[0]))

    # -- jobs ------------------------------------------------------------------------------------------------

    def job(self, job: Job) -> bool:
        """A job that left the queue; whether it did in the period and is reported on."""
        if not self.period.since <= job.ended < self.period.until:
            return False
        if not self.wants_job(job.owner, job.label, job.id):
            return False
        self.total.add(job)
        self.users.setdefault(job.owner, Amounts()).add(job)
        if job.group:
            self.groups.setdefault(job.group, Amounts()).add(job)
        self.finished.add(job.owner, job.ended)
        if job.failed:
            key = job.owner, job.failed
            self.failures[key] = self.failures.get(key, 0) + 1
        if job.hold is not None:
            self.hold(job.hold, job.id)
        waited = job.waited
        if waited is not None:
            self._waits.setdefault(job.owner, array("q")).append(waited)
        else:
            self.never_started[job.owner] = self.never_started.get(job.owner, 0) + 1
        if not job.slotless and job.wall > 0:
            self._kind(job)
        return True

    def _kind(self, job: Job) -> None:
        key = job.owner, job.label[:LONGEST], job.cpus, job.memory
        kind = self.kinds.get(key)
        if kind is None:
            if len(self.kinds) >= MOST_KINDS:
                key = job.owner, OTHERS, 0.0, 0.0
            kind = self.kinds.setdefault(key, Kind(*key))
        kind.amounts.add(job)
        kind.largest = max(kind.largest, job.used)

    def hold(self, reason: tuple[int, str], job: str) -> None:
        """A job that is on hold, or was."""
        _cut(self.holds, reason, job)

    def waits(self, owner: str | None = None) -> Waits:
        """The waiting times of a user's jobs, or of all."""
        if owner is not None:
            return waits_of(self._waits.get(owner, ()))
        together = array("q")
        for one in self._waits.values():
            together.extend(one)
        return waits_of(together)

    # -- runs ------------------------------------------------------------------------------------------------

    def run(self, run: Run, job: str, ended: bool = True) -> None:
        """A run of a job, as far as it is in the period; one that continues has not ``ended``."""
        begin, end = max(run.begin, self.period.since), min(run.end, self.period.until)
        if not self.wants_job(run.owner, run.label, job) or begin > end:
            return
        self.cores.spread(run.owner, begin, end, run.cpus)
        self.run_hours += (end - begin) * run.cpus / 3600.0
        if ended and self.period.since <= run.end < self.period.until:
            self.runs += 1
            if run.cut is not None:
                _cut(self.cuts, run.cut, job, (run.end - run.begin) * run.cpus / 3600.0)

    @property
    def badput(self) -> float:
        """Core-hours of the runs that were cut short."""
        return sum(cut.hours for cut in self.cuts.values())

    # -- cycles ----------------------------------------------------------------------------------------------

    def cycles(self, record: CycleRecord) -> None:
        """A record of negotiation cycles, which counts when its middle is in the period."""
        if not self.period.since <= (record.begin + record.end) / 2 < self.period.until:
            return
        self.known += record.known
        self.drained += record.drained / 3600.0
        if record.drained:
            self._drain(record)
        if record.known:
            self.pool.add("weight", record.begin, record.weight)
            self.pool.add("seconds", record.begin, record.known)
        for name, part in record.submitters.items():
            if not self.wants(owner_of(name, part.group)):
                continue
            kept = self.entitled.setdefault(name, Entitlement())
            kept.group, kept.priority, kept.factor = part.group, part.priority, part.factor
            kept.used += part.used / 3600.0
            kept.asked += part.asked / 3600.0
            kept.entitled += part.entitled / 3600.0
            kept.due += part.due / 3600.0
            kept.waiting += part.waiting
            kept.lost += sum(part.lost.values())
        if self.owner is not None:
            return
        for name, group in record.groups.items():
            kept = self.quotas.setdefault(name, Entitlement())
            kept.used += group.used / 3600.0
            kept.asked += group.asked / 3600.0
            kept.entitled += group.allowed / 3600.0
            kept.due += min(group.allowed, group.asked) / 3600.0

    def _drain(self, record: CycleRecord) -> None:
        """Drained slots in a record: the drain before continues, or another begins."""
        if not self.drains or record.begin - self.drains[-1].end > _SAME_DRAIN:
            if len(self.drains) >= MOST_DRAINS:
                return
            self.drains.append(Drain(record.begin, record.end))
        self.drains[-1].end = record.end
        self.drains[-1].hours += record.drained / 3600.0

    def pool_weight(self) -> float:
        """The slot weight of the pool, as it was at most in one bin."""
        begin, end = self.pool.bounds()
        pairs = zip(self.pool.values("weight", begin, end), self.pool.values("seconds", begin, end), strict=True)
        return max((weight / seconds for weight, seconds in pairs if seconds), default=0.0)


def owner_of(submitter: str, group: str) -> str:
    """The account behind a submitter's name: ``physics.alice@example.net`` is alice in physics."""
    user = submitter.rpartition("@")[0] or submitter
    return user[len(group) + 1 :] if group and user.lower().startswith(group.lower() + ".") else user


def _cut(kept: dict[tuple[int, str], Cut], reason: tuple[int, str], job: str, hours: float = 0.0) -> None:
    code, text = reason[0], _WHO.sub("", reason[1].strip())[:LONGEST]
    key = code, text
    if key not in kept and len(kept) >= MOST_REASONS:
        key = (code if len(kept) < 2 * MOST_REASONS else 0), OTHERS
    cut = kept.setdefault(key, Cut(*key))
    cut.count += 1
    cut.hours += hours
    cut.example = job


def largest(amounts: Mapping[str, Amounts]) -> list[str]:
    """Names by core-hours, then jobs, the largest first."""
    return sorted(amounts, key=lambda name: (-amounts[name].cores, -amounts[name].jobs, name))

"""The values that a report needs of a record of the history or of the runs, read without a ClassAd where possible.

A million records are read in one pass; values that are expressions, which few records have, are evaluated.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.states import SLOTLESS
from condor_py.store.history import HistoryRecord

_LISTED_TEXTS = "owner acctgroup cmd jobbatchname holdreason lastholdreason vacatereason"
_LISTED_NUMBERS = """
    clusterid procid jobstatus exitcode exitsignal qdate jobstartdate jobcurrentstartdate completiondate
    enteredcurrentstatus remotewallclocktime cumulativeremoteusercpu cumulativeremotesyscpu remoteusercpu remotesyscpu
    requestcpus cpusprovisioned requestmemory residentsetsize residentsetsize_raw holdreasoncode lastholdreasoncode
    vacatereasoncode jobuniverse shadowbday epochwritedate jobcurrentstartexecutingdate
    jobcurrentstarttransferoutputdate totalsubmitprocs runinstanceid
"""
_LISTED_SIZES = """
    memoryprovisioned diskprovisioned diskusage_raw diskusage gpusprovisioned requestgpus gpusaverageusage
    vacatereasonsubcode allowedjobduration allowedexecuteduration
"""
_TEXTS, _NUMBERS = frozenset(_LISTED_TEXTS.split()), frozenset(_LISTED_NUMBERS.split())
#: Numbers that -sizes needs besides.
SIZES = _NUMBERS | frozenset(_LISTED_SIZES.split())
#: No figure of a job is larger; what is, or is no number, is as if it were not there.
_MOST = 1e15
_TRUTHS = frozenset(("exitbysignal",))
COMPLETED, REMOVED, HELD, RUNNING = 4, 3, 5, 2


class Values(NamedTuple):
    """The attributes of a record by name in small letters."""

    texts: dict[str, str]
    numbers: dict[str, float]

    def whole(self, *names: str) -> int:
        """The first of the numbers that is there, 0 without any."""
        return int(self.number(*names))

    def number(self, *names: str) -> float:
        """The same as a real."""
        for name in names:
            if name in self.numbers:
                return self.numbers[name]
        return 0.0

    def text(self, *names: str) -> str:
        """The first of the texts that is there and not empty."""
        return next((found for name in names if (found := self.texts.get(name))), "")


def values(record: HistoryRecord, numbers_of: frozenset[str] = _NUMBERS) -> Values | None:
    """The attributes of a record, numbers of these names; None for one that cannot be read."""
    texts: dict[str, str] = {}
    numbers: dict[str, float] = {}
    evaluated: list[str] = []
    for line in record.text.split("\n"):
        name, equals, value = line.partition(" = ")
        key = name.lower()
        if not equals:
            if line.strip():
                return None
        elif key in _TEXTS:
            if len(value) > 1 and value[0] == value[-1] == '"' and "\\" not in value:
                texts[key] = value[1:-1]
            else:
                evaluated.append(key)
        elif key in numbers_of:
            try:
                number = float(value)
            except ValueError:
                evaluated.append(key)
                continue
            if abs(number) < _MOST:
                numbers[key] = number
        elif key in _TRUTHS:
            numbers[key] = float(value.strip().lower() == "true")
    if evaluated and not _evaluate(record, evaluated, texts, numbers):
        return None
    return Values(texts, numbers)


def _evaluate(record: HistoryRecord, names: list[str], texts: dict[str, str], numbers: dict[str, float]) -> bool:
    try:
        ad = record.ad()
    except StoreError:
        return False
    for name in names:
        if name in _TEXTS:
            texts[name] = ad.eval_str(name, "")
        else:
            value = ad.eval_real(name)
            if value is not None and abs(value) < _MOST:
                numbers[name] = value
    return True


class Job(NamedTuple):
    """A job that left the queue. Times are Unix seconds (0: never), ``cpu`` and ``wall`` seconds over all its runs,
    memory in megabytes (``used`` is the most it had, 0 where it was not measured)."""

    id: str
    owner: str
    group: str
    label: str
    status: int
    failed: str
    queued: int
    started: int
    ended: int
    wall: float
    cpu: float
    cpus: float
    memory: float
    used: float
    slotless: bool
    hold: tuple[int, str] | None

    @property
    def waited(self) -> int | None:
        """Seconds in the queue before it first ran; None for one that never did."""
        return max(0, self.started - self.queued) if self.started and self.queued else None


def job_of(found: Values) -> Job:
    """The job of a record of the history."""
    ended = found.whole("completiondate") or found.whole("enteredcurrentstatus")
    code = found.whole("holdreasoncode", "lastholdreasoncode")
    reason = found.text("holdreason", "lastholdreason")
    return Job(
        id=f"{found.whole('clusterid')}.{found.whole('procid')}",
        owner=found.text("owner") or "?",
        group=found.text("acctgroup"),
        label=label(found),
        status=found.whole("jobstatus"),
        failed=_failure(found),
        queued=found.whole("qdate"),
        started=found.whole("jobstartdate"),
        ended=ended,
        wall=max(0.0, found.number("remotewallclocktime")),
        cpu=max(0.0, _cpu(found)),
        cpus=max(0.0, found.number("cpusprovisioned", "requestcpus")) or 1.0,
        memory=max(0.0, found.number("requestmemory")),
        used=max(0.0, found.number("residentsetsize_raw", "residentsetsize")) / 1024.0,
        slotless=found.whole("jobuniverse") in SLOTLESS,
        hold=(code, reason) if reason or code else None,
    )


def label(found: Values) -> str:
    """The name of a job's batch, or else of its program."""
    return found.text("jobbatchname") or os.path.basename(found.text("cmd")) or "?"


def label_of_ad(ad: ClassAd) -> str:
    """The same of a job in the queue."""
    return ad.eval_str("JobBatchName", "") or os.path.basename(ad.eval_str("Cmd", "")) or "?"


def _cpu(found: Values) -> float:
    whole = found.number("cumulativeremoteusercpu") + found.number("cumulativeremotesyscpu")
    return whole or found.number("remoteusercpu") + found.number("remotesyscpu")


def _failure(found: Values) -> str:
    """Return how a job failed; empty for one that did not."""
    status = found.whole("jobstatus")
    if status == REMOVED:
        return ""
    if status == COMPLETED and found.number("exitbysignal"):
        return f"signal {found.whole('exitsignal')}" if "exitsignal" in found.numbers else "a signal"
    if status == COMPLETED and found.whole("exitcode"):
        return f"exit code {found.whole('exitcode')}"
    return ""


class Run(NamedTuple):
    """One run of a job on a slot: Unix seconds, cores. ``label`` is its batch or program; ``cut`` says why it was cut
    short, None where it was not."""

    owner: str
    label: str
    begin: int
    end: int
    cpus: float
    cut: tuple[int, str] | None


def run_of(found: Values) -> Run | None:
    """The run of an EPOCH record; None where it does not say when it was."""
    begin = found.whole("shadowbday", "jobcurrentstartdate")
    end = found.whole("epochwritedate")
    if not begin or end < begin or found.whole("jobuniverse") in SLOTLESS:
        return None
    cut = None
    if "vacatereasoncode" in found.numbers or found.text("vacatereason"):
        cut = found.whole("vacatereasoncode"), found.text("vacatereason")
    cpus = max(0.0, found.number("cpusprovisioned", "requestcpus")) or 1.0
    return Run(found.text("owner") or "?", label(found), begin, end, cpus, cut)

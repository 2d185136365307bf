"""The record of a run that the startd keeps (STARTD_HISTORY): the job as it was handed over, and how it went."""

from __future__ import annotations

import math

from condor_py.core.slots.effects import RunOver
from condor_py.core.slots.meters import run_pairs
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Run, Slot
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.report import ExitReport
from condor_py.model.states import JobStatus


def record(pool: Pool, slot: Slot, run: Run, report: ExitReport | None, status: int = 0) -> None:
    """Asks for the record of a run that has just ended. Without a ``report`` its starter died, of wait ``status``."""
    if pool.quiet:
        return
    ad = run.ad.copy()
    pairs = list(run.usage.items())
    if run.meters.first:
        pairs += run_pairs(run.meters, pool.extras.samples(pool.make_ad(slot), slot.slot_id))
    ending = run.ending
    pairs += [
        ("CompletionDate", str(int(pool.now))),
        ("RemoteWallClockTime", str(max(0, math.floor(pool.now) - math.floor(run.started)))),
        ("StarterExitStatus", str(status)),
        ("JobStatus", str(int(JobStatus.REMOVED if status & 0x7F else JobStatus.COMPLETED))),
        ("RemoteHost", quote_string(slot.name)),
        ("BadputCausedByDraining", _word(ending is not None and ending.cause == "drain")),
        ("BadputCausedByPreemption", _word(ending is not None and ending.cause in ("PREEMPT", "better"))),
    ]
    ad.set_texts(pairs)
    if report is not None:
        _add_exit(ad, report)
    if ending is not None and (report is None or report.vacated):
        ad.set_text("VacateReason", quote_string(ending.reason))
        ad.set_int("VacateReasonCode", int(ending.code))
        ad.set_int("VacateReasonSubCode", 0)
    pool.emit(RunOver(ad))


def _add_exit(ad: ClassAd, report: ExitReport) -> None:
    if report.exit_signal is not None:
        ad.set_text("ExitBySignal", "true")
        ad.set_int("ExitSignal", report.exit_signal)
    elif report.exit_code is not None:
        ad.set_text("ExitBySignal", "false")
        ad.set_int("ExitCode", report.exit_code)


def _word(value: bool) -> str:
    return "true" if value else "false"

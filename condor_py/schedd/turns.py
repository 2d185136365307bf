"""One job's turn. What goes wrong in it ends it and holds the job with the reason; the other jobs do not notice."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, JobStatus, VacateCode
from condor_py.schedd import jobevents, moves, staging
from condor_py.schedd.actions import hold_records
from condor_py.schedd.effects import Deactivate, Event, Note
from condor_py.schedd.state import Known

if TYPE_CHECKING:
    from condor_py.schedd.core import Schedd

#: Characters of an error that a HoldReason shows.
_SHOWN = 200
_LEAVING = (JobStatus.REMOVED, JobStatus.COMPLETED)


def take(core: Schedd, job: JobId, step: Callable[..., object], *arguments: Any) -> bool:
    """Does ``step`` for a job; False when it failed, and the job was put aside."""
    try:
        with core.budgets.of(core.jobs.job(job), core.now):
            step(*arguments)
    except Exception as error:  # an ad may say anything, and the queue is everybody's
        told = "".join(traceback.format_exception(error)).rstrip()
        core.out.emit(Note(f"ERROR job {job} is put aside: {told}"))
        reason = f"The schedd could not handle this job: {type(error).__name__}: {error}"
        put_aside(core, job, reason[:_SHOWN])
        return False
    return True


def put_aside(core: Schedd, job: JobId, reason: str, code: int = HoldCode.UNSPECIFIED) -> None:
    """Holds a job that cannot be dealt with; one on its way out leaves. What still runs of it is killed."""
    try:
        _let_go(core, job)
        ad = core.jobs.job(job)
        if ad is None:
            return
        status = ad.eval_int("JobStatus", 0)
        if status in _LEAVING:
            core.leave(job, ad)
            return
        known = core.known.setdefault(job, Known(status, 0))
        if status != JobStatus.HELD:
            changes = hold_records(job, ad, int(code), 0, _line(reason), core.now)
            moves.move(core, job, ad, JobStatus.HELD, changes)
            jobevents.held(core, job, ad, _line(reason), int(code), 0)
        else:
            moves.seen(core, job, status)
        known.holds = ad.eval_int("NumHolds", 0)
    except Exception as error:  # then it stays where it is, and nobody looks at it
        core.out.emit(Note(f"ERROR job {job} cannot be held either: {type(error).__name__}: {error}"))


def _let_go(core: Schedd, job: JobId) -> None:
    """Takes a job out of everything that would look at it again."""
    core.idle.discard(job)
    for jobs in (core.cooling, core.periodic_jobs, core.repeating, core.orphans, core.waiting_to_leave):
        jobs.discard(job)
    core.disconnected.discard(job)
    core.unlogged_starts.discard(job)
    core.local_waiting.pop(job, None)
    core.withdraw(job)
    staging.left(core, job)
    run = core.runs.get(job)
    if run is None:
        return
    core.out.emit(Deactivate(run.claim_id, False, int(VacateCode.REMOVED), "The job cannot be handled"))
    claim = core.claims.end(job)
    if claim is not None:
        core.give_back(claim)


def _line(text: str) -> str:
    """One line that the queue can hold."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def job_of(core: Schedd, event: Event) -> JobId | None:
    """The job that an event is about."""
    job = getattr(event, "job", None)
    if isinstance(job, JobId):
        return job
    report = getattr(event, "report", None)
    if isinstance(report, ExitReport) and not staging.is_of_staging(report):
        return JobId.parse(report.job)
    if (asked := core.claims.asked.get(getattr(event, "request_id", ""))) is not None:
        return asked
    claim = core.claims.get(getattr(event, "claim_id", ""))
    return None if claim is None else claim.job

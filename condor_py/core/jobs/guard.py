"""The guard of one job: an error in its handling holds it, with the reason, and does not affect the other jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.core.jobs import dissolving, jobevents, moves, staging
from condor_py.core.jobs.actions import hold_records
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.events import Event
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.parts import Known
from condor_py.model.errors import described
from condor_py.model.ids import JobId, is_asker
from condor_py.model.messages.claims import Deactivate
from condor_py.model.messages.runs import RunEnded
from condor_py.model.states import HoldCode, JobStatus, VacateCode
from condor_py.model.texts import one_line

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Characters of an error that a HoldReason shows.
_SHOWN = 200
_LEAVING = (JobStatus.REMOVED, JobStatus.COMPLETED)


def take(core: ScheddState, job: JobId, step: Callable[..., object], *arguments: Any) -> bool:
    """Call ``step`` for a job. Return False if it failed, so that the job was put aside."""
    try:
        with core.budgets.of(core.jobs.job(job), core.now):
            step(*arguments)
    except Exception as error:  # an ad may say anything, and all users share the queue
        core.out.emit(Note(f"ERROR job {job} is put aside: {described(error)}"))
        reason = f"The schedd could not handle this job: {type(error).__name__}: {error}"
        put_aside(core, job, reason[:_SHOWN])
        return False
    return True


def put_aside(core: ScheddState, job: JobId, reason: str, code: int = HoldCode.UNSPECIFIED) -> None:
    """Hold a job that cannot be handled; one that is on its way out leaves. What still runs of it is killed."""
    reason = " ".join(one_line(reason).split())
    try:
        _let_go(core, job)
        ad = core.jobs.job(job)
        if ad is None:
            return
        status = status_of(ad)
        if status in _LEAVING:
            core.leave((job,), (ad,))
            return
        if job not in core.known:
            core.remember((job,), Known(status, 0))
        if status != JobStatus.HELD:
            changes = hold_records(job, ad, int(code), 0, reason, core.now)
            moves.move(core, job, ad, JobStatus.HELD, changes)
            jobevents.held(core, job, ad, reason, int(code), 0)
        else:
            moves.seen(core, job, status)
        moves.hold_told(core, job, ad)
        core.grid.note(job, ad, core.out)  # its remote job is removed
    except Exception as error:  # the job stays as it is, and is not handled again
        core.out.emit(Note(f"ERROR job {job} cannot be held either: {type(error).__name__}: {error}"))


def _let_go(core: ScheddState, job: JobId) -> None:
    """Take a job out of all parts of the state that would handle it again."""
    core.idle.discard((job,))
    core.waiting.forget((job,))
    core.watched.forget((job,))
    core.reach.forget(job)
    core.withdraw(job)
    staging.left(core, job)
    core.grid.gone(job, core.out)
    if (gang := core.gangs.of(job.cluster)) is not None and gang.runs:
        dissolving.abandon(core, gang)
        return
    run = core.runs.get(job)
    if run is None:
        return
    core.out.emit(Deactivate(run.claim_id, False, int(VacateCode.REMOVED), "The job cannot be handled"))
    claim = core.claims.end(job)
    if claim is not None:
        core.give_back(claim)


def job_of(core: ScheddState, event: Event) -> JobId | None:
    """Return the job that an event is about; proc 0 for a node of a parallel job, None if there is none."""
    job = getattr(event, "job", None)
    if isinstance(job, JobId):
        return job
    if isinstance(event, RunEnded):
        return None if staging.is_of_staging(event.report) else JobId.parse(event.report.job)
    if (asked := core.claims.asked.get(getattr(event, "id", ""))) is not None:
        return JobId(asked.cluster, 0) if is_asker(asked) else asked
    if (node := core.gangs.of_claim(getattr(event, "claim", ""))) is not None:
        return JobId(node.job.cluster, 0)
    claim = core.claims.get(getattr(event, "claim", ""))
    return None if claim is None else claim.job

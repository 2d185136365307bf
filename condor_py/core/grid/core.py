"""The gridmanager as a pure machine: what schedd and engines tell goes in, orders for both come out.

``GridManager.handle`` is the only way to change it; ``take`` gives what is to be done. A job goes through the phases of
``phases``. Nothing is given to a remote system before the queue has its name there (GridJobId); after a crash of
whatever it was, the next look at the resource shows whether it had got that far (``Phase.START``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.grid import following, holding, leaving, submitting
from condor_py.core.grid import resources as places
from condor_py.core.grid.actions import Action, AskJob, Clean, CleanOthers
from condor_py.core.grid.books import Books, Job
from condor_py.core.grid.events import (
    AdCame,
    AllTold,
    Began,
    CancelFailed,
    Cancelled,
    Disobeyed,
    Ended,
    Event,
    JobGone,
    JobTold,
    Looked,
    LookFailed,
    LookNow,
    Obeyed,
    Reconfigured,
    Settled,
    StagedIn,
    StagedOut,
    StageFailed,
    SubmitFailed,
    Submitted,
    Tick,
)
from condor_py.core.grid.naming import name_of, normal, remote_of
from condor_py.core.grid.phases import PENDING, Phase
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings
from condor_py.model.states import JobStatus


class GridManager:
    """The grid jobs of one user."""

    def __init__(self, settings: GridSettings, now: int) -> None:
        self.books = Books(settings, now)

    def handle(self, event: Event, now: int) -> None:
        """Takes one event at ``now`` (Unix seconds)."""
        self.books.now = now
        _HANDLERS[type(event)](self.books, event)
        submitting.admit(self.books)

    def take(self) -> list[Action]:
        """What is to be done, in order, since the last call."""
        actions, self.books.actions = self.books.actions, []
        return actions

    def validate(self) -> None:
        """AssertionError when the books do not add up."""
        self.books.validate()

    def due(self) -> int | None:
        """When (Unix seconds) the next Tick has something to do; None for never."""
        return places.due(self.books)

    def remote_id(self, job: JobId) -> str:
        """What the remote system calls a job; "" when it has not got it."""
        found = self.books.jobs.get(job)
        return "" if found is None else found.remote_id

    def job_named(self, name: str) -> JobId | None:
        """The job that has a name elsewhere."""
        return self.books.names.get(name)


def _job_told(core: Books, event: JobTold) -> None:
    job = core.jobs.get(event.job)
    if job is None:
        _meet(core, event)
        return
    job.status = event.status
    job.edited = True
    if job.phase not in PENDING:
        core.drop_ad(job)
    if job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST, Phase.CANCEL) or (job.phase is Phase.HELD and job.waits_for):
        job.again = True  # this attempt is over; what comes then, the queue is asked when it has heard of that
    elif job.phase is Phase.HELD:
        holding.decide(core, job)
    elif not job.wanted:
        holding.unwanted(core, job)
    elif job.phase is Phase.SUBMITTED and holding.can(job):
        holding.edit(core, job)
    elif job.phase is Phase.UNSUBMITTED and event.resource != job.resource:
        _elsewhere(core, job, normal(event.resource))


def _meet(core: Books, event: JobTold) -> None:
    """A job that was not known: new, or known to a gridmanager that is no more."""
    resource = core.resource(normal(event.resource)).name  # one text for all of them
    job = Job(event.job, resource, event.global_id, event.status, event.attempt)
    if event.grid_id:
        name = name_of(core.settings.pool, event.global_id, event.attempt)
        job.name, job.remote_id = remote_of(resource, event.grid_id, name)
    job.running = event.status == JobStatus.RUNNING
    if not job.wanted and not job.name:
        return
    if job.remote_id:
        job.told = "RUNNING" if job.running else "IDLE"  # as the queue has it
    held = holding.was_held(job, event.grid_status)
    if job.name:
        job.phase = Phase.HELD if held else Phase.SUBMITTED if job.remote_id else Phase.START
    core.meet(job)
    if held:
        _meet_held(core, job)
        return
    places.tell_down(core, job)
    if job.name:
        places.look_now(core, resource)
    if not job.wanted:
        holding.unwanted(core, job)
    elif holding.can(job):
        holding.edit(core, job)


def _meet_held(core: Books, job: Job) -> None:
    """It was on hold on both sides."""
    if job.status == JobStatus.HELD:
        job.edited = True  # perhaps, while nobody looked
        holding.tell(core, job)
    else:
        holding.decide(core, job)


def _elsewhere(core: Books, job: Job, resource: str) -> None:
    """Its owner has changed where it is to go."""
    core.resource(job.resource).waiting.remove(job.id)
    job.resource = resource
    core.resource(resource).waiting.append(job.id)


def _job_gone(core: Books, event: JobGone) -> None:
    """It was forced out of the queue, or has ended: what is left of it elsewhere goes, as far as that can be done."""
    job = core.jobs.get(event.job)
    if job is None or job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST):
        if job is not None:
            job.gone = True
        return
    job.gone, job.status = True, int(JobStatus.REMOVED)
    holding.unwanted(core, job)


def _all_told(core: Books, event: AllTold) -> None:
    core.emit(CleanOthers(frozenset(core.names)))


def _settled(core: Books, event: Settled) -> None:
    for number in range(core.settled + 1, event.number + 1):
        waiter = core.waiters.pop(number, None)
        job = None if waiter is None else core.jobs.get(waiter)
        if job is not None and job.waits_for == number:
            job.waits_for = 0
            _go_on(core, job)
    core.settled = max(core.settled, event.number)


def _go_on(core: Books, job: Job) -> None:
    """What a job waited for is in the queue."""
    if job.phase in PENDING:
        submitting.go_on(core, job)
    elif job.phase is Phase.HELD:
        again, job.again = job.again, False
        if again:
            core.emit(AskJob(job.id))
        else:
            holding.decide(core, job)
    elif job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST):
        if job.name:
            core.emit(Clean(job.resource, job.name, job.remote_id))
        core.forget(job)
        if not job.gone and (job.again or job.phase is Phase.CLEAR_REQUEST):
            core.emit(AskJob(job.id))


def _reconfigured(core: Books, event: Reconfigured) -> None:
    core.settings = event.settings
    for name in core.resources:
        places.look_now(core, name)


_HANDLERS: dict[type, Callable[[Books, Any], None]] = {
    JobTold: _job_told,
    JobGone: _job_gone,
    AllTold: _all_told,
    AdCame: submitting.ad_came,
    Settled: _settled,
    StagedIn: submitting.staged_in,
    StageFailed: leaving.stage_failed,
    Submitted: submitting.submitted,
    SubmitFailed: submitting.submit_failed,
    Began: following.began,
    Ended: following.ended,
    Looked: following.looked,
    LookFailed: places.look_failed,
    Cancelled: leaving.cancelled,
    CancelFailed: leaving.cancel_failed,
    Obeyed: holding.obeyed,
    Disobeyed: holding.disobeyed,
    StagedOut: leaving.staged_out,
    Tick: places.tick,
    LookNow: lambda core, event: places.look_now(core, event.resource),
    Reconfigured: _reconfigured,
}

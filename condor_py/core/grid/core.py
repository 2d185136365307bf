"""The gridmanager as a pure machine: what schedd and engines tell goes in, orders for both come out.

``GridManager.handle`` is the only way to change it; ``take`` gives what is to be done. A job goes through the phases of
``phases``. Nothing is given to a remote system before the queue has its name there (GridJobId); after a crash of
whatever it was, the next look at the resource shows whether it had got that far (``Phase.START``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.grid import following, holding, leaving, resources
from condor_py.core.grid.actions import Action, AskJob, Clean, CleanOthers, StageIn, Submit
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
from condor_py.core.grid.naming import grid_job_id, name_of, normal, remote_of
from condor_py.core.grid.phases import PENDING, Phase
from condor_py.core.grid.state import GridState, Job, Resource
from condor_py.lang.classad import quote_string
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings
from condor_py.model.states import JobStatus


def admit(core: GridState) -> None:
    """Begins with the jobs that wait, as many as their resources take."""
    for resource in core.resources.values():
        while resource.waiting and not resource.down_since and _takes_more(core, resource):
            job = core.jobs.get(resource.waiting.popleft())
            if job is not None and job.phase is Phase.UNSUBMITTED and job.resource == resource.name:
                begin(core, job)


def _takes_more(core: GridState, resource: Resource) -> bool:
    if len(resource.pending) >= core.settings.max_pending_submits:
        return False
    return len(resource.there) < core.settings.submitted_limit(resource.type, resource.name)


def begin(core: GridState, job: Job) -> None:
    """A job may be submitted now: the queue gets its remote name before the remote system does."""
    if job.name:  # a submission had begun, and the query has shown that it did not get far
        core.move(job, Phase.SAVE_SANDBOX_ID)
    else:
        job.attempt += 1
        job.begun, job.others = False, ()
        core.rename(job, name_of(core.settings.pool, job.global_id, job.attempt))
        core.move(job, Phase.SAVE_SANDBOX_ID)
        text = quote_string(grid_job_id(job.resource, job.name, ""))
        number = core.report(job, GridStep.UPDATE, {"GridJobId": text, "GridAttempt": str(job.attempt)})
        core.wait(job, number)
    core.ask_ad(job)


def ad_came(core: GridState, event: AdCame) -> None:
    """The ad that a step needs."""
    job = core.jobs.get(event.job)
    if job is None:
        return
    job.asked = False
    if event.ad is None:
        job.gone = True
    if job.phase is Phase.SAVE_SANDBOX_ID:
        job.ad, job.edited = event.ad, False
        go_on(core, job)
    elif job.phase is Phase.TRANSFER_OUTPUT:
        if event.ad is None or job.ending is None:
            leaving.clear(core, job)
        else:
            leaving.bring(core, job, event.ad, job.ending)
    elif job.phase in (Phase.SUBMITTED, Phase.HELD) and event.ad is not None and holding.can(job):
        holding.edited(core, job, event.ad)


def go_on(core: GridState, job: Job) -> None:
    """The name is in the queue and the ad is here: the input goes."""
    if job.waits_for or (job.ad is None and not job.gone):
        return
    if not job.wanted or job.ad is None:
        leaving.clear(core, job)
        return
    core.move(job, Phase.TRANSFER_INPUT)
    core.emit(StageIn(job.id, job.resource, job.name, job.ad))


def staged_in(core: GridState, event: StagedIn) -> None:
    """The input is there."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.TRANSFER_INPUT:
        return
    if not job.wanted or job.ad is None:
        leaving.clear(core, job)
        return
    job.moved, job.absent = (event.bytes, event.files), False
    core.move(job, Phase.SUBMIT)
    core.emit(Submit(job.id, job.resource, job.name, job.ad))


def submitted(core: GridState, event: Submitted) -> None:
    """The remote system has it."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.SUBMIT:
        return
    core.keep_ad(job)
    following.has(core, job, event.remote_id)
    following.catch_up(core, job)
    if job.edited and holding.can(job):  # whatever has become of it meanwhile: only one that is there is edited
        holding.edit(core, job)


def submit_failed(core: GridState, event: SubmitFailed) -> None:
    """The remote system did not take it, or did not answer."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.SUBMIT:
        return
    job.ad, job.absent = None, event.certain
    if not event.away and event.certain:
        leaving.hold(core, job, event.reason, event.code, event.subcode)
        return
    core.move(job, Phase.START)
    if not event.away:
        job.refusal = event.reason, event.code, event.subcode
        resources.look_now(core, job.resource)
    else:
        resources.down(core, core.resource(job.resource), event.reason)
    following.catch_up(core, job)  # its program has begun, whatever the remote system says


class GridManager:
    """The grid jobs of one user."""

    def __init__(self, settings: GridSettings, now: int) -> None:
        self.state = GridState(settings, now)

    def handle(self, event: Event, now: int) -> None:
        """Takes one event at ``now`` (Unix seconds)."""
        self.state.now = now
        _HANDLERS[type(event)](self.state, event)
        admit(self.state)

    def take(self) -> list[Action]:
        """Return the actions to carry out, in order, since the last call."""
        actions, self.state.actions = self.state.actions, []
        return actions

    def validate(self) -> None:
        """AssertionError when the state is inconsistent."""
        self.state.validate()

    def due(self) -> int | None:
        """Time (Unix seconds) at which the next Tick has work; None for never."""
        return resources.due(self.state)

    def remote_id(self, job: JobId) -> str:
        """Id of a job at the remote system; "" before it has one."""
        found = self.state.jobs.get(job)
        return "" if found is None else found.remote_id

    def job_named(self, name: str) -> JobId | None:
        """The job that has a name elsewhere."""
        return self.state.names.get(name)


def _job_told(core: GridState, event: JobTold) -> None:
    job = core.jobs.get(event.job)
    if job is None:
        _meet(core, event)
        return
    job.status = event.status
    job.edited = True
    if job.phase not in PENDING:
        core.drop_ad(job)
    if job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST, Phase.CANCEL) or (job.phase is Phase.HELD and job.waits_for):
        job.again = True  # this attempt is over; the queue says what comes next when it has recorded that
    elif job.phase is Phase.HELD:
        holding.decide(core, job)
    elif not job.wanted:
        holding.unwanted(core, job)
    elif job.phase is Phase.SUBMITTED and holding.can(job):
        holding.edit(core, job)
    elif job.phase is Phase.UNSUBMITTED and event.resource != job.resource:
        _elsewhere(core, job, normal(event.resource))


def _meet(core: GridState, event: JobTold) -> None:
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
    resources.tell_down(core, job)
    if job.name:
        resources.look_now(core, resource)
    if not job.wanted:
        holding.unwanted(core, job)
    elif holding.can(job):
        holding.edit(core, job)


def _meet_held(core: GridState, job: Job) -> None:
    """It was on hold on both sides."""
    if job.status == JobStatus.HELD:
        job.edited = True  # perhaps, while it was not followed
        holding.tell(core, job)
    else:
        holding.decide(core, job)


def _elsewhere(core: GridState, job: Job, resource: str) -> None:
    """Its owner has changed where it is to go."""
    core.resource(job.resource).waiting.remove(job.id)
    job.resource = resource
    core.resource(resource).waiting.append(job.id)


def _job_gone(core: GridState, event: JobGone) -> None:
    """It was forced out of the queue, or has ended: what is left of it elsewhere goes, as far as that can be done."""
    job = core.jobs.get(event.job)
    if job is None or job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST):
        if job is not None:
            job.gone = True
        return
    job.gone, job.status = True, int(JobStatus.REMOVED)
    holding.unwanted(core, job)


def _all_told(core: GridState, event: AllTold) -> None:
    core.emit(CleanOthers(frozenset(core.names)))


def _settled(core: GridState, event: Settled) -> None:
    for number in range(core.settled + 1, event.number + 1):
        waiter = core.waiters.pop(number, None)
        job = None if waiter is None else core.jobs.get(waiter)
        if job is not None and job.waits_for == number:
            job.waits_for = 0
            _go_on(core, job)
    core.settled = max(core.settled, event.number)


def _go_on(core: GridState, job: Job) -> None:
    """Continue a job after the record it waited for is in the queue."""
    if job.phase in PENDING:
        go_on(core, job)
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


def _reconfigured(core: GridState, event: Reconfigured) -> None:
    core.settings = event.settings
    for name in core.resources:
        resources.look_now(core, name)


_HANDLERS: dict[type, Callable[[GridState, Any], None]] = {
    JobTold: _job_told,
    JobGone: _job_gone,
    AllTold: _all_told,
    AdCame: ad_came,
    Settled: _settled,
    StagedIn: staged_in,
    StageFailed: leaving.stage_failed,
    Submitted: submitted,
    SubmitFailed: submit_failed,
    Began: following.began,
    Ended: following.ended,
    Looked: following.looked,
    LookFailed: resources.look_failed,
    Cancelled: leaving.cancelled,
    CancelFailed: leaving.cancel_failed,
    Obeyed: holding.obeyed,
    Disobeyed: holding.disobeyed,
    StagedOut: leaving.staged_out,
    Tick: resources.tick,
    LookNow: lambda core, event: resources.look_now(core, event.resource),
    Reconfigured: _reconfigured,
}

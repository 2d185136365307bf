"""Jobs that are held, removed or edited here, and the consequences on the remote system. Some remote systems hold and
release jobs with us, and keep meanwhile what has come of them; others are to end them.

A job on hold on both sides is left alone until its owner releases, edits or removes it. GridJobStatus, which is
then HELD, says so in the queue, so that the next gridmanager knows who has released what.
"""

from __future__ import annotations

from condor_py.core.grid import leaving, resources
from condor_py.core.grid.actions import Edit
from condor_py.core.grid.events import Disobeyed, Obeyed, Seen, Stand
from condor_py.core.grid.naming import type_of
from condor_py.core.grid.phases import HELD_ELSEWHERE, Phase
from condor_py.core.grid.state import GridState, Job
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.gridjobs import GridStep
from condor_py.model.states import JobStatus

#: Types of resources that can do that.
_TYPES = frozenset(("condor",))
_HELD = str(Stand.HELD)


def can(job: Job) -> bool:
    """Whether its remote system has it, and can hold, release and edit it."""
    return bool(job.remote_id) and type_of(job.resource) in _TYPES


def was_held(job: Job, grid_status: str) -> bool:
    """Whether a job of a gridmanager that is no more was on hold on both sides, by its GridJobStatus."""
    return can(job) and grid_status == _HELD


def unwanted(core: GridState, job: Job) -> None:
    """Its owner, or the schedd, has held or removed it. What is under way is waited for."""
    if job.phase is Phase.UNSUBMITTED:
        if job.name:
            leaving.clear(core, job)
        else:
            core.forget(job)
    elif job.phase is Phase.START and job.absent:
        leaving.clear(core, job)
    elif job.phase in (Phase.SUBMITTED, Phase.PROBE_ENDED):
        if job.status == JobStatus.HELD and not job.gone and can(job):
            _order(core, job, Phase.HOLD_REMOTE)
        else:
            leaving.cancel(core, job)
    elif job.phase in HELD_ELSEWHERE and (job.gone or job.status != JobStatus.HELD):
        leaving.cancel(core, job)


def _order(core: GridState, job: Job, phase: Phase) -> None:
    core.move(job, phase)
    resources.order(core, job)


def held_there(core: GridState, job: Job, seen: Seen) -> None:
    """The remote system has put it on hold: so does the queue, for the same reason."""
    core.move(job, Phase.HELD)
    job.status = int(JobStatus.HELD)
    tell(core, job, seen.reason or "held remotely with no hold reason", seen.code, seen.subcode)


def tell(core: GridState, job: Job, reason: str = "", code: int = 0, subcode: int = 0) -> None:
    """It is on hold there. With a ``reason`` it is to be held here, too."""
    job.running, job.told = False, _HELD
    attributes = {"GridJobStatus": quote_string(_HELD)}
    core.wait(
        job,
        core.report(job, GridStep.HELD_THERE, attributes, ("RemoteHost",), reason=reason, code=code, subcode=subcode),
    )


def decide(core: GridState, job: Job) -> None:
    """On hold there, and the queue knows: what its owner wants now."""
    if job.wanted:
        _order(core, job, Phase.RELEASE_REMOTE)
    elif job.gone or job.status != JobStatus.HELD:
        leaving.cancel(core, job)
    elif job.edited:
        edit(core, job)


def obeyed(core: GridState, event: Obeyed) -> None:
    """It is on hold there, or it is not any more; or there is nothing to hold or to release, which a look shows."""
    job = core.jobs.get(event.job)
    if job is None or event.remote_id != job.remote_id:
        return
    if job.phase is Phase.HOLD_REMOTE:
        core.move(job, Phase.HELD)
        tell(core, job)
    elif job.phase is Phase.RELEASE_REMOTE:
        core.move(job, Phase.SUBMITTED)
        resources.look_now(core, job.resource)
        if not job.wanted:
            unwanted(core, job)
        elif job.edited:
            edit(core, job)


def disobeyed(core: GridState, event: Disobeyed) -> None:
    """The order did not reach the remote system: send it again."""
    job = core.jobs.get(event.job)
    if job is not None and job.phase in (Phase.HOLD_REMOTE, Phase.RELEASE_REMOTE) and event.remote_id == job.remote_id:
        resources.again_later(core, job)


# -- edits ------------------------------------------------------------------------------------------------------------


def edit(core: GridState, job: Job) -> None:
    """It has been edited, or may have been while it was not followed: its ad is needed."""
    core.ask_ad(job)


def edited(core: GridState, job: Job, ad: ClassAd) -> None:
    """Send the changed attributes of a job to the remote system."""
    job.edited = False
    core.emit(Edit(job.id, job.resource, job.name, job.remote_id, ad))
    if job.phase is Phase.HELD:
        tell(core, job)  # nothing else is left to do

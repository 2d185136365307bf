"""Resources: how many jobs go there at a time, when they are looked at, and what happens when they do not answer."""

from __future__ import annotations

from condor_py.core.grid.actions import Cancel, Look, Order, Say
from condor_py.core.grid.events import LookFailed, Tick
from condor_py.core.grid.phases import Phase
from condor_py.core.grid.state import GridState, Job, Resource
from condor_py.model.gridjobs import GridStep

#: Seconds until a look that failed, or did not show all, is repeated; and until an order is.
SOON = 2
_AGAIN = 10
#: Seconds until a resource that has just gone down is looked at again.
_FIRST_DOWN = 15
#: Of the schedd, in attributes of jobs.
_DOWN_SINCE = "GridResourceUnavailableTime"


def look_now(core: GridState, name: str) -> None:
    """A resource is looked at without delay."""
    _look_by(core.resource(name), core.now)
    _look(core, core.resource(name))


def look_soon(core: GridState, name: str) -> None:
    """A resource is looked at in a moment."""
    _look_by(core.resource(name), core.now + SOON)


def _look_by(resource: Resource, when: int) -> None:
    resource.next_look = min(resource.next_look, when) if resource.next_look else when


def follow(core: GridState, resource: Resource) -> None:
    """There is a job to look at: the time of the next look is set unless it is."""
    if not resource.next_look:
        resource.next_look = core.now + core.settings.look_interval(resource.type)


def _look(core: GridState, resource: Resource) -> None:
    if resource.looking:
        return
    resource.looking = True
    resource.next_look = 0
    resource.look += 1
    core.emit(Look(resource.name))


def answered(core: GridState, resource: Resource) -> None:
    """A look is over, and the resource is there."""
    resource.looking, resource.failed_looks = False, 0
    if resource.down_since:
        core.emit(Say(f"resource {resource.name} is up again"))
        resource.down_since, resource.down_reason = 0, ""
        for job in list(core.jobs.values()):
            if job.resource == resource.name and job.told_down:
                job.told_down = False
                core.report(job, GridStep.UP, deletions=(_DOWN_SINCE,))
    if resource.followed:
        _look_by(resource, core.now + core.settings.look_interval(resource.type))


def look_failed(core: GridState, event: LookFailed) -> None:
    """A resource did not answer; it is tried some times before that is reported."""
    resource = core.resource(event.resource)
    resource.looking = False
    resource.failed_looks += 1
    if resource.down_since:
        resource.next_look = core.now + core.settings.down_interval
    elif resource.failed_looks >= core.settings.look_attempts:
        down(core, resource, event.reason)
    else:
        _look_by(resource, core.now + SOON)


def down(core: GridState, resource: Resource, reason: str) -> None:
    """A resource does not answer: its jobs wait, and their logs say so."""
    if resource.down_since:
        return
    resource.down_since, resource.down_reason = core.now, reason
    resource.next_look = core.now + min(_FIRST_DOWN, core.settings.down_interval)
    core.emit(Say(f"resource {resource.name} is down: {reason}"))
    for job in list(core.jobs.values()):
        if job.resource == resource.name:
            tell_down(core, job)


def tell_down(core: GridState, job: Job) -> None:
    """Event 026 for a job whose resource is down; once."""
    resource = core.resource(job.resource)
    if not resource.down_since or job.told_down or not job.wanted:
        return
    if job.phase in (Phase.DONE_SAVE, Phase.CLEAR_REQUEST):
        return
    job.told_down = True
    core.report(job, GridStep.DOWN, {_DOWN_SINCE: str(resource.down_since)}, reason=resource.down_reason)


def again_later(core: GridState, job: Job) -> None:
    """Schedule another try of the pending action of a job, after a delay."""
    core.resource(job.resource).retries[job.id] = core.now + _AGAIN


def order(core: GridState, job: Job) -> None:
    """Send the order for a job in this phase to its resource."""
    if job.phase is Phase.CANCEL:
        core.emit(Cancel(job.id, job.resource, job.name, job.remote_id))
    else:
        core.emit(Order(job.id, job.resource, job.name, job.remote_id, job.phase is Phase.RELEASE_REMOTE))


def tick(core: GridState, event: Tick) -> None:
    """Queries that are due, orders that are to be repeated, resources that are not needed any more."""
    for resource in list(core.resources.values()):
        if resource.next_look and resource.next_look <= core.now:
            if resource.followed or resource.down_since:
                _look(core, resource)
            else:
                resource.next_look = 0
        for owner, when in list(resource.retries.items()):
            if when <= core.now:
                del resource.retries[owner]
                order(core, core.jobs[owner])
        if _forgettable(core, resource):
            del core.resources[resource.name]


def _forgettable(core: GridState, resource: Resource) -> bool:
    used = resource.there or resource.looking or any(job.resource == resource.name for job in core.jobs.values())
    return not used and resource.empty_since + core.settings.empty_delay <= core.now


def due(core: GridState) -> int | None:
    """Time at which the next Tick has work (Unix seconds); None for never."""
    times: list[int] = []
    for resource in core.resources.values():
        if resource.next_look and not resource.looking:
            times.append(resource.next_look)
        times += resource.retries.values()
        if not resource.there and not resource.waiting:
            times.append(resource.empty_since + core.settings.empty_delay)
    return min(times, default=None)

"""Jobs of the grid universe: what their gridmanagers have to know of them, and what becomes of them.

A gridmanager hears of a job whenever that changes (the effect ``GridNews``) and reports in steps. A removed job stays
until nothing is left of it elsewhere: until the gridmanager has let it go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import finish, jobevents, moves, notify
from condor_py.core.jobs.actions import (
    delete,
    hold_records,
    plus,
    remove_records,
    set_string,
    set_text,
)
from condor_py.core.jobs.effects import GridAcknowledge
from condor_py.core.jobs.jobad import status_of, universe_of
from condor_py.core.jobs.lifecycle import memory_records, real, started_elsewhere_records
from condor_py.core.jobs.policy import at_exit
from condor_py.core.jobs.rights import IMMUTABLE, PROTECTED
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import is_storable
from condor_py.model.event_types import JobEventType as Type
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId
from condor_py.model.messages.grid import GridReport
from condor_py.model.record import Change, is_attribute_name
from condor_py.model.report import Usage
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.core.jobs.events import GridReported, GridReportsEnd
    from condor_py.core.jobs.state import ScheddState

_WANTED = (JobStatus.IDLE, JobStatus.RUNNING)
#: What the schedd alone writes, apart from attributes that no user may edit.
_OURS = frozenset(("jobstatus", "enteredcurrentstatus", "lastjobstatus")) | IMMUTABLE | (PROTECTED - {"remotehost"})
#: What a job has only while something of it is elsewhere.
_OF_ATTEMPT = ("GridJobId", "GridJobStatus", "RemoteHost")
#: The events of an attempt, the last of which tells how far it came; 027 is the first of them.
_BEFORE_SUBMIT = (Type.SUBMIT, Type.JOB_RELEASED, Type.JOB_EVICTED)


def is_elsewhere(ad: ClassAd) -> bool:
    """Whether a job is of the grid universe."""
    return universe_of(ad) == Universe.GRID


def edited(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Something of a job has changed, and its status has not: its gridmanager hears of it if it knows the job."""
    if job in core.grid:
        core.grid.note(job, ad, core.out)


def take_over(core: ScheddState, job: JobId, ad: ClassAd, events: Sequence[int] | None, last: int | None) -> bool:
    """Takes a job over from a schedd that died, with the events that its log lacks. False: it is settled as others
    are."""
    status = status_of(ad)
    if status in _WANTED and events is not None and _was_submitted(ad) and not _tells_submit(events):
        jobevents.grid_submitted(core, job, ad)
    if status == JobStatus.RUNNING and last not in (None, Type.EXECUTE):
        jobevents.executing_elsewhere(core, job, ad, ad.eval_str("GridResource", ""))
    if status != JobStatus.IDLE:
        core.grid.note(job, ad, core.out)
    return status == JobStatus.RUNNING or (status == JobStatus.REMOVED and job in core.grid)


def _was_submitted(ad: ClassAd) -> bool:
    return ad.text("GridJobStatus") is not None


def _tells_submit(events: Sequence[int]) -> bool:
    """Whether event 027 of the last attempt is in the log."""
    for number in reversed(events):
        if number == Type.GRID_SUBMIT:
            return True
        if number in _BEFORE_SUBMIT:
            return False
    return False


# -- reports ----------------------------------------------------------------------------------------------------------


def settled(core: ScheddState, event: GridReportsEnd) -> None:
    """These reports are acknowledged when they are durable."""
    core.out.emit(GridAcknowledge(event.owner, event.number))


def reported(core: ScheddState, event: GridReported) -> None:
    """One report. What is about another user's job, or about one that has ended meanwhile, is skipped."""
    ad = core.jobs.job(event.job) if event.job in core.grid else None
    step = _STEPS.get(event.report.step)
    if step is None or ad is None or ad.eval_str("Owner", "") != event.owner:
        return
    step(core, event.job, ad, event.report)


def _assign(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    """Attributes that a user could edit himself."""
    changes: list[Change] = []
    for name, text in report.assignments:
        if is_attribute_name(name) and name.lower() not in _OURS and is_storable(text):
            changes.append(set_text(job, name, text))
    changes += [delete(job, name) for name in report.deletions if name.lower() not in _OURS and ad.has(name)]
    core.out.apply(ad, changes)


def _update(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    if status_of(ad) in _WANTED:
        _assign(core, job, ad, report)


def _submitted(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    _assign(core, job, ad, report)
    if status_of(ad) in _WANTED:
        jobevents.grid_submitted(core, job, ad, _moment(core, report))


def _running(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    if status_of(ad) != JobStatus.IDLE:
        return
    _assign(core, job, ad, report)
    when = _moment(core, report)
    moves.move(core, job, ad, JobStatus.RUNNING, started_elsewhere_records(job, ad, when, core.now))
    core.counters.add(core.now, JobsStarted=1)
    notify.started(core, job, ad)
    jobevents.executing_elsewhere(core, job, ad, ad.eval_str("GridResource", ""), when)


def _moment(core: ScheddState, report: GridReport) -> int:
    """Time of a report (Unix seconds), never in the future."""
    return min(int(report.when), core.now) if report.when > 0 else core.now


def _stops(core: ScheddState, job: JobId, ad: ClassAd, when: int) -> None:
    """The time of a run that is over counts."""
    born = ad.eval_int("ShadowBday", 0)
    if not born:
        return
    wall = float(max(0, when - born))
    total = ad.eval_real("RemoteWallClockTime", 0.0) + wall
    changes = [set_text(job, "LastRemoteWallClockTime", real(wall)), set_text(job, "RemoteWallClockTime", real(total))]
    core.out.apply(ad, [*changes, delete(job, "ShadowBday")])


def _idle(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    _assign(core, job, ad, report)
    if status_of(ad) == JobStatus.RUNNING:
        _stops(core, job, ad, core.now)
        jobevents.evicted(core, job, ad, None, (0, 0, ""), table=False)
        moves.move(core, job, ad, JobStatus.IDLE)


def _let_go(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    _idle(core, job, ad, report)
    _leaves(core, job, ad)


def _leaves(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Nothing of a job is elsewhere any more."""
    _stops(core, job, ad, core.now)
    core.out.apply(ad, [delete(job, name) for name in _OF_ATTEMPT if ad.has(name)])
    status = status_of(ad)
    if status not in _WANTED:
        core.grid.forget(job)
    if status == JobStatus.REMOVED:
        finish.removed(core, job, ad)


def _down(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    _assign(core, job, ad, report)
    if report.reason:
        core.out.apply(ad, [set_string(job, "GridResourceUnavailableReason", report.reason)])
    jobevents.grid_resource(core, job, ad, up=False)


def _up(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    _assign(core, job, ad, report)
    core.out.apply(ad, [delete(job, name) for name in ("GridResourceUnavailableReason",) if ad.has(name)])
    jobevents.grid_resource(core, job, ad, up=True)


def _hold(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    if status_of(ad) not in _WANTED:
        _leaves(core, job, ad)
        return
    _assign(core, job, ad, report)
    if ad.eval_bool("Nonessential", False) is True:  # its owner would rather lose it than have it on hold
        reason = _line(report.reason)
        moves.move(core, job, ad, JobStatus.REMOVED, remove_records(job, ad, reason, core.now))
        _leaves(core, job, ad)
        return
    _put_on_hold(core, job, ad, report.code, report.subcode, report.reason)
    core.out.apply(ad, [plus(job, ad, "NumSystemHolds")])


def _line(reason: str) -> str:
    return " ".join(reason.split()) or "Unspecified gridmanager error"


def _put_on_hold(
    core: ScheddState, job: JobId, ad: ClassAd, code: int, subcode: int, reason: str, *, stays: bool = False
) -> None:
    """``stays``: what there is of it elsewhere is on hold, too."""
    records = hold_records(job, ad, code, subcode, _line(reason), core.now)
    moves.move(core, job, ad, JobStatus.HELD, records)
    if not stays:
        _leaves(core, job, ad)
    notify.held(core, job, ad)
    finish.held_event(core, job, ad)


def _held_there(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    """It is on hold elsewhere, where all of it stays. Its gridmanager hears of what its owner has done meanwhile."""
    if status_of(ad) == JobStatus.REMOVED:
        return
    _assign(core, job, ad, report)
    if status_of(ad) in _WANTED and report.reason:
        _put_on_hold(core, job, ad, report.code, report.subcode, report.reason, stays=True)
        core.out.apply(ad, [plus(job, ad, "NumSystemHolds")])
    if status_of(ad) == JobStatus.HELD:
        _stops(core, job, ad, core.now)
        core.out.apply(ad, [delete(job, name) for name in ("RemoteHost",) if ad.has(name)])
        core.grid.rest(job)


def _remove(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    if status_of(ad) in _WANTED:
        moves.move(core, job, ad, JobStatus.REMOVED, remove_records(job, ad, report.reason, core.now))
    _leaves(core, job, ad)


def _ended(core: ScheddState, job: JobId, ad: ClassAd, report: GridReport) -> None:
    """Its program has ended. Its policy decides what that means."""
    if status_of(ad) not in _WANTED:
        _leaves(core, job, ad)
        return
    if status_of(ad) == JobStatus.IDLE:
        _running(core, job, ad, GridReport(job, GridStep.RUNNING, when=report.when))
    when = _moment(core, report)
    _assign(core, job, ad, report)
    _stops(core, job, ad, when)
    core.out.apply(ad, _usage(core, job, ad))
    verdict = at_exit(ad, core.settings.system_periodic, core.now)
    if verdict.action == "requeue":
        core.out.apply(ad, [set_string(job, "RequeueReason", verdict.reason)])
        jobevents.evicted(core, job, ad, None, (0, 0, verdict.reason), requeued=True, table=False)
        moves.move(core, job, ad, JobStatus.IDLE)
        _leaves(core, job, ad)
        core.make_idle(job, ad)
    elif verdict.action == "hold":
        _put_on_hold(core, job, ad, verdict.code, verdict.subcode, verdict.reason)
    else:
        _complete(core, job, ad, when)


def _usage(core: ScheddState, job: JobId, ad: ClassAd) -> list[Change]:
    changes = [plus(job, ad, "NumJobCompletions")]
    for kind in ("User", "Sys"):
        total = ad.eval_real(f"CumulativeRemote{kind}Cpu", 0.0) + ad.eval_real(f"Remote{kind}Cpu", 0.0)
        changes.append(set_text(job, f"CumulativeRemote{kind}Cpu", repr(round(total, 6))))
    if resident := ad.eval_int("ResidentSetSize", 0):
        changes += memory_records(job, ad, resident, 0, core.settings.rounding)
    return changes


def _complete(core: ScheddState, job: JobId, ad: ClassAd, when: int) -> None:
    moves.move(core, job, ad, JobStatus.COMPLETED)
    core.counters.add(core.now, JobsCompleted=1)
    core.grid.forget(job)
    core.out.apply(
        ad, [set_text(job, "CompletionDate", str(when)), set_text(job, "JobFinishedHookDone", str(core.now))]
    )
    ended = jobevents.terminated(core, job, ad, table=False)
    usage = Usage(user_cpu=ad.eval_real("RemoteUserCpu", 0.0), sys_cpu=ad.eval_real("RemoteSysCpu", 0.0))
    notify.completed(core, job, ad, usage)
    jobevents.completed(core, ad, ended)
    finish.leave_when_allowed(core, job)


_STEPS: dict[str, Callable[[ScheddState, JobId, ClassAd, GridReport], None]] = {
    GridStep.UPDATE: _update,
    GridStep.SUBMITTED: _submitted,
    GridStep.RUNNING: _running,
    GridStep.IDLE: _idle,
    GridStep.ENDED: _ended,
    GridStep.HOLD: _hold,
    GridStep.HELD_THERE: _held_there,
    GridStep.REMOVE: _remove,
    GridStep.LET_GO: _let_go,
    GridStep.DOWN: _down,
    GridStep.UP: _up,
}

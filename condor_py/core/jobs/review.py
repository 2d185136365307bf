"""Changes of jobs by other processes: found by comparison with the last seen state, and handled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import (
    finish,
    gangs,
    gridjobs,
    jobevents,
    leaving,
    mirrored,
    moves,
    spooled,
    staging,
    suspension,
)
from condor_py.core.jobs.actions import never_stays, release_records, remove_records
from condor_py.core.jobs.jobad import is_gang, status_of
from condor_py.core.jobs.policy import has_periodic
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def review(core: ScheddState, job: JobId) -> None:
    """Compares a job with what was last seen of it and reacts to the difference."""
    ad = core.jobs.job(job)
    if ad is None:
        _vanished(core, job)
        return
    status = status_of(ad)
    prio = ad.eval_int("JobPrio", 0)
    seen = core.known.get(job)
    if seen is None:
        moves.meet(core, job, ad)
        core.counters.add(core.now, JobsSubmitted=1)
        _new_job(core, job, ad, status)
        return
    if status != seen.status:
        status_changed(core, job, ad, moves.seen(core, job, status), status)
    elif status == JobStatus.IDLE:
        core.make_idle(job, ad)
    elif status == JobStatus.HELD and job not in core.runs and job not in core.reach.orphans:
        finish.held_again(core, job, ad, seen.holds)
        gridjobs.edited(core, job, ad)
    elif job in core.departing.kept and never_stays(ad):  # it was edited
        finish.leave_when_allowed(core, job)
    elif status == JobStatus.RUNNING:
        gridjobs.edited(core, job, ad)
    if prio != seen.prio:
        jobevents.attribute_changed(core, job, ad, "JobPrio", str(prio), str(seen.prio))
        moves.prio_told(core, job, prio)
    if status == JobStatus.REMOVED and ad.eval_bool("JobLeaveForced", False):
        leaving.force_out(core, job, ad)
    elif (run := core.run_for(job)) is not None and (verb := ad.eval_str("RunCommand", None)):
        suspension.obey(core, run, job, ad, verb)


def _new_job(core: ScheddState, job: JobId, ad: ClassAd, status: int) -> None:
    jobevents.submitted(core, job, ad)
    if has_periodic(ad):
        core.watched.add((job,))
    if status == JobStatus.IDLE:
        core.make_idle(job, ad)
    elif status == JobStatus.REMOVED:
        finish.removed(core, job, ad)


def _vanished(core: ScheddState, job: JobId) -> None:
    core.forget((job,))
    core.idle.discard((job,))
    core.waiting.forget((job,))
    core.watched.forget((job,))
    core.departing.forget(job)
    core.reach.forget(job)
    core.grid.gone(job, core.out)
    staging.left(core, job)
    core.withdraw(job)
    if job.proc == 0:
        core.gangs.forget(job.cluster)
        if job.cluster in core.gangs.spooling:
            core.gangs.spooled(job.cluster)
            core.agenda.want_cycle()
    if (run := core.run_for(job)) is not None:
        core.stop_run(run, graceful=False, code=VacateCode.REMOVED, reason="job left the queue")


def status_changed(core: ScheddState, job: JobId, ad: ClassAd, before: int, status: int) -> None:
    """Reacts to a change of JobStatus that is in the ad already."""
    if is_gang(ad):
        if status != JobStatus.IDLE:
            core.gangs.forget(job.cluster)
        _spread(core, job, ad, status)
    _react(core, job, ad, before, status)


#: What all procs of a parallel job do when one of them is told to: the states that they come from.
_SPREADS: dict[int, tuple[int, ...]] = {
    JobStatus.HELD: (JobStatus.IDLE, JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT),
    JobStatus.IDLE: (JobStatus.HELD,),
    JobStatus.REMOVED: (
        JobStatus.IDLE, JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT, JobStatus.HELD,
    ),
}  # fmt: skip


def _spread(core: ScheddState, job: JobId, ad: ClassAd, status: int) -> None:
    """A proc of a parallel job is held, released or removed: so are the others."""
    for other, own in list(core.jobs.procs_of(job.cluster)):
        before = status_of(own)
        if other == job or other not in core.known or before not in _SPREADS.get(status, ()):
            continue
        if status == JobStatus.HELD:
            changes = gangs.held_as(core, other, own, ad)
        elif status == JobStatus.REMOVED:
            changes = remove_records(other, own, ad.eval_str("RemoveReason", ""), core.now)
        else:
            changes = release_records(other, own, ad.eval_str("ReleaseReason", ""), core.now)
        moves.move(core, other, own, JobStatus(status), changes)
        _react(core, other, own, before, status)


def _react(core: ScheddState, job: JobId, ad: ClassAd, before: int, status: int) -> None:
    core.idle.discard((job,))
    core.withdraw(job)
    core.departing.forget(job)
    if before == JobStatus.BLOCKED:
        staging.left(core, job)
    run = core.run_for(job)
    if status == JobStatus.HELD:
        if run is not None:
            core.stop_run(run, True, VacateCode.USER_HOLD, ad.eval_str("HoldReason", ""))
        elif job not in core.reach.orphans:
            finish.held_event(core, job, ad)
            core.grid.note(job, ad, core.out)
    elif status == JobStatus.REMOVED:
        if run is not None:
            core.stop_removed(run, ad)
        elif job not in core.reach.orphans:
            core.grid.note(job, ad, core.out)
            if job not in core.grid:
                finish.removed(core, job, ad)
    elif status in mirrored.RUNNING:
        mirrored.runs(core, job, ad, before)
    elif status == JobStatus.IDLE:
        if run is not None and before in mirrored.RUNNING:  # it was held and released before we looked
            core.stop_released(run, ad)
        # Without the event of the hold, which comes when the run has ended, there is nothing to take back.
        if before == JobStatus.HELD and run is None and job not in core.reach.orphans:
            if spooled.log_begins(ad):
                jobevents.submitted(core, job, ad, ad.eval_int("QDate", core.now))
            jobevents.released(core, job, ad)
        if run is None:
            mirrored.stopped(core, job, ad, before)
            core.make_idle(job, ad)
    elif status == JobStatus.COMPLETED and run is None:  # a run by another manager has ended
        mirrored.completed(core, job, ad, before)
        finish.leave_when_allowed(core, job)

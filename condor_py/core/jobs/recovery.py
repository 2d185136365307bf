"""Start on a queue that already has jobs; lose the startd, and find it again.

The queue is written before the event log, event log and history before the removal from the queue. So what a crash cut
off shows as a difference between them, and is written here, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import (
    dissolving,
    finish,
    gangruns,
    gridjobs,
    guard,
    jobevents,
    leases,
    mirrored,
    moves,
    newjobs,
    ocu,
    otherjobs,
    staging,
)
from condor_py.core.jobs.actions import delete, plus, set_text
from condor_py.core.jobs.events import QueueTaken, StartdConnected, StartdLost
from condor_py.core.jobs.jobad import follows, is_away, is_gang, status_of, was_executed
from condor_py.core.jobs.parts import ClaimInfo, Gang, Run, is_local, members
from condor_py.core.jobs.policy import has_periodic
from condor_py.core.jobs.quotas import holders_of
from condor_py.lang.classad import ClassAd
from condor_py.model.event_types import JobEventType as Type
from condor_py.model.ids import JobId, jobs_of
from condor_py.model.messages.claims import Deactivate, ReleaseClaim
from condor_py.model.states import CODE_NAMES, JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Events that say which state a job is in.
STATE_EVENTS = frozenset(
    (
        Type.SUBMIT, Type.EXECUTE, Type.JOB_EVICTED, Type.JOB_TERMINATED, Type.SHADOW_EXCEPTION, Type.JOB_ABORTED,
        Type.JOB_HELD, Type.JOB_RELEASED, Type.JOB_RECONNECT_FAILED,
    )
)  # fmt: skip
#: States of jobs that may have run, and do not now.
_BETWEEN_RUNS = (JobStatus.IDLE, JobStatus.HELD, JobStatus.REMOVED, JobStatus.COMPLETED)
#: Events about the connection to a run.
_AWAY = frozenset((Type.JOB_DISCONNECTED, Type.JOB_RECONNECTED))
_LOST_REASON = CODE_NAMES[int(VacateCode.RECONNECT_FAILED)]
#: The most runs of a job whose events may be missing because schedds died one after the other.
_MOST_UNTOLD = 3
#: Jobs of small clusters that are taken over together.
_MANY = 1000
_STARTD_GONE = "The connection to the startd was lost"


def start(core: ScheddState, event: QueueTaken) -> None:
    """Take over a queue: each job continues where the last schedd stopped, with the events that are missing."""
    gone: list[JobId] = []

    def take(job: JobId) -> None:
        ad = core.jobs.job(job)
        if ad is not None:
            guard.take(core, job, _take_over, core, job, ad, event, gone if job in event.in_history else None)
            core.jobs.rest(job.cluster, (job.proc,))

    def past(job: JobId) -> object:
        """Return what history and event log have of a job. No two jobs that are in the history are alike."""
        events = event.logged.get(job)
        return job if job in event.in_history else None, event.is_partly(job), None if events is None else tuple(events)

    for clusters, jobs in _parts(core):
        more = None if clusters == 1 and not event.in_history and event.are_alike(jobs[0].cluster) else past
        groups = newjobs.in_groups(core, jobs, more, newjobs.TAKEN_OVER)
        newjobs.take_in(core, groups, take, newjobs.TAKEN_OVER)
    otherjobs.take_out(core, gone)  # after the others: jobs may be removed with them (OtherJobRemoveRequirements)


def _parts(core: ScheddState) -> Iterator[tuple[int, list[JobId]]]:
    """Yield all jobs in parts, each with the number of its clusters: one large cluster, or several small ones."""
    small, jobs = 0, list[JobId]()
    for cluster, procs in core.jobs.groups():
        if len(procs) >= _MANY:
            yield 1, jobs_of(cluster, procs)
            continue
        small += 1
        jobs += jobs_of(cluster, procs)
        if len(jobs) >= _MANY:
            yield small, jobs
            small, jobs = 0, []
    if jobs:
        yield small, jobs


def _take_over(core: ScheddState, job: JobId, ad: ClassAd, taken: QueueTaken, gone: list[JobId] | None) -> None:
    """Take over one job. ``gone`` collects the jobs that have only to be taken out of the queue; it is None for a job
    that the history lacks."""
    status, events = status_of(ad), taken.logged.get(job)
    moves.meet(core, job, ad)
    if has_periodic(ad):
        core.watched.add((job,))
    if events is not None and Type.SUBMIT not in events:
        jobevents.submitted(core, job, ad, ad.eval_int("QDate", core.now))
    elif events is not None and not taken.is_partly(job):
        events = _with_losses(core, job, ad, events)
    if follows(job, ad):  # the events of a parallel job are those of proc 0
        events = None
    claim_id = ad.eval_str("ClaimId", "")
    if is_local(claim_id):
        _with_runs_before(core, job, ad, taken, events)
        leases.give_up(core, job, ad)  # its starter ended with the schedd that died
    elif is_away(ad) and core.live(ad):
        mirrored.settle(core, job, ad, _last_state(events))
    elif gridjobs.is_elsewhere(ad):
        if not gridjobs.take_over(core, job, ad, events, _last_state(events)):
            _settle(core, job, ad, status, _last_state(events), gone)
    elif claim_id or core.live(ad):
        events = _with_runs_before(core, job, ad, taken, events)
        core.reach.orphan(job, unlogged=events is not None and _last_state(events) != Type.EXECUTE)
    else:
        if events is not None and status in _BETWEEN_RUNS and not (taken.is_partly(job) or _is_over(events)):
            events = _with_starts(core, job, ad, events, ad.eval_int("NumJobStarts", 0))
        _settle(core, job, ad, status, _last_state(events), gone)


def _with_losses(core: ScheddState, job: JobId, ad: ClassAd, events: Sequence[int]) -> Sequence[int]:
    """Write events 022 and 024 of runs that were given up by schedds that died before they wrote them: the queue counts
    such runs, and the log lacks them. Return the events that the log has then."""
    if _is_over(events):
        return events
    for _ in range(min(_losses(ad) - events.count(Type.JOB_RECONNECT_FAILED), _MOST_UNTOLD)):
        since = next((number for number in reversed(events) if number in STATE_EVENTS or number in _AWAY), 0)
        if since != Type.JOB_DISCONNECTED:
            jobevents.disconnected(core, job, ad, _STARTD_GONE)
        jobevents.reconnect_failed(core, job, ad, finish.LOST)
        events = (*events, Type.JOB_RECONNECT_FAILED)
    return events


def _with_starts(core: ScheddState, job: JobId, ad: ClassAd, events: Sequence[int], runs: int) -> Sequence[int]:
    """Write event 001 of runs that began and ended in batches whose events were lost with the schedd. ``runs``: number
    of all runs. Return the events that the log has then."""
    missing = runs - _told_runs(events)
    if missing > _MOST_UNTOLD:
        return events  # it is another log
    for _ in range(missing):
        events = _with_end(core, job, ad, events)
        _start_event(core, job, ad)
        events = (*events, Type.EXECUTE)
    return events


def _with_end(core: ScheddState, job: JobId, ad: ClassAd, events: Sequence[int]) -> Sequence[int]:
    """Write event 004 of the last run, if the log has only its start. Return the events that the log has then."""
    if _last_state(events) != Type.EXECUTE:
        return events
    _evicted_event(core, job, ad)
    return (*events, Type.JOB_EVICTED)


def _with_runs_before(
    core: ScheddState, job: JobId, ad: ClassAd, taken: QueueTaken, events: Sequence[int] | None
) -> Sequence[int] | None:
    """Write the events of the runs before the present one that are missing because schedds died. Return the events that
    the log has then."""
    if events is None or taken.is_partly(job) or is_gang(ad):
        return events
    runs = ad.eval_int("NumJobStarts", 0) - was_executed(ad)
    events = _with_starts(core, job, ad, events, runs)
    return _with_end(core, job, ad, events) if _told_runs(events) == runs else events


def _told_runs(events: Sequence[int]) -> int:
    """Return the number of runs in a log. A run that was given up (024) counts, too, if the log lacks its start."""
    runs, runs_now = 0, False
    for number in events:
        if number == Type.EXECUTE or (number == Type.JOB_RECONNECT_FAILED and not runs_now):
            runs += 1
        if number in STATE_EVENTS:
            runs_now = number == Type.EXECUTE
    return runs


def _losses(ad: ClassAd) -> int:
    """Return the number of runs of a job that were given up."""
    counts = ad.evaluate("NumVacatesByReason")
    return counts.eval_int(_LOST_REASON, 0) if isinstance(counts, ClassAd) else 0


def _last_state(events: Sequence[int] | None) -> int | None:
    """Return the last event that says a state, 0 if there is none; None without a log."""
    if events is None:
        return None
    return next((number for number in reversed(events) if number in STATE_EVENTS), 0)


def _is_over(events: Sequence[int]) -> bool:
    """Whether the log has the last event of a job."""
    return _last_state(events) in (Type.JOB_TERMINATED, Type.JOB_ABORTED)


def _settle(
    core: ScheddState, job: JobId, ad: ClassAd, status: int, last: int | None, gone: list[JobId] | None
) -> None:
    """Write the event for the state of a job that has no run, if the log lacks it; let it leave if it was about to.
    ``last``: the last event that says a state, None without a log."""
    if status == JobStatus.HELD:
        if last not in (None, Type.JOB_HELD) and ad.eval_int("NumHolds", 0) and ad.eval_int("HoldReasonCode", 0) != 15:
            finish.held_event(core, job, ad)
    elif status == JobStatus.REMOVED:
        if gone is not None:
            gone.append(job)
        elif last == Type.JOB_ABORTED:
            finish.leave_when_allowed(core, job)
        else:
            if last is not None and ad.local_text("JobAbortEventLogged") is not None:
                jobevents.aborted(core, job, ad)  # the queue has the mark of the event, the log lacks it
            finish.removed(core, job, ad)
    elif status == JobStatus.COMPLETED:
        _settle_completed(core, job, ad, last, gone)
    elif status == JobStatus.IDLE:
        if last == Type.JOB_HELD:
            jobevents.released(core, job, ad)
        elif last == Type.EXECUTE:
            _evicted_event(core, job, ad)
        core.make_idle(job, ad)
    elif status == JobStatus.BLOCKED:  # the message that its files are staged went to the last schedd
        moves.to_idle(core, job, ad)


def _settle_completed(core: ScheddState, job: JobId, ad: ClassAd, last: int | None, gone: list[JobId] | None) -> None:
    if last not in (None, Type.EXECUTE, Type.JOB_TERMINATED) and ad.eval_int("NumJobStarts", 0):
        _start_event(core, job, ad)  # start and end were in one batch
    if last not in (None, Type.JOB_TERMINATED):
        jobevents.completed(core, ad, jobevents.terminated(core, job, ad))
    if gone is not None:
        gone.append(job)
    else:
        finish.leave_when_allowed(core, job)


def _start_event(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Event 001 of the last run, from what the queue kept of it."""
    slot = ClassAd()
    for name in ("Cpus", "Disk", "GPUs", "Memory"):
        slot.set_int(name, ad.eval_int(f"{name}Provisioned", 0))
    when = ad.eval_int("JobCurrentStartExecutingDate", core.now)
    jobevents.executing(core, job, ad, ad.eval_str("LastRemoteHost", ""), slot, when=when)


def _evicted_event(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Event 004 of the last run that ended, from what the queue kept of it."""
    reason = ad.eval_str("VacateReason", "") or "Unspecified job interruption"
    jobevents.evicted(core, job, ad, None, (ad.eval_int("VacateReasonCode", 0), 0, reason))


def startd_lost(core: ScheddState, event: StartdLost) -> None:
    """The startd is out of reach: its claims and runs may or may not continue."""
    core.reach.lost(core.now)
    gangruns.out_of_reach(core)
    for run in core.claims.forget_slots():
        ad = core.jobs.job(run.job)
        if ad is not None:
            core.reach.orphan(run.job, told=True)
            core.out.apply(ad, [set_text(run.job, "JobDisconnectedDate", str(core.now))])
            jobevents.disconnected(core, run.job, ad, _STARTD_GONE)
    staging.reset(core)
    for job in core.claims.forget_requests():
        ad = core.jobs.job(job)
        if ad is not None:  # else an owner capacity unit asked
            core.make_idle(job, ad)


def startd_connected(core: ScheddState, event: StartdConnected) -> None:
    """Match the startd's claims with the jobs that run according to the queue."""
    core.reach.connected()
    together, others = gangruns.adopt(core, event.claims)
    for gang in together:
        _found_together(core, gang)
    for info in others:
        _adopt(core, info)
    leases.give_up_all(core)
    core.agenda.want_cycle()


def _adopt(core: ScheddState, info: ClaimInfo) -> None:
    """Take a claim (back), with the job on it if that is the run that the queue has; otherwise give it back."""
    claim = core.claims.take(info, core.now, used=True)
    ocu.adopt(core, info)
    if info.data:
        staging.adopt(core, info, claim)
        return
    if not info.job:
        return
    job = JobId.parse(info.job)
    ad = core.jobs.job(job) if job in core.reach.orphans else None
    if ad is None or is_gang(ad) or not _same_run(ad, info):  # without node 0 no node of a parallel job continues
        claim.give_back()
        core.out.emit(
            Deactivate(info.claim_id, False, int(VacateCode.CLAIM_RELEASED), "not the run that the queue knows")
        )
        core.out.emit(ReleaseClaim(info.claim_id))
        return
    claim.take_back(ad)
    run = Run(job, info.claim_id, info.run, info.submitter, holders=holders_of(ad))
    if was_executed(ad):
        run.begin()
    core.claims.begin(claim, run)
    if core.reach.is_unlogged(job) and run.executing:
        jobevents.executing(core, job, ad, info.slot, info.slot_ad)
    _found_again(core, job, ad, info.slot)
    _resume_stop(core, job, ad, run)


def _found_together(core: ScheddState, gang: Gang) -> None:
    """The run of a parallel job is found again, with its nodes."""
    job, ad, run = gang.lead, core.jobs.job(gang.lead), core.runs[gang.lead]
    assert ad is not None, "a job that leaves the queue is no orphan"
    _found_again(core, job, ad, core.claims[run.claim_id].info.slot)
    for other, _ in members(core.jobs, job.cluster):
        core.reach.forget(other)
    _resume_stop(core, job, ad, run)
    dissolving.settle(core, gang)


def _found_again(core: ScheddState, job: JobId, ad: ClassAd, slot: str) -> None:
    """Events 022, unless the log has it, and 023; the ad counts it."""
    if not core.reach.is_told(job):
        jobevents.disconnected(core, job, ad, _STARTD_GONE)
    core.reach.forget(job)
    core.out.apply(ad, [plus(job, ad, "NumJobReconnects")])
    if ad.has("JobDisconnectedDate"):
        core.out.apply(ad, [delete(job, "JobDisconnectedDate")])
    jobevents.reconnected(core, job, ad, slot)
    finish.reconnect(core, job, ad, found=True)


def _resume_stop(core: ScheddState, job: JobId, ad: ClassAd, run: Run) -> None:
    """Send the startd the order to end a run whose job was held or removed meanwhile."""
    status = status_of(ad)
    if status == JobStatus.HELD:
        core.stop_run(run, True, VacateCode.USER_HOLD, ad.eval_str("HoldReason", ""))
    elif status == JobStatus.REMOVED:
        core.stop_removed(run, ad)
    elif status == JobStatus.IDLE:
        core.stop_released(run, ad)


def _same_run(ad: ClassAd, info: ClaimInfo) -> bool:
    """Whether the run on a claim is the one that the queue has."""
    return ad.eval_str("ClaimId", None) == info.claim_id and ad.eval_int("NumShadowStarts", 0) == info.run

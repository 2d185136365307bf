"""Carrying out what policy expressions say: periodic_*, SYSTEM_PERIODIC_*, allowed durations, bad schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode, JobStatus
from condor_py.schedd import external, finish, moves, recovery, review, turns
from condor_py.schedd.actions import hold_records, release_records, remove_records, set_text
from condor_py.schedd.dollars import CannotExpand, expand
from condor_py.schedd.policy import Verdict, has_periodic, periodic

if TYPE_CHECKING:
    from condor_py.schedd.core import Schedd

#: Where verdicts send a job.
_STATES = {"hold": JobStatus.HELD, "release": JobStatus.IDLE, "remove": JobStatus.REMOVED}


def check(core: Schedd, enough: Callable[[], bool]) -> bool:
    """Evaluates the periodic expressions of all jobs that have any, and looks at what only time changes.

    False when there was ``enough``: the next call goes on behind the jobs that were looked at.
    """
    system = core.settings.system_periodic
    if not core.to_judge:
        core.to_judge.extend(core.known if system.judges_everybody() else core.periodic_jobs)
    while core.to_judge:
        job = core.to_judge.popleft()
        ad = core.jobs.job(job)
        if ad is not None and job not in core.orphans and not external.is_away(ad):
            turns.take(core, job, _judge, core, job, ad)
        if core.to_judge and enough():
            return False
    for job in list(core.repeating):
        ad = core.jobs.job(job)
        if ad is None:
            core.repeating.discard(job)
        elif job in core.idle:
            turns.take(core, job, core.make_idle, job, ad)
    for job in list(core.waiting_to_leave):
        turns.take(core, job, finish.leave_when_allowed, core, job)
    recovery.expire_leases(core)
    return True


def _judge(core: Schedd, job: JobId, ad: ClassAd) -> None:
    obey(core, job, ad, periodic(ad, core.settings.system_periodic, core.now))


def check_updated(core: Schedd, enough: Callable[[], bool]) -> bool:
    """Evaluates the periodic expressions of the jobs whose starter has told something since. False when there was
    ``enough``: the next call goes on."""
    while core.updated:
        job = next(iter(core.updated))
        del core.updated[job]
        ad = core.jobs.job(job)
        if ad is not None and job in core.runs:
            turns.take(core, job, _judge, core, job, ad)
        if core.updated and enough():
            return False
    return True


def note_update(core: Schedd, job: JobId) -> None:
    """The starter of a job told something: its policy is to be looked at soon, as HTCondor's shadow does."""
    if job in core.periodic_jobs or core.settings.system_periodic.judges_everybody():
        core.updated[job] = None


def watch(core: Schedd, jobs: Iterable[JobId]) -> None:
    """Looks from now on at those of some jobs that have periodic expressions."""
    for job in jobs:
        ad = core.jobs.job(job)
        if ad is not None and has_periodic(ad):
            core.periodic_jobs.add(job)


def obey(core: Schedd, job: JobId, ad: ClassAd, verdict: Verdict) -> None:
    """Holds, releases, removes or vacates a job; a run is ended first."""
    if verdict.action == "stay":
        return
    run = core.runs.get(job)
    if verdict.action == "vacate":
        if run is not None and not run.stop_code:
            core.stop_run(run, True, verdict.code, verdict.reason)
        return
    if run is not None and verdict.action in ("hold", "remove"):
        run.by_policy = True
    if verdict.action == "hold":
        changes = hold_records(job, ad, verdict.code, verdict.subcode, verdict.reason, core.now)
    elif verdict.action == "release":
        changes = release_records(job, ad, verdict.reason, core.now)
    else:
        changes = remove_records(job, ad, verdict.reason, core.now)
    before = core.known[job].status
    moves.move(core, job, ad, _STATES[verdict.action], changes)
    review.status_changed(core, job, ad, before, int(_STATES[verdict.action]))


def expanded(core: Schedd, job: JobId, ad: ClassAd, slot: ClassAd) -> bool:
    """Fills ``$$()`` in from the slot, as MATCH_EXP_… attributes; False when the job had to be held."""
    try:
        kept = expand(ad, slot).kept
    except CannotExpand as error:
        obey(core, job, ad, Verdict("hold", str(error), int(HoldCode.UNSPECIFIED), 0))
        core.out.apply(ad, [set_text(job, "NumSystemHolds", str(ad.eval_int("NumSystemHolds", 0) + 1))])
        return False
    core.out.apply(ad, [set_text(job, name, text) for name, text in kept.items()])
    return True

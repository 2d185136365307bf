"""Carrying out what policy expressions say: periodic_*, SYSTEM_PERIODIC_*, allowed durations, bad schedules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.core.jobs import external, finish, leases, moves, review, turns
from condor_py.core.jobs.actions import hold_records, plus, release_records, remove_records, set_text
from condor_py.core.jobs.dollars import CannotExpand, expand
from condor_py.core.jobs.events import PoliciesDue, UpdatesDue
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.policy import Verdict, has_periodic, periodic
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode, JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

#: Where verdicts send a job.
_STATES = {"hold": JobStatus.HELD, "release": JobStatus.IDLE, "remove": JobStatus.REMOVED}


def check(core: Books, event: PoliciesDue) -> None:
    """Evaluates the periodic expressions of all jobs that have any, and looks at what only time changes.

    When there was ``enough`` the next event goes on behind the jobs that were looked at.
    """
    system = core.settings.system_periodic
    core.watched.look_at(core.known if system.judges_everybody() else core.watched.jobs)
    for job in core.watched.each():
        ad = core.jobs.job(job)
        if ad is not None and job not in core.reach.orphans and not external.is_exported(ad):
            turns.take(core, job, _judge, core, job, ad)
        if core.watched.left and event.enough():
            return
    for job in list(core.waiting.repeating):
        ad = core.jobs.job(job)
        if ad is not None and job in core.idle:
            turns.take(core, job, core.make_idle, job, ad)
    for job in list(core.departing.kept):
        turns.take(core, job, finish.leave_when_allowed, core, job)
    leases.expire(core)


def _judge(core: Books, job: JobId, ad: ClassAd) -> None:
    obey(core, job, ad, periodic(ad, core.settings.system_periodic, core.now))


def check_updated(core: Books, event: UpdatesDue) -> None:
    """Evaluates the periodic expressions of the jobs whose starter has told something since. When there was ``enough``
    the next event goes on."""
    for job in core.watched.each_updated():
        ad = core.jobs.job(job)
        if ad is not None and job in core.runs:
            turns.take(core, job, _judge, core, job, ad)
        if event.enough():
            return


def note_update(core: Books, job: JobId) -> None:
    """The starter of a job told something: its policy is to be looked at soon, as HTCondor's shadow does."""
    if job in core.watched.jobs or core.settings.system_periodic.judges_everybody():
        core.watched.note_update(job)


def watch(core: Books, jobs: Iterable[JobId]) -> None:
    """Looks from now on at those of some jobs that have periodic expressions."""
    for job in jobs:
        ad = core.jobs.job(job)
        if ad is not None and has_periodic(ad):
            core.watched.add(job)


def obey(core: Books, job: JobId, ad: ClassAd, verdict: Verdict) -> None:
    """Holds, releases, removes or vacates a job; a run is ended first. A held job is not held once more."""
    if verdict.action == "stay" or (verdict.action == "hold" and status_of(ad) == JobStatus.HELD):
        return
    run = core.runs.get(job)
    if verdict.action == "vacate":
        if run is not None and not run.stop_code:
            core.stop_run(run, True, verdict.code, verdict.reason)
        return
    if run is not None and verdict.action in ("hold", "remove"):
        run.judge()
    if verdict.action == "hold":
        changes = hold_records(job, ad, verdict.code, verdict.subcode, verdict.reason, core.now)
    elif verdict.action == "release":
        changes = release_records(job, ad, verdict.reason, core.now)
    else:
        changes = remove_records(job, ad, verdict.reason, core.now)
    before = core.known[job].status
    moves.move(core, job, ad, _STATES[verdict.action], changes)
    review.status_changed(core, job, ad, before, int(_STATES[verdict.action]))


def expanded(core: Books, job: JobId, ad: ClassAd, slot: ClassAd) -> bool:
    """Fills ``$$()`` in from the slot, as MATCH_EXP_… attributes; False when the job had to be held."""
    try:
        kept = expand(ad, slot).kept
    except CannotExpand as error:
        obey(core, job, ad, Verdict("hold", str(error), int(HoldCode.UNSPECIFIED), 0))
        core.out.apply(ad, [plus(job, ad, "NumSystemHolds")])
        return False
    core.out.apply(ad, [set_text(job, name, text) for name, text in kept.items()])
    return True

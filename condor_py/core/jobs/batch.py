"""Many known jobs that were changed together: what comes of one comes of those that say the same.

A change of 100,000 jobs of one account is mostly one decision. Of the jobs of a cluster of which the same was known,
and that now say the same of everything that decides, the first has its turn. Where that led to nothing but another
status or priority, a place among the idle jobs, events and the way out of the queue, the others follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.jobs import moves, newjobs
from condor_py.core.jobs.effects import Effect, Leave, UserEvent
from condor_py.core.jobs.grouping import alike
from condor_py.core.jobs.index import IdleJob
from condor_py.core.jobs.parts import Known
from condor_py.lang.classad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Alike, Change

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Of fewer jobs of a cluster each has its own turn.
_FEW = 16
#: What decides what becomes of a job that was changed, and is evaluated for that,
_EVALUATED = (
    *newjobs.EVALUATED, "holdreason", "holdreasoncode", "holdreasonsubcode", "releasereason", "removereason",
    "leavejobinqueue", "jobleaveforced", "runcommand",
)  # fmt: skip
#: and what it is asked for besides.
_ASKED = ("jobaborteventlogged", "jobfinishedhookdone", "gridjobid", "routedtojobid", "numjobstarts")
#: What may be told of jobs that follow another,
_TOLD = (
    JobEventType.JOB_ABORTED, JobEventType.JOB_HELD, JobEventType.JOB_RELEASED, JobEventType.ATTRIBUTE_UPDATE,
)  # fmt: skip
#: and what may be written of them, which is the same for all.
_WRITTEN = frozenset(("JobAbortEventLogged", "JobFinishedHookDone"))


class _Outcome(NamedTuple):
    """Outcome of handling a job: its known state before and after, its place among idle jobs, records and effects."""

    before: Known
    after: Known
    place: IdleJob | None
    changes: tuple[Change, ...]
    effects: list[Effect]


def review(core: ScheddState, cluster: int, jobs: Sequence[JobId], take: Callable[[JobId], object]) -> None:
    """Gives known jobs of a cluster, all of which are in the queue, their turns, or has them follow another."""
    odd = _odd(core, jobs) if len(jobs) >= _FEW else set(jobs)
    for job in jobs:
        if job in odd:
            take(job)
    plain = [job for job in jobs if job not in odd] if odd else jobs
    for group in newjobs.in_groups(core, cluster, plain, core.known.__getitem__, _EVALUATED, _ASKED):
        first, others = group[0], group[1:]
        before, records, effects = core.known[first], len(core.out.records), len(core.out.effects)
        take(first)
        outcome = _outcome(core, first, before, records, effects) if others else None
        if outcome is None:
            for job in others:
                take(job)
        else:
            _follow(core, first, others, outcome)


def _odd(core: ScheddState, jobs: Sequence[JobId]) -> set[JobId]:
    """The jobs of which more is known than their ads and their last state tell."""
    some, found = set(jobs), set()
    for place in _places(core):
        if place and not some.isdisjoint(place):
            found |= {job for job in some if job in place}
    return found


def _places(core: ScheddState) -> tuple[Collection[JobId], ...]:
    waiting, departing = core.waiting, core.departing
    return (
        core.runs.keys(), core.reach.orphans, core.claims.asking, core.reassignments.jobs, core.stagings.waiting.keys(),
        core.grid.jobs, waiting.cooling, waiting.here, waiting.repeating, departing.kept, departing.leaving,
    )  # fmt: skip


def _outcome(core: ScheddState, job: JobId, before: Known, records: int, effects: int) -> _Outcome | None:
    """Return the outcome of handling a job, if others can follow it; else None."""
    ad, after, told = core.jobs.job(job), core.known.get(job), core.out.effects[effects:]
    written = core.out.records[records:]
    if ad is None or after is None or not newjobs.stands_for_others(ad, _EVALUATED):
        return None
    changes = tuple([entry for entry in written if type(entry) is Change and _may_be_written(entry, job)])
    leaves = any(type(effect) is Leave for effect in told)
    usual = len(changes) == len(written) and all(_may_be_told(core, effect, ad) for effect in told)
    if not usual or any(job in place for place in _places(core) if not leaves or place is not core.departing.leaving):
        return None
    return _Outcome(before, after, core.idle.get(job), tuple([each.of("") for each in changes]), told)


def _may_be_written(entry: Change, job: JobId) -> bool:
    return entry.op in (SET, DELETE) and entry.name in _WRITTEN and entry.key == str(job)


def _may_be_told(core: ScheddState, effect: Effect, ad: ClassAd) -> bool:
    if type(effect) is UserEvent:
        return effect.ad is ad and effect.event.number in _TOLD and not core.logs.all_jobs
    return type(effect) is Leave and effect.ads[0] is ad


def _follow(core: ScheddState, first: JobId, others: Sequence[JobId], outcome: _Outcome) -> None:
    """Apply the outcome of the first job to the others."""
    if outcome.after != outcome.before:
        moves.follow(core, others, outcome.before, outcome.after)
    if outcome.place is None:
        core.idle.discard(others)
    else:
        core.idle.put(others, outcome.place)
    if outcome.changes:
        _write_alike(core, first, others, outcome.changes)
    for effect in outcome.effects:
        if type(effect) is UserEvent:
            core.out.emit(UserEvent(effect.ad, effect.event, tuple([job.proc for job in others])))
        else:
            core.leave(others, core.jobs.ads_of(others))


def _write_alike(core: ScheddState, first: JobId, others: Sequence[JobId], changes: tuple[Change, ...]) -> None:
    """The last records, which are those of the first, are those of all."""
    core.jobs.change(others, changes)
    entries = alike([first, *others], changes)
    marked = [changed(each, applied=True) if isinstance(each, Alike) else each for each in entries]
    core.out.write_instead(len(changes), marked)

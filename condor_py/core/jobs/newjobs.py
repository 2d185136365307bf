"""Many new jobs at once. Jobs that agree in every deciding attribute are handled once, through the first of them.

Jobs of one cluster, or of clusters that were submitted in a loop, mostly differ in their arguments and files only. If
all that came of the first job is that it is idle and waits for a slot, the others of its group wait with it, and their
ads are not read. Otherwise each of them is handled by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

from condor_py.core.jobs import crontab, jobevents
from condor_py.core.jobs.autorequests import DECISIVE, numbers_of
from condor_py.core.jobs.effects import Leave, UserEvent
from condor_py.core.jobs.grouping import by_cluster
from condor_py.core.jobs.index import PRIOS
from condor_py.core.jobs.policy import PERIODIC
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.kinds import is_plain
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Fewer jobs than these are handled one by one.
_FEW = 16
#: Attributes that decide what becomes of a new job, and are evaluated for that;
EVALUATED = (
    "jobstatus", "jobprio", "numholds", "jobuniverse", "claimid", "managed", "managedmanager", "isnoopjob",
    "jobcooldownexpiration", "wantparallelscheduling", "requestcpus", "accountinggroup", "user",
    *jobevents.SUBMIT_NAMES, *(name.lower() for name in PRIOS),
)  # fmt: skip
#: for a schedd that starts also those that decide whether a removed job leaves the queue, and whether the event log
#: lacks runs of a job;
_KEPT, _STARTS = "leavejobinqueue", "numjobstarts"
TAKEN_OVER = (*EVALUATED, _KEPT, _STARTS)
#: attributes that make a job unlike any other: they name more attributes that decide, or the job has a past;
_ALONE = (*jobevents.TELLING_MORE, "numvacatesbyreason", "gridresource")
#: and attributes that its autocluster depends on: those of a job itself may refer to more attributes.
_REFERRING = ("requirements", "rank")
#: With more deciding attributes than these, jobs are handled one by one.
_MANY_NAMES = 120


def in_groups(
    core: ScheddState,
    jobs: Sequence[JobId],
    more: Callable[[JobId], object] | None = None,
    evaluated: tuple[str, ...] = EVALUATED,
    asked: tuple[str, ...] = (),
) -> Iterator[Sequence[JobId]]:
    """Yield jobs in groups of which the first may represent all: they agree in everything that decides what becomes of
    a new job, in all attributes of ``evaluated`` and ``asked``, and in the value that ``more`` returns for them."""
    if len(jobs) < _FEW:
        yield from ((job,) for job in jobs)
        return
    first = (*evaluated, *asked, *_ALONE, *_REFERRING, *map(str.lower, core.autoclusters.significant))
    for some in core.jobs.like(jobs, first):
        shared = core.jobs.cluster(some[0].cluster)
        names = () if shared is None or len(some) < _FEW else _decisive(core, shared, evaluated, asked)
        if not names:
            yield from ((job,) for job in some)
        elif shared is not None and numbers_of(shared):  # each cluster has numbers of its own
            for one in by_cluster(some).values():
                yield from _in_kinds(core, one, names, more)
        else:
            for part in core.jobs.like(some, names):
                yield from _in_kinds(core, part, names, more)


def _in_kinds(
    core: ScheddState, jobs: Sequence[JobId], names: tuple[str, ...], more: Callable[[JobId], object] | None
) -> Iterator[Sequence[JobId]]:
    for group in core.jobs.kinds(jobs, names):
        if more is None or len(group) == 1:
            yield group
            continue
        parts: dict[object, list[JobId]] = {}
        for job in group:
            parts.setdefault(more(job), []).append(job)
        yield from parts.values()


def represents_others(ad: ClassAd, evaluated: tuple[str, ...] = EVALUATED) -> bool:
    """Whether a job may represent others: it has no attribute of its own that makes it unlike them, or that must be
    computed."""
    own = ad.attrs
    return own.keys().isdisjoint((*_ALONE, *_REFERRING)) and is_plain(map(own.get, evaluated))


def _decisive(
    core: ScheddState, shared: ClassAd, evaluated: tuple[str, ...], asked: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the lower-case names of all attributes that decide about a job of a cluster; none if no job can represent
    others."""
    if not is_plain(map(shared.attrs.get, evaluated)) or not shared.attrs.keys().isdisjoint(_ALONE):
        return ()
    names = {*evaluated, *asked, *_ALONE, *PERIODIC, *crontab.NAMES, *core.autoclusters.decisive(shared)}
    if numbers_of(shared):
        names.update(DECISIVE)
    return tuple(sorted(names)) if len(names) < _MANY_NAMES and "".join(names).isascii() else ()


def take_in(
    core: ScheddState,
    groups: Iterable[Sequence[JobId]],
    take: Callable[[JobId], object],
    evaluated: tuple[str, ...] = EVALUATED,
) -> int:
    """Handle the first job of each group with ``take``; the others follow it, or are handled with ``take``, too. Return
    how many followed. ``evaluated``: what the jobs of each group agree in (see ``in_groups``)."""
    followed = 0
    for group in groups:
        records, effects = len(core.out.records), len(core.out.effects)
        take(group[0])
        others = group[1:]
        if others and len(core.out.records) == records and _waits(core, group[0], effects):
            _follow(core, group[0], others, effects)
            followed += len(others)
        elif others and len(core.out.records) == records and _leaves(core, group[0], effects, evaluated):
            core.remember(others, core.known[group[0]])
            leave_too(core, others)
        else:
            for job in others:
                take(job)
    return followed


def _waits(core: ScheddState, job: JobId, before: int) -> bool:
    """Whether all that came of a job is that it waits for a slot, and event 000 (submit)."""
    ad, known = core.jobs.job(job), core.known.get(job)
    if ad is None or known is None or known.status != JobStatus.IDLE or job not in core.idle or crontab.repeats(ad):
        return False
    effects = core.out.effects[before:]
    if len(effects) > 1 or core.logs.all_jobs:
        return False
    if effects and not (type(effects[0]) is UserEvent and effects[0].event.number == JobEventType.SUBMIT):
        return False
    return represents_others(ad)


def _leaves(core: ScheddState, job: JobId, before: int, evaluated: tuple[str, ...]) -> bool:
    """Whether all that came of a job is that it leaves: a removed one whose event log has its removal."""
    ad, known = core.jobs.job(job), core.known.get(job)
    if ad is None or known is None or known.status != JobStatus.REMOVED or _KEPT not in evaluated:
        return False
    effects = core.out.effects[before:]
    return len(effects) == 1 and type(effects[0]) is Leave and represents_others(ad, evaluated)


def leave_too(core: ScheddState, others: Sequence[JobId]) -> None:
    """Let jobs leave together with one that leaves."""
    for jobs in by_cluster(others).values():
        core.leave(jobs, core.jobs.ads_of(jobs))


def tell_others(core: ScheddState, effect: UserEvent, others: Sequence[JobId]) -> None:
    """Queue the event of a job for others that follow it."""
    for cluster, jobs in by_cluster(others).items():
        ad, event, procs = effect.ad, effect.event, tuple([job.proc for job in jobs])
        if cluster != event.cluster:
            ad, event = core.jobs.ads_of(jobs[:1])[0], copy(event)
            event.cluster, event.proc = cluster, procs[0]
        core.out.emit(UserEvent(ad, event, procs))


def _follow(core: ScheddState, first: JobId, others: Sequence[JobId], before: int) -> None:
    """Let others wait as the first job does, with the same events. ``before``: number of effects before it."""
    entry = core.idle.get(first)
    assert entry is not None
    core.remember(others, core.known[first])
    core.idle.put(others, entry)
    if first in core.watched.jobs:
        core.watched.add(others)
    for effect in core.out.effects[before:]:
        assert type(effect) is UserEvent
        tell_others(core, effect, others)
    core.jobs.rest(first.cluster, (first.proc,))

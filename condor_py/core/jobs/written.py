"""Reaction to records that tools, or clients through the schedd, wrote to the queue: each affected job is reviewed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import filterfalse
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.jobs import guard, moves, newjobs, policing, requests, reuse, review
from condor_py.core.jobs.effects import Effect, Leave, UserEvent
from condor_py.core.jobs.events import ClientWrites, QueueChanged
from condor_py.core.jobs.grouping import alike, by_cluster
from condor_py.core.jobs.index import IdleJob
from condor_py.core.jobs.parts import Known
from condor_py.core.jobs.policy import PERIODIC
from condor_py.lang.classad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Alike, Change, Entry, Gone, NewJobs
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


_IDLE = str(int(JobStatus.IDLE))


def queue_changed(core: ScheddState, event: QueueChanged) -> None:
    """Handle records that another process wrote to the queue."""
    _react(core, event.records)


def client_wrote(core: ScheddState, event: ClientWrites) -> None:
    """Queue the records of a client's request. Those that change the image at once are reacted to at once; the others
    when they have been written."""
    if not event.at_once:
        core.out.queue(event.records)
        return
    _meet(core, event.records)
    entries = requests.apply(core.jobs, event.records)
    core.out.queue(entries)
    _react(core, entries)


def _meet(core: ScheddState, entries: Iterable[Entry]) -> None:
    """Review new jobs that the entries are about to change: their submit is reported as they are now."""
    jobs: dict[JobId, None] = {}
    for entry in entries:
        jobs.update(dict.fromkeys(filterfalse(core.known.__contains__, _jobs_of(entry))))
    _review(core, [job for job in jobs if core.jobs.job(job) is not None])


def _jobs_of(entry: Entry) -> Sequence[JobId]:
    """The jobs that an entry changes."""
    if isinstance(entry, Alike):
        return entry.jobs
    if not isinstance(entry, Change) or entry.key[0] == "0":
        return ()
    cluster, _, proc = entry.key.partition(".")
    return (JobId(int(cluster), int(proc)),) if proc and proc[0] != "-" else ()


def _react(core: ScheddState, entries: Iterable[Entry]) -> None:
    """Review the jobs that ``entries``, which are in the image already, are about."""
    touched: dict[JobId, None] = {}
    clusters: set[str] = set()
    last_key = ""
    users_changed = False
    names: set[str] = set()
    for entry in entries:
        if isinstance(entry, Alike):
            touched.update(dict.fromkeys(entry.jobs))
            names.update([change.name for change in entry.changes])
            if any(change.name == "JobStatus" and change.value != _IDLE for change in entry.changes):
                core.idle.discard(entry.jobs)
            continue
        if isinstance(entry, Gone):
            touched.update(dict.fromkeys(entry.jobs))
            continue
        if isinstance(entry, NewJobs):
            touched.update(dict.fromkeys([JobId(cluster, proc) for cluster, procs in entry.jobs for proc in procs]))
            continue
        key = entry.key
        names.add(entry.name)
        if key[0] == "0":
            if key not in clusters and key.endswith(".-1"):
                clusters.add(key)
                _cluster_changed(core, int(key[1:-3]), touched)
            users_changed = users_changed or (key[1] == "." and key != "0.0")  # 0.N: user or project N
            continue
        if key == last_key:
            continue  # the records of one job follow each other
        last_key = key
        cluster, _, proc = key.partition(".")
        if proc and proc[0] != "-":
            touched[JobId(int(cluster), int(proc))] = None
    # An edit may give a job its first periodic expression; the review of a new job finds its expressions itself.
    is_policy = any(name.lower() in PERIODIC for name in names)
    edited = [job for job in touched if job in core.known] if is_policy else []
    _review(core, touched)
    if users_changed:
        reuse.read_quotas(core)
    policing.watch(core, edited)


def _review(core: ScheddState, touched: Collection[JobId]) -> None:
    """Review jobs, one by one or together with others like them: known jobs first, then new ones."""
    known = core.known
    reviewed: list[JobId] = []

    def take(job: JobId) -> None:
        reviewed.append(job)
        guard.take(core, job, review.review, core, job)

    there = _there(core, list(touched), take)
    old = [job for job in there if job in known]
    review_together(core, old, take)
    if len(old) < len(there):
        new = [job for job in there if job not in known]
        followed = newjobs.take_in(core, newjobs.in_groups(core, new), take)
        core.counters.add(core.now, JobsSubmitted=followed)
    if len(touched) >= _FEW:
        for cluster, jobs in by_cluster(reviewed).items():
            core.jobs.rest(cluster, [job.proc for job in jobs])


def _there(core: ScheddState, jobs: Sequence[JobId], take: Callable[[JobId], object]) -> Sequence[JobId]:
    """Return those of some jobs that are in the queue; ``take`` gets the others, which the review forgets."""
    there = core.jobs.among(jobs)
    gone = set(jobs).difference(there) if len(there) < len(jobs) else ()
    for job in sorted(gone):
        take(job)
    return there


def _cluster_changed(core: ScheddState, cluster: int, touched: dict[JobId, None]) -> None:
    """The ad of a cluster has changed: add its jobs to ``touched``."""
    ad = core.jobs.cluster(cluster)
    if ad is not None:
        core.autoclusters.forget_cluster(ad)
    for job, _ in core.jobs.procs_of(cluster):
        touched.setdefault(job)


# Many known jobs that were changed at once: 100,000 jobs of one account are mostly one decision. Jobs of a cluster that
# agree in what was known of them, and in every attribute that decides, are reviewed through the first of them. If that
# changed only its status or priority, its place among the idle jobs, events or its way out of the queue, the others
# follow it.

#: Fewer jobs than these are reviewed one by one.
_FEW = 16
#: Attributes that decide what becomes of a changed job, and are evaluated for that,
_EVALUATED = (
    *newjobs.EVALUATED, "holdreason", "holdreasoncode", "holdreasonsubcode", "releasereason", "removereason",
    "leavejobinqueue", "jobleaveforced", "runcommand",
)  # fmt: skip
#: and others that decide it, of which only the texts are compared.
_ASKED = ("jobaborteventlogged", "jobfinishedhookdone", "gridjobid", "routedtojobid", "numjobstarts")
#: Events that may be written for jobs that follow another,
_TOLD = (
    JobEventType.JOB_ABORTED, JobEventType.JOB_HELD, JobEventType.JOB_RELEASED, JobEventType.ATTRIBUTE_UPDATE,
)  # fmt: skip
#: and attributes that may be set, which are the same for all of them.
_WRITTEN = frozenset(("JobAbortEventLogged", "JobFinishedHookDone"))


class _Outcome(NamedTuple):
    """Outcome of handling a job: its known state before and after, its place among idle jobs, records and effects."""

    before: Known
    after: Known
    place: IdleJob | None
    changes: tuple[Change, ...]
    effects: list[Effect]


def review_together(core: ScheddState, jobs: Sequence[JobId], take: Callable[[JobId], object]) -> None:
    """Review known jobs, all of which are in the queue. ``take`` reviews one; jobs like it get the same outcome."""
    odd = _odd(core, jobs) if len(jobs) >= _FEW else set(jobs)
    for job in jobs:
        if job in odd:
            take(job)
    plain = [job for job in jobs if job not in odd] if odd else jobs
    for group in newjobs.in_groups(core, plain, core.known.__getitem__, _EVALUATED, _ASKED):
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
    """Return the jobs of which the core knows more than their ads and their last state."""
    some, found = set(jobs), set()
    for place in _places(core):
        if place and not some.isdisjoint(place):
            found |= {job for job in some if job in place}
    return found


def _places(core: ScheddState) -> tuple[Collection[JobId], ...]:
    """Return the collections of the core that have jobs with more to know of than their ads and their last state."""
    waiting, departing = core.waiting, core.departing
    return (
        core.runs.keys(), core.reach.orphans, core.claims.asking, core.reassignments.jobs, core.stagings.waiting.keys(),
        core.grid.jobs, waiting.cooling, waiting.here, waiting.repeating, departing.kept, departing.leaving,
    )  # fmt: skip


def _outcome(core: ScheddState, job: JobId, before: Known, records: int, effects: int) -> _Outcome | None:
    """Return the outcome of handling a job, if others can follow it; else None."""
    ad, after, told = core.jobs.job(job), core.known.get(job), core.out.effects[effects:]
    written = core.out.records[records:]
    if ad is None or after is None or not newjobs.represents_others(ad, _EVALUATED):
        return None
    changes = tuple([entry for entry in written if type(entry) is Change and _may_be_written(entry, job)])
    leaves = any(type(effect) is Leave for effect in told)
    usual = len(changes) == len(written) and all(_may_be_emitted(core, effect, ad) for effect in told)
    if not usual or any(job in place for place in _places(core) if not leaves or place is not core.departing.leaving):
        return None
    return _Outcome(before, after, core.idle.get(job), tuple([each.of("") for each in changes]), told)


def _may_be_written(entry: Change, job: JobId) -> bool:
    return entry.op in (SET, DELETE) and entry.name in _WRITTEN and entry.key == str(job)


def _may_be_emitted(core: ScheddState, effect: Effect, ad: ClassAd) -> bool:
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
            newjobs.tell_others(core, effect, others)
        else:
            newjobs.leave_too(core, others)


def _write_alike(core: ScheddState, first: JobId, others: Sequence[JobId], changes: tuple[Change, ...]) -> None:
    """Write the last records, which are those of the first job, for all of them."""
    core.jobs.change(others, changes)
    entries = alike([first, *others], changes)
    marked = [changed(each, applied=True) if isinstance(each, Alike) else each for each in entries]
    core.out.write_instead(len(changes), marked)

"""Handling of records that tools, or clients through the schedd, wrote to the queue: every affected job is reviewed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse
from typing import TYPE_CHECKING

from condor_py.core.jobs import batch, guard, newjobs, policing, requests, review
from condor_py.core.jobs.events import ClientWrites, QueueChanged
from condor_py.core.jobs.grouping import by_cluster
from condor_py.core.jobs.policy import PERIODIC
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry, Gone, NewJobs
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

_IDLE = str(int(JobStatus.IDLE))


def queue_changed(core: ScheddState, event: QueueChanged) -> None:
    """Handle records that another process wrote to the queue."""
    _look(core, event.records)


def client_wrote(core: ScheddState, event: ClientWrites) -> None:
    """Records on behalf of a client; what changes jobs at once is looked at at once."""
    if not event.at_once:
        core.out.records.extend(event.records)
        return
    _meet(core, event.records)
    entries = requests.apply(core.jobs, event.records)
    core.out.records.extend(entries)
    _look(core, entries)


def _meet(core: ScheddState, entries: Iterable[Entry]) -> None:
    """New jobs that are changed before they were looked at have their turn first: they were submitted as they are."""
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


def _look(core: ScheddState, entries: Iterable[Entry]) -> None:
    """Reviews the jobs that ``entries``, which are in the image, are about."""
    touched: dict[JobId, None] = {}
    clusters: set[str] = set()
    last = ""
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
            continue
        if key == last:
            continue  # records of one job lie side by side
        last = key
        cluster, _, proc = key.partition(".")
        if proc and proc[0] != "-":
            touched[JobId(int(cluster), int(proc))] = None
    is_policy = any(name.lower() in PERIODIC for name in names)  # an edit may be the first to ask for it
    before = list(filter(core.known.__contains__, touched)) if is_policy else []
    _review(core, touched)
    policing.watch(core, before)


def _review(core: ScheddState, touched: Iterable[JobId]) -> None:
    """Every job has its turn; new ones of a cluster together, where the first of them comes, and so the others."""
    known = core.known

    def take(job: JobId) -> None:
        guard.take(core, job, review.review, core, job)

    for cluster, jobs in by_cluster(touched).items():
        there = _there(core, jobs, take)
        old = list(filter(known.__contains__, there))
        batch.review(core, cluster, old, take)
        if len(old) < len(there):
            new = [job for job in there if job not in known]
            followed = newjobs.take_in(core, newjobs.in_groups(core, cluster, new), take)
            core.counters.add(core.now, JobsSubmitted=followed)


def _there(core: ScheddState, jobs: Sequence[JobId], take: Callable[[JobId], object]) -> Sequence[JobId]:
    """Those of some jobs that are in the queue; the others have their turns, in which they are forgotten."""
    there = core.jobs.among(jobs)
    gone = set(jobs).difference(there) if len(there) < len(jobs) else ()
    for job in sorted(gone):
        take(job)
    return there


def _cluster_changed(core: ScheddState, cluster: int, touched: dict[JobId, None]) -> None:
    ad = core.jobs.cluster(cluster)
    if ad is not None:
        core.autoclusters.forget_cluster(ad)
    for job, _ in core.jobs.procs_of(cluster):
        touched.setdefault(job)

"""Finished jobs out of the queue, and clusters when their last job has left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import factory, finish, guard, jobevents, requests
from condor_py.core.jobs.actions import key_of
from condor_py.core.jobs.grouping import FEW, by_cluster, in_kinds
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.lifecycle import Totals, user_totals
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate
from condor_py.model.record import DESTROY_AD, Change, Entry, Gone
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: What the totals of owners are made of.
_COUNTED = ("user", "jobstatus", "remoteusercpu", "remotesyscpu", "cumulativeslottime")


def remove(core: ScheddState, jobs: Iterable[JobId]) -> None:
    """Queues the records that take finished jobs (and emptied clusters) out of the queue."""
    clusters: dict[int, list[JobId]] = {}
    for cluster, some in by_cluster(dict.fromkeys(jobs)).items():
        core.departing.recorded(some)
        there = [job for job in core.jobs.among(some) if not core.departing.is_going(job)]
        if there:
            clusters[cluster] = there
    totals: dict[tuple[str, bool], Totals] = {}
    destroyed: list[Entry] = []
    for cluster, some in clusters.items():
        _count_for_owners(core, some, totals)
        destroyed += _destroyed(some)
        core.forget(some)
        core.waiting.forget(some)
        for job in core.grid.among(some):
            core.grid.gone(job, core.out)
        core.watched.forget(some)
        core.departing.go(cluster, some)
    for (user, completed), more in totals.items():
        _add_to_user(core, user, completed, more)
    core.out.records.extend(destroyed)
    for cluster in clusters:
        going = core.departing.still_going(cluster, core.jobs.among)
        if core.jobs.count(cluster) <= going and not factory.has_more(core.jobs.cluster(cluster)):
            core.departing.cluster_gone(cluster)
            remove_cluster(core, cluster)


def _destroyed(jobs: Sequence[JobId]) -> list[Entry]:
    return [Change(DESTROY_AD, key_of(job)) for job in jobs] if len(jobs) < FEW else [Gone(tuple(jobs))]


def _count_for_owners(core: ScheddState, jobs: Sequence[JobId], totals: dict[tuple[str, bool], Totals]) -> None:
    """Add jobs to the totals of their owners; those with equal attributes are counted together."""
    for group, _ in in_kinds(core.jobs, jobs, _COUNTED, ()):
        guard.take(core, group[0], _count_for_owner, totals, core.jobs.job(group[0]), len(group))


def force_out(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """condor_rm -forcex: the job leaves now; what still runs of it is killed, and its report is ignored."""
    run = core.runs.get(job)
    if run is not None:
        core.out.emit(Deactivate(run.claim_id, False, int(VacateCode.REMOVED), "forced out of the queue"))
        claim = core.claims.end(job)
        if claim is not None:
            core.give_back(claim)
    core.reach.forget(job)
    core.grid.gone(job, core.out)
    finish.removed(core, job, ad)


def _count_for_owner(totals: dict[tuple[str, bool], Totals], ad: ClassAd, count: int) -> None:
    kind = (ad.eval_str("User", ""), status_of(ad) == JobStatus.COMPLETED)
    totals.setdefault(kind, Totals()).add(ad, count)


def _add_to_user(core: ScheddState, name: str, completed: bool, more: Totals) -> None:
    record = core.jobs.user_record_of(name)
    if record is not None:
        number, user = record
        core.out.apply(user, user_totals(f"0.{number}", user, completed, more))


def remove_cluster(core: ScheddState, cluster: int) -> None:
    """Queues the records that take a cluster out of the queue."""
    ad = core.jobs.cluster(cluster)
    if ad is not None:
        core.autoclusters.forget_cluster(ad)
        if requests.is_factory(ad):
            jobevents.tell(core, ad, factory.removed_event(cluster, ad, core.now))
    core.out.records.append(Change(DESTROY_AD, f"0{cluster}.-1"))
    core.out.records.append(Change(DESTROY_AD, f"{cluster}.-2"))

"""Finished jobs out of the queue, and clusters when their last job has left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import DESTROY_AD, Change
from condor_py.model.states import JobStatus, VacateCode
from condor_py.schedd import factory, finish, gridjobs, jobevents, requests, turns
from condor_py.schedd.effects import Deactivate
from condor_py.schedd.jobad import status_of
from condor_py.schedd.lifecycle import Totals, user_totals

if TYPE_CHECKING:
    from condor_py.schedd.books import Books


def remove(core: Books, jobs: Iterable[JobId]) -> None:
    """Queues the records that take finished jobs (and emptied clusters) out of the queue."""
    touched: set[int] = set()
    totals: dict[tuple[str, bool], Totals] = {}
    destroyed: list[Change] = []
    for job in jobs:
        core.departing.recorded(job)
        ad = core.jobs.job(job)
        if ad is None or core.departing.is_going(job):
            continue
        turns.take(core, job, _count_for_owner, totals, ad)
        destroyed.append(Change(DESTROY_AD, str(job)))
        core.forget(job)
        core.waiting.forget(job)
        core.watched.forget(job)
        gridjobs.gone(core, job)
        core.departing.go(job)
        touched.add(job.cluster)
    for (user, completed), more in totals.items():
        _add_to_user(core, user, completed, more)
    core.out.records.extend(destroyed)
    for cluster in touched:
        going = core.departing.still_going(cluster, lambda job: core.jobs.job(job) is not None)
        if core.jobs.count(cluster) <= going and not factory.has_more(core.jobs.cluster(cluster)):
            core.departing.cluster_gone(cluster)
            remove_cluster(core, cluster)


def force_out(core: Books, job: JobId, ad: ClassAd) -> None:
    """condor_rm -forcex: the job leaves now; what still runs of it is killed, and its report concerns nobody."""
    run = core.runs.get(job)
    if run is not None:
        core.out.emit(Deactivate(run.claim_id, False, int(VacateCode.REMOVED), "forced out of the queue"))
        claim = core.claims.end(job)
        if claim is not None:
            core.give_back(claim)
    core.reach.forget(job)
    gridjobs.gone(core, job)
    finish.removed(core, job, ad)


def _count_for_owner(totals: dict[tuple[str, bool], Totals], ad: ClassAd) -> None:
    kind = (ad.eval_str("User", ""), status_of(ad) == JobStatus.COMPLETED)
    totals.setdefault(kind, Totals()).add(ad)


def _add_to_user(core: Books, name: str, completed: bool, more: Totals) -> None:
    record = core.jobs.user_record_of(name)
    if record is not None:
        number, user = record
        core.out.apply(user, user_totals(f"0.{number}", user, completed, more))


def remove_cluster(core: Books, cluster: int) -> None:
    """Queues the records that take a cluster out of the queue."""
    ad = core.jobs.cluster(cluster)
    if ad is not None:
        core.autoclusters.forget_cluster(ad)
        if requests.is_factory(ad):
            jobevents.tell(core, ad, factory.removed_event(cluster, ad, core.now))
    core.out.records.append(Change(DESTROY_AD, f"0{cluster}.-1"))
    core.out.records.append(Change(DESTROY_AD, f"{cluster}.-2"))

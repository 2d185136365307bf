"""Finished jobs out of the queue, and clusters when their last job has left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import factory, finish, guard, jobevents, requests
from condor_py.core.jobs.actions import key_of
from condor_py.core.jobs.grouping import FEW, by_cluster, in_kinds
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.lifecycle import Totals, user_totals
from condor_py.core.jobs.quotas import Holder, project_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate
from condor_py.model.record import DESTROY_AD, Change, Entry, Gone
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: What the totals of users and projects are made of.
_COUNTED = ("user", "projectname", "jobstatus", "remoteusercpu", "remotesyscpu", "cumulativeslottime")


def remove(core: ScheddState, jobs: Iterable[JobId]) -> None:
    """Queues the records that take finished jobs (and emptied clusters) out of the queue."""
    clusters: dict[int, list[JobId]] = {}
    for cluster, some in by_cluster(dict.fromkeys(jobs)).items():
        core.departing.recorded(some)
        there = [job for job in core.jobs.among(some) if not core.departing.is_going(job)]
        if there:
            clusters[cluster] = there
    totals: dict[tuple[Holder, bool], Totals] = {}
    destroyed: list[Entry] = []
    _count_for_owners(core, [job for some in clusters.values() for job in some], totals)
    for cluster, some in clusters.items():
        destroyed += _destroyed(some)
        core.forget(some)
        core.waiting.forget(some)
        for job in core.grid.among(some):
            core.grid.gone(job, core.out)
        core.watched.forget(some)
        core.departing.go(cluster, some)
    for (holder, completed), more in totals.items():
        _add_to_record(core, holder, completed, more)
    core.out.destroy(destroyed)
    for cluster in clusters:
        going = core.departing.still_going(cluster, core.jobs.among)
        if core.jobs.count(cluster) <= going and not factory.has_more(core.jobs.cluster(cluster)):
            core.departing.cluster_gone(cluster)
            remove_cluster(core, cluster)


def _destroyed(jobs: Sequence[JobId]) -> list[Entry]:
    return [Change(DESTROY_AD, key_of(job)) for job in jobs] if len(jobs) < FEW else [Gone(tuple(jobs))]


def _count_for_owners(core: ScheddState, jobs: Sequence[JobId], totals: dict[tuple[Holder, bool], Totals]) -> None:
    """Add jobs to the totals of their users and projects; those with equal attributes are counted together."""
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


def _count_for_owner(totals: dict[tuple[Holder, bool], Totals], ad: ClassAd, count: int) -> None:
    completed = status_of(ad) == JobStatus.COMPLETED
    holders: list[Holder] = [("Owner", ad.eval_str("User", ""))]
    if project := project_of(ad):
        holders.append(("Project", project))
    for holder in holders:
        totals.setdefault((holder, completed), Totals()).add(ad, count)


def _add_to_record(core: ScheddState, holder: Holder, completed: bool, more: Totals) -> None:
    kind, name = holder
    record = core.jobs.user_record_of(name) if kind == "Owner" else _project_record(core, name)
    if record is not None:
        number, ad = record
        core.out.apply(ad, user_totals(f"0.{number}", ad, completed, more))


def _project_record(core: ScheddState, name: str) -> tuple[int, ClassAd] | None:
    """Return number and ad of the record of a project, named in lower case."""
    for number, ad in core.jobs.user_records.items():
        if ad.text("MyType") == '"Project"' and ad.eval_str("Name", "").lower() == name:
            return number, ad
    return None


def remove_cluster(core: ScheddState, cluster: int) -> None:
    """Queues the records that take a cluster out of the queue."""
    core.sizing.forget_cluster(cluster)
    ad = core.jobs.cluster(cluster)
    if ad is not None:
        core.autoclusters.forget_cluster(ad)
        if requests.is_factory(ad):
            jobevents.tell(core, ad, factory.removed_event(cluster, ad, core.now))
    core.out.destroy([Change(DESTROY_AD, f"0{cluster}.-1"), Change(DESTROY_AD, f"{cluster}.-2")])

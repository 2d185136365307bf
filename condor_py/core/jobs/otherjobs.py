"""OtherJobRemoveRequirements: a job that leaves the queue takes others of its owner with it, as a DAG its nodes."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from condor_py.core.jobs import guard, leaving, policing, requests
from condor_py.core.jobs.grouping import in_kinds
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.policy import Verdict
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

_ATTRIBUTE = "OtherJobRemoveRequirements"
_LEAVING = (JobStatus.REMOVED, JobStatus.COMPLETED)


def take_out(core: ScheddState, jobs: Collection[JobId]) -> None:
    """Queues the records that take finished jobs (and emptied clusters) out of the queue, and removes the jobs that go
    with them."""
    for group, _ in in_kinds(core.jobs, list(jobs), (), (_ATTRIBUTE.lower(),)):
        ad = core.jobs.job(group[0])
        for job in group if ad is not None and ad.has(_ATTRIBUTE) else ():
            guard.take(core, job, _remove_with, core, job, core.jobs.job(job))
    leaving.remove(core, jobs)


def _remove_with(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    constraint = ad.eval_str(_ATTRIBUTE, "")
    reason = f"removed because <{_ATTRIBUTE} = {constraint}> fired when job ({job}) was removed"
    owner = ad.eval_str("Owner", "")
    try:
        chosen = list(requests.select(core.jobs, constraint))
    except requests.BadConstraint:
        return  # an invalid expression removes nothing
    for other, other_ad in chosen:
        its_own = other_ad.eval_str("Owner", "") == owner and other != job
        if its_own and other in core.known and status_of(other_ad) not in _LEAVING:
            policing.obey(core, other, other_ad, Verdict("remove", reason))

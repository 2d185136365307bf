"""Runs whose startd has stayed away for too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import finish, guard
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def expire(core: ScheddState) -> None:
    """Runs whose startd has stayed away for longer than their lease are given up: the jobs may run again."""
    if core.reach.up:
        return
    for job in sorted(core.reach.orphans):
        guard.take(core, job, _expire, core, job)


def _expire(core: ScheddState, job: JobId) -> None:
    ad = core.jobs.job(job)
    assert ad is not None, "a job that leaves the queue is no orphan"
    if core.now - core.reach.lost_at > finish.lease_of(core, ad):
        give_up(core, job, ad)


def give_up_all(core: ScheddState) -> None:
    """The startd is there and does not know these runs."""
    for job in sorted(core.reach.orphans):
        guard.take(core, job, _give_up, core, job)


def _give_up(core: ScheddState, job: JobId) -> None:
    ad = core.jobs.job(job)
    assert ad is not None, "a job that leaves the queue is no orphan"
    give_up(core, job, ad)


def give_up(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """A run that is not known any more."""
    claim_id = ad.eval_str("ClaimId", "")
    finish.lost(core, job, ad, claim_id, "Job's execution was lost", int(VacateCode.RECONNECT_FAILED))

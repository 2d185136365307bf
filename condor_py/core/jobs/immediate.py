"""condor_now: the slots of some running jobs are given to one idle job, ahead of all others.

The victims are vacated; their claims wait until the last of them has ended, go back together, and the job asks for a
slot of its own where they were. If it does not get it, it is an idle job like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from condor_py.core.jobs.events import RunNow
from condor_py.core.jobs.jobad import status_of, submitter_of, universe_of
from condor_py.core.jobs.parts import Reassignment
from condor_py.core.jobs.rights import Caller
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

_DYNAMIC = re.compile(r"_\d+(?=@)")


class CannotReassign(CondorError):
    """Why the slots are not given to the job; the text is HTCondor's."""


def begin(core: ScheddState, event: RunNow) -> None:
    """Vacate the victims for the job. CannotReassign before anything has changed."""
    caller, job, victims = event.caller, event.wanted, event.victims
    if job in core.reassignments or core.claims.asks_for(job):
        raise CannotReassign("the now-job must not already be scheduled to run immediately")
    _check(core, caller, job, "now-job", JobStatus.IDLE, "the now-job must be idle")
    for victim in victims:
        _check(core, caller, victim, "vacate-job", JobStatus.RUNNING, "vacate-job must be running")
        if victim not in core.runs:
            raise CannotReassign("no match for vacate-job ID")
    runs = [core.runs[victim] for victim in dict.fromkeys(victims)]
    slot = _DYNAMIC.sub("", core.claims[runs[0].claim_id].info.slot)
    core.reassignments.add(job, Reassignment(slot, tuple(run.claim_id for run in runs)))
    core.idle.discard((job,))
    for run in runs:
        core.stop_run(run, True, VacateCode.VACATED_BY_SCHEDD, "Job vacated by schedd")


def step(core: ScheddState) -> None:
    """After the events of a batch: give back claims whose runs have ended, and ask for the freed slots."""
    for job, one in core.reassignments.each():
        ad = core.jobs.job(job)
        if ad is None or status_of(ad) != JobStatus.IDLE or not core.reach.up:
            core.reassignments.drop(job)
            if ad is not None and status_of(ad) == JobStatus.IDLE:
                core.make_idle(job, ad)
            continue
        ours = [claim for claim_id in one.claims if (claim := core.claims.get(claim_id)) is not None]
        if any(claim.job is not None for claim in ours):
            continue
        for claim in ours:
            core.give_back(claim)
        if not ours:
            core.reassignments.drop(job)
            core.ask_slot(job, one.slot, submitter_of(ad, core.settings.submitter_domain))


def _check(core: ScheddState, caller: Caller, job: JobId, which: str, status: JobStatus, complaint: str) -> None:
    ad = core.jobs.job(job)
    if ad is None:
        raise CannotReassign(f"no such job ({which})")
    if not caller.may_change(ad):
        raise CannotReassign(f"you must own the {which}")
    if universe_of(ad) != Universe.VANILLA:
        article = "the " if which == "now-job" else ""
        raise CannotReassign(f"{article}{which} must be in the vanilla universe")
    if status_of(ad) != status:
        raise CannotReassign(complaint)

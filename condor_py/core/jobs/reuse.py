"""Claims without a job: each takes the best next job of its submitter, is kept for one, or goes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import gangs, guard, immediate, local, ocu, staging, starting
from condor_py.core.jobs.effects import CallNegotiator
from condor_py.core.jobs.events import Dispatch, Tick
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.parts import Claim, limits_of
from condor_py.core.jobs.quotas import ATTRIBUTES, may_start
from condor_py.lang.classad import requirements_match
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState
    from condor_py.lang.classad import ClassAd

#: Answers that are kept of whether the jobs of an autocluster fit a claim.
_MOST_FITS = 100_000


def dispatch(core: ScheddState, event: Dispatch) -> None:
    """Idle claims get their next job or go back, and a cycle is asked for if it is worth one."""
    if core.agenda.closed:
        return
    core.agenda.begin()
    if core.reassignments:
        immediate.step(core)
    if core.ocus:
        ocu.call_back(core)
    for claim_id in core.claims.free():
        if not core.reassignments.reserves(claim_id):
            take_next(core, core.claims[claim_id])
    if core.waiting.here:
        local.start_waiting(core)
    answered = not core.claims.awaits_answer
    if core.agenda.cycle and core.reach.up and answered and not core.reassignments:
        gangs.tell_held_back(core)
        core.agenda.cycle_asked()  # without idle jobs the cycle only accounts what was freed
        core.out.emit(CallNegotiator())


def tick(core: ScheddState, event: Tick) -> None:
    """Jobs that have cooled down get their next chance, and common files that no job needs are removed."""
    staging.look(core)
    for job in list(core.waiting.cooling):
        ad = core.jobs.job(job)
        if ad is None or status_of(ad) != JobStatus.IDLE:
            core.waiting.cooled(job)
        else:
            guard.take(core, job, core.make_idle, job, ad)


def regroup(core: ScheddState) -> None:
    """The autoclusters are new ones: waiting jobs get their numbers."""
    for job, ad in list(core.jobs.jobs()):
        if job in core.idle:
            core.make_idle(job, ad)
            core.jobs.rest(job.cluster, (job.proc,))


def read_quotas(core: ScheddState) -> None:
    """Take the limits of users and projects from their records, which have changed."""
    if core.quotas.read(core.jobs.user_records.values()):
        core.agenda.want_cycle()
        if core.autoclusters.keep_apart(ATTRIBUTES if core.quotas else ()):
            regroup(core)


def take_next(core: ScheddState, claim: Claim) -> None:
    """Starts the next job on a claim, or gives it back."""
    if ocu.take_next(core, claim):
        return
    worklife = core.settings.claim_worklife
    expired = worklife >= 0 and claim.used and core.now - claim.created >= worklife
    expired = expired or (claim.used and core.gangs.needs_slots)
    expired = expired or len(core.runs) >= core.settings.max_jobs_running
    while claim.is_free:
        if core.pace.waits(core.now, claim.info.submitter) and not expired and len(core.idle):
            core.agenda.keep()
            return
        job = None if expired else core.idle.best(claim.info.submitter, lambda number: _suits(core, number, claim))
        if job is None:
            if not _kept_idle(core, claim, expired):
                core.give_back(claim)
            return
        guard.take(core, job, starting.start_next, core, job, claim)  # held instead, it leaves the claim to the next


def _kept_idle(core: ScheddState, claim: Claim, expired: bool) -> bool:
    """keep_claim_idle: a claim without a next job is ours for some more seconds."""
    kept = not expired and claim.stays(core.now)
    if kept:
        core.agenda.keep()
    return kept


def _suits(core: ScheddState, autocluster: int, claim: Claim) -> bool:
    """Whether a job of an autocluster may start now, on this claim."""
    return may_start(core.quotas, core.claims, core.autoclusters.representative(autocluster)) and _fits(
        core, autocluster, claim
    )


def _ranked_lower(slot: ClassAd, job_ad: ClassAd) -> bool:
    """Whether a slot prefers the job that it was claimed for (CurrentRank) to this one. Another claim has to be got for
    such a job: what took the slot from others by its rank is not for jobs that could not."""
    rank, first = slot.eval_real("Rank", None, job_ad), slot.eval_real("CurrentRank")
    return rank is not None and first is not None and rank < first


def _fits(core: ScheddState, autocluster: int, claim: Claim) -> bool:
    """Whether the jobs of an autocluster and the slot of a claim want each other."""
    key = (autocluster, claim.info.claim_id)
    known = core.fits.get(key)
    if known is None:
        if len(core.fits) > _MOST_FITS:
            core.fits.clear()
        job_ad = core.autoclusters.representative(autocluster)
        slot = claim.info.slot_ad
        with (steps := core.budgets.of(job_ad, core.now)):
            known = not ocu.is_wanted(job_ad) and requirements_match(job_ad, slot) and requirements_match(slot, job_ad)
            known = known and not _ranked_lower(slot, job_ad)
        if steps.used_up:
            return False  # not known: the next look may find out
        if core.settings.claim_recycling_consider_limits:
            known = known and limits_of(job_ad) == claim.limits
        core.fits[key] = known
    return known

"""From a match to a job on a claim: what is asked of the startd, what it answers, and the start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from condor_py.core.jobs import finish, gangruns, guard, ocu, reuse, staging, starting
from condor_py.core.jobs.actions import rejection_records
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.events import (
    ClaimGranted,
    OrderRefused,
    Planned,
    SlotsOffered,
)
from condor_py.core.jobs.quotas import limits_reached, may_start
from condor_py.lang.classad import ClassAd, symmetric_match
from condor_py.model.ids import JobId, is_asker
from condor_py.model.messages.claims import ClaimLost, ClaimRefused, FilesStaged, RequestClaim
from condor_py.model.plan import Match, Preemption, Rejection
from condor_py.model.states import HoldCode, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def keep_limit(core: ScheddState) -> None:
    """Vacate the jobs that were started last where more run than MAX_JOBS_RUNNING allows; those that are being ended
    count as if they were gone."""
    staying = [run for run in core.runs.values() if not run.stop_code]
    over = staying[max(0, core.settings.max_jobs_running) :]
    if over:
        core.out.emit(Note(f"Preempting {len(over)} jobs due to MAX_JOBS_RUNNING change"))
    for run in over:
        core.stop_run(run, True, VacateCode.VACATED_BY_SCHEDD, "Job vacated by schedd")


def ask(core: ScheddState, match: Match) -> None:
    """Asks the startd for the claim of a match, unless the job is not to be had any more."""
    if (unit := core.ocus.of_asker(match.job)) is not None:
        ocu.ask(core, unit, match)
    entry = core.idle.get(match.job)
    if entry is None or entry.submitter != match.submitter:
        return
    if len(core.runs) + len(core.claims.asked) >= core.settings.max_jobs_running:
        return
    if not may_start(core.quotas, core.claims, core.autoclusters.representative(entry.autocluster)):
        return
    by_rank = match.preemption is Preemption.RANK
    groups = match.group, match.autoregroup, match.own_group
    core.idle.discard((match.job,))
    request_id = core.claims.ask(match.job, match if match.victims else None)
    core.out.emit(RequestClaim(request_id, match.slot, match.job, match.submitter, match.victims, by_rank, groups))


def plan(core: ScheddState, event: Planned) -> None:
    """Asks the startd for the claims of a negotiation cycle and remembers why jobs were rejected."""
    core.gangs.reserve(event.plan.reserved)
    together: dict[int, list[Match]] = {}
    for match in event.plan.matches:
        if is_asker(match.job):
            together.setdefault(match.job.cluster, []).append(match)
        else:
            guard.take(core, match.job, ask, core, match)
    for cluster, matches in together.items():
        guard.take(core, JobId(cluster, 0), gangruns.ask, core, cluster, matches)
    for rejection in (*event.plan.rejections, *limited(core)):
        guard.take(core, rejection.job, rejected, core, rejection)


def limited(core: ScheddState) -> Iterator[Rejection]:
    """Yield the first of the waiting jobs of each kind that a limit of its user or project keeps from starting: the
    negotiator does not hear of them."""
    for name in core.idle.submitters() if core.quotas else ():
        for group in core.idle.requests(name, 1):
            reached = limits_reached(core.quotas, core.claims, core.autoclusters.representative(group.autocluster))
            if reached:
                yield Rejection(group.jobs[0], name, group.autocluster, "; ".join(reached))


def rejected(core: ScheddState, rejection: Rejection) -> None:
    """Remembers in the job's ad why it was not matched."""
    job = JobId(rejection.job.cluster, 0) if is_asker(rejection.job) else rejection.job
    reason, ad = rejection.reason, core.jobs.job(job)
    if ad is None:
        return
    if rejection.fault:
        guard.put_aside(core, job, reason)
    else:
        core.out.apply(ad, rejection_records(job, ad, reason, core.now))


def granted(core: ScheddState, event: ClaimGranted) -> None:
    """A claim is ours; the job that it was asked for starts on it if it still can."""
    info = event.info
    job = core.claims.answered(event.id)
    claim = core.claims.take(info, core.now)
    if job is None or ocu.granted(core, job, claim) or gangruns.granted(core, job, claim):
        return
    ad = core.jobs.job(job)
    assert ad is not None, "requests for jobs that wait no more are withdrawn"
    if core.pace.waits(core.now, info.submitter) or not may_start(core.quotas, core.claims, ad):
        core.make_idle(job, ad)  # the claim takes the best job when the time has come
    else:
        starting.start(core, job, ad, claim)


def refused(core: ScheddState, event: ClaimRefused) -> None:
    """No claim for a job."""
    job, reason = core.claims.answered(event.id), event.reason
    if job is None:
        return
    if is_asker(job):
        lead = JobId(job.cluster, 0)
        if event.fault:
            guard.put_aside(core, lead, reason, HoldCode.STARTD_HELD_JOB)
        else:
            gangruns.refused(core, job, reason)
        return
    if event.fault:
        guard.put_aside(core, job, reason, HoldCode.STARTD_HELD_JOB)
        return
    core.out.emit(Note(f"claim for job {job} refused: {reason}"))
    ad = core.jobs.job(job)
    if ad is not None:  # else an owner capacity unit asked
        core.make_idle(job, ad)


def lost(core: ScheddState, event: ClaimLost) -> None:
    """The startd took a claim from us, with what ran on it."""
    core.agenda.want_cycle()
    if (node := core.gangs.of_claim(event.claim)) is not None:
        gangruns.lost(core, event, node)
        return
    claim = core.claims.drop(event.claim)
    staging.lost(core, event.claim)
    if claim is None or claim.job is None:
        return
    run = core.runs[claim.job]
    if event.idle and not run.executing and not core.reach.is_told(run.job):
        finish.never_begun(core, run, event.reason)
    else:
        finish.run_lost(core, run, event.code, event.reason)


def order_refused(core: ScheddState, event: OrderRefused) -> None:
    """Nothing will come of an order: the job of the claim is held, and the claim goes back."""
    claim = core.claims.get(event.claim)
    if claim is None or claim.releasing or (event.job and claim.job is not None and event.job != str(claim.job)):
        return
    core.out.emit(Note(f"ERROR an order for claim {event.claim.rpartition('#')[0]}#... was refused: {event.reason}"))
    node = core.gangs.of_claim(event.claim)
    job = claim.job if node is None else JobId(node.job.cluster, 0)
    if job is not None:
        reason = f"The execution point refused this job: {event.reason}"
        guard.put_aside(core, job, reason, HoldCode.STARTD_HELD_JOB)
    else:
        staging.lost(core, event.claim)
        core.give_back(claim)


def staged(core: ScheddState, event: FilesStaged) -> None:
    """All catalogs of a data slot are there: who waits for them starts."""
    for job, ad, claim in staging.came(core, event.claim):
        guard.take(core, job, starting.start, core, job, ad, claim)
    staging.ask_again(core, event.claim)


#: What a partitionable slot is divided into.
_AMOUNTS = ("Cpus", "Memory", "Disk")


def looked_at(slots: Iterable[ClassAd]) -> tuple[str, ...]:
    """The attributes of jobs that slots look at."""
    from condor_py.core.match.significant import significant_attributes  # few schedds are without a negotiator
    from condor_py.model.settings.negotiator import NegotiatorSettings

    return significant_attributes(slots, NegotiatorSettings())


def offered(core: ScheddState, event: SlotsOffered) -> None:
    """Asks for a claim on each unclaimed slot that suits a waiting job; the startd has the last word."""
    slots = event.slots
    if event.alone and core.autoclusters.set_significant(looked_at(slots)):
        reuse.regroup(core)
    holds = Counter(claim.info.submitter for claim in core.claims.values())
    for slot in slots:
        if slot.get("State") == "Unclaimed" and not slot.eval_bool("DynamicSlot", False):
            _fill(core, slot.flat_copy(), holds)


def _fill(core: ScheddState, left: ClassAd, holds: Counter[str]) -> None:
    """``left`` is what is still free of the slot, ``holds`` how many slots each submitter has."""
    divided = left.eval_bool("PartitionableSlot", False)
    while len(core.runs) + len(core.claims.asked) < core.settings.max_jobs_running:
        best = _best(core, left, holds)
        if best is None:
            return
        submitter, job = best
        ad = core.jobs.job(job)
        guard.take(core, job, core.ask_slot, job, left.eval_str("Name", ""), submitter)
        holds[submitter] += 1
        if not divided or ad is None or not _take(left, ad):
            return


def _best(core: ScheddState, slot: ClassAd, holds: Counter[str]) -> tuple[str, JobId] | None:
    """The next job for a slot, with its submitter: the one with the fewest slots, and its first job that fits."""
    only = core.settings.direct_attach_submitter

    def fits(autocluster: int) -> bool:
        ad = core.autoclusters.representative(autocluster)
        return may_start(core.quotas, core.claims, ad) and symmetric_match(ad, slot)

    for submitter in sorted(core.idle.submitters(), key=lambda name: (holds[name], name)):
        if only in ("", submitter, submitter.partition("@")[0]):
            job = core.idle.best(submitter, fits)
            if job is not None:
                return submitter, job
    return None


def _take(left: ClassAd, job: ClassAd) -> bool:
    """Subtract what a job requests from what is left; return whether a cpu is left."""
    for name in _AMOUNTS:
        have, asked = left.eval_real(name, 0.0), job.eval_real(f"Request{name}", 0.0, left)
        left.set_int(name, int(have - asked))
    return left.eval_int("Cpus", 0) > 0

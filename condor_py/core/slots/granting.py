"""Giving a slot to a claim: at once, or in place of the claim or the backfill work that had it before."""

from __future__ import annotations

from condor_py.core.slots import epevents, expressions, virtual
from condor_py.core.slots.effects import ClaimGranted, FetchedJob, StartStarter
from condor_py.core.slots.events import ClaimRequest
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.request import requested, rounded, taken
from condor_py.core.slots.state import Claim, Run, Slot, SlotKind, StarterState
from condor_py.core.slots.transitions import BUSY, IDLE
from condor_py.lang.classad import ClassAd, quote_string, whole
from condor_py.model.event_types import JobEventType
from condor_py.model.messages.claims import ClaimRefused
from condor_py.model.messages.runs import StartJob
from condor_py.model.states import Universe, VacateCode

#: Why a claim had to go for a better one.
BETTER_RANK, BETTER_USER = VacateCode.BETTER_RANK, VacateCode.BETTER_USER
BY_RANK = "Preempted for a higher Ranked job"
BY_PRIORITY = "Preempted for a Priority user"


def willing(pool: Pool, slot: Slot, job: ClassAd) -> str:
    """Why the slot does not take ``job``; empty when it does. Resources are not checked."""
    if pool.shutdown is not None:
        return "STARTD is shutting down"
    if slot.broken:
        return slot.broken
    if pool.goes_to_sleep:
        return "Machine is about to hibernate"
    if pool.rests and slot.claim is None:
        return "Starters fail on this machine"
    if no_machine := virtual.refusal(pool, slot, job):
        return no_machine
    view = pool.view(slot, job)
    if pool.drain.active:
        start = pool.drain.start
        accepts = expressions.as_bool(expressions.evaluate(start, view.slot, job)) if start else False
        return "" if accepts else "Slot is draining"
    return "" if slot.policy.is_true("START", view) else "Slot Requirements not satisfied: START is not true"


def too_big(pool: Pool, slot: Slot, job: ClassAd) -> str:
    """Why ``job`` does not fit the whole slot; empty when it does."""
    names = tuple(name for name, _ in slot.total.custom)
    policy = slot.policy.settings
    amount = None if policy.consumption else requested(job, None, names)
    amount = amount or taken(job, pool.make_ad(slot), names, policy)
    if amount is None:
        return "the job requests no memory or no disk"
    total = pool.online(slot, slot.total)
    lacking = amount.shortage(total)
    if lacking and slot.kind is SlotKind.DYNAMIC:  # it may have been cut for less, as common files are there already
        slot_ad = pool.make_ad(slot)
        modified = taken(rounded(job, slot_ad, policy), slot_ad, names, policy)
        lacking = "" if modified is not None and not modified.shortage(total) else lacking
    return f"Not enough {lacking}" if lacking else ""


def rank_of(pool: Pool, slot: Slot, job: ClassAd) -> float:
    """RANK of a slot for a job; 0 where it is no number."""
    return slot.policy.number("RANK", pool.view(slot, job)) or 0.0


def grant(pool: Pool, slot: Slot, request: ClaimRequest, job: ClassAd) -> None:
    """The slot is Claimed/Idle for the submitter that asked; a starter is requested."""
    claim_id, public_id = pool.new_claim_id()
    claim = Claim(
        claim_id=claim_id,
        public_id=public_id,
        submitter=request.submitter,
        owner=request.owner,
        ad=job,
        born=pool.now,
        rank=rank_of(pool, slot, job),
        group=request.group,
        autoregroup=request.autoregroup,
        own_group=request.own_group,
        schedd=request.schedd,
        client=request.client,
        accepted_while_draining=pool.drain.active,
        user=request.submitter,
        fetched=request.fetched,
        released=bool(request.fetched),
    )
    pool.set_claim(slot, claim)
    pool.log(slot, f"Remote owner is {request.submitter}")
    pool.move(slot, IDLE)
    pool.log(slot, "State change: claiming protocol successful")
    start_starter(pool, slot)
    if request.fetched:
        run_fetched(pool, slot, job)
    else:
        pool.emit(ClaimGranted(request.request_id, claim_id, slot.name, pool.make_ad(slot)))
    pool.publish()


def run_fetched(pool: Pool, slot: Slot, job: ClassAd) -> None:
    """Gives a claim its next fetched job; it begins when the starter is ready. Job ids of hooks are their own."""
    claim = slot.the_claim
    number = f"{job.eval_int('ClusterId', 0)}.{job.eval_int('ProcId', 0)}"
    claim.run = Run(number, claim.runs + 1, job, pool.now)
    pool.emit(FetchedJob(claim.claim_id, number, claim.run.number, job))


def begin(pool: Pool, slot: Slot) -> None:
    """Hands the job of a claim to its starter, which waits for it."""
    claim, run = slot.the_claim, slot.the_run
    if not pool.quiet:
        _log_activation(pool, slot, claim, run)
    if pool.settings.events:
        epevents.tell(
            pool, slot, JobEventType.EP_ACTIVATE_CLAIM,
            JobId=quote_string(run.job), RemoteUser=quote_string(claim.submitter),
            StarterPid=str(claim.starter_pid), Success="true",
        )  # fmt: skip
    pool.move(slot, BUSY)
    run.waiting = False
    run.started = pool.now
    run.vacate_pledge = whole(slot.policy.number("MACHINEMAXVACATETIME", pool.view(slot)) or 0, 0)
    claim.runs += 1
    claim.starter_failures = 0
    user = run.ad.eval_str("User")
    if user:
        claim.user = user
    pool.counters.add("JobStarts", pool.now)
    pool.emit(StartJob(claim.claim_id, run.job, run.number, run.common))
    pool.publish()


def _log_activation(pool: Pool, slot: Slot, claim: Claim, run: Run) -> None:
    pool.log(slot, f"Got activate_claim request from shadow ({claim.client or '127.0.0.1'})")
    pool.log(slot, f"Remote job ID is {run.job}")
    universe = whole(expressions.number(run.ad, "JobUniverse", None) or Universe.VANILLA)
    pool.log(slot, f'Got universe "{_universe_name(universe)}" ({universe}) from request classad')
    pool.log(slot, f"State change: claim-activation protocol successful, Starter {claim.starter_pid}")


def _universe_name(number: int) -> str:
    try:
        return Universe(number).name
    except ValueError:
        return "UNKNOWN"


def start_starter(pool: Pool, slot: Slot) -> None:
    """Asks for a starter when the claim has none."""
    claim = slot.the_claim
    if claim.starter is StarterState.NONE:
        claim.starter = StarterState.STARTING
        pool.emit(StartStarter(claim.claim_id, slot.name))


def take_over(pool: Pool, slot: Slot) -> bool:
    """The slot is free for the request that waits for it: granted on the spot if the slot still wants the job.

    False when it is not: refused, or (a dynamic slot that is too small) kept for the partitionable slot.
    """
    waiting = slot.better
    if waiting is None:
        return False
    request = waiting.request
    if waiting.elsewhere:
        return False
    slot.better = None
    reason = willing(pool, slot, request.job_ad)
    if reason:
        pool.log(slot, f"Request refused: {reason}")
        if not request.fetched:
            pool.emit(ClaimRefused(request.request_id, reason))
        return False
    grant(pool, slot, request, request.job_ad)
    return True

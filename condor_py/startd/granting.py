"""Giving a slot to a claim: at once, or in place of the claim or the backfill work that had it before."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.startd import expressions
from condor_py.startd.effects import ClaimGranted, ClaimRefused, StartStarter
from condor_py.startd.events import ClaimRequest
from condor_py.startd.pool import Pool
from condor_py.startd.request import requested
from condor_py.startd.state import Claim, Slot, StarterState
from condor_py.startd.transitions import IDLE


def willing(pool: Pool, slot: Slot, job: ClassAd) -> str:
    """Why the slot does not take ``job``; empty when it does. Resources are not looked at."""
    if pool.shutdown is not None:
        return "STARTD is shutting down"
    if slot.broken:
        return slot.broken
    view = pool.view(slot, job)
    if pool.drain.active:
        start = pool.drain.start
        accepts = expressions.as_bool(expressions.evaluate(start, view.slot, job)) if start else False
        return "" if accepts else "Slot is draining"
    return "" if slot.policy.is_true("START", view) else "Slot Requirements not satisfied: START is not true"


def too_big(pool: Pool, slot: Slot, job: ClassAd) -> str:
    """Why ``job`` does not fit the whole slot; empty when it does."""
    names = tuple(name for name, _ in slot.total.custom)
    amount = requested(job, None, names) or requested(job, pool.make_ad(slot), names)
    if amount is None:
        return "the job requests no memory or no disk"
    lacking = amount.shortage(slot.total)
    return f"Not enough {lacking}" if lacking else ""


def grant(pool: Pool, slot: Slot, request: ClaimRequest, job: ClassAd) -> None:
    """The slot is Claimed/Idle for the submitter who asked; a starter is asked for."""
    claim_id, public_id = pool.new_claim_id()
    claim = Claim(
        claim_id=claim_id,
        public_id=public_id,
        submitter=request.submitter,
        owner=request.owner,
        ad=job,
        born=pool.now,
        rank=slot.policy.number("RANK", pool.view(slot, job)) or 0.0,
        group=request.group,
        autoregroup=request.autoregroup,
        own_group=request.own_group,
        schedd=request.schedd,
        client=request.client,
        accepted_while_draining=pool.drain.active,
        user=request.submitter,
    )
    pool.set_claim(slot, claim)
    pool.log(slot, f"Remote owner is {request.submitter}")
    pool.move(slot, IDLE)
    pool.log(slot, "State change: claiming protocol successful")
    start_starter(pool, slot)
    pool.emit(ClaimGranted(request.request_id, claim_id, slot.name, pool.make_ad(slot)))
    pool.publish()


def start_starter(pool: Pool, slot: Slot) -> None:
    """Asks for a starter when the claim has none."""
    claim = slot.claim
    if claim is not None and claim.starter is StarterState.NONE:
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
        pool.emit(ClaimRefused(request.request_id, reason))
        return False
    grant(pool, slot, request, request.job_ad)
    return True

"""Better claims: a slot with a claim is wanted for a job that the slot ranks higher, or for a user of better
priority. The job that runs there uses its retirement time first; if the better claim is withdrawn, it continues."""

from __future__ import annotations

from dataclasses import replace

from condor_py.core.slots import claiming, evaluation, granting, lifecycle
from condor_py.core.slots.events import BetterClaim, ClaimRequest
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction, Slot, SlotKind, Waiting
from condor_py.core.slots.transitions import BUSY, IDLE, KILLING, RETIRING, VACATING, Judgement
from condor_py.model.messages.claims import ClaimRefused
from condor_py.model.states import Activity, SlotState


def on_better(pool: Pool, event: BetterClaim) -> None:
    """The request waits for the slot, whose claim retires. One request at a time waits for a slot."""
    request = event.request
    slot = pool.find(request.slot)
    if slot is None or slot.claim is None:
        claiming.on_request(pool, request)
        return
    pool.counters.add("ClaimRequests", pool.now)
    reason = "Slot is already being preempted" if slot.better is not None else _refusal(pool, slot, request)
    if reason:
        pool.log(slot, f"Request refused: {reason}")
        pool.emit(ClaimRefused(request.request_id, reason))
        return
    elsewhere = slot.kind is SlotKind.DYNAMIC and bool(granting.too_big(pool, slot, request.job_ad))
    rank = slot.policy.number("RANK", pool.view(slot, request.job_ad)) or 0.0
    slot.better = Waiting(request, rank, elsewhere)
    which = "machine rank" if event.by_rank else "user priority"
    pool.log(slot, f"State change: preempting claim based on {which}")
    pool.publish()
    if event.by_rank:
        ending = Eviction(granting.BETTER_RANK, granting.BY_RANK, cause="better", reversible=True)
    else:
        ending = Eviction(granting.BETTER_USER, granting.BY_PRIORITY, cause="better", reversible=True)
    if slot.place == IDLE:
        preempting = (SlotState.PREEMPTING, Activity.IDLE)
        pool.decide(slot, preempting, Judgement.BETTER_CLAIM_FOR_IDLE, "preempting idle claim")
        lifecycle.evict(pool, slot, ending, fast=False)
    else:
        if slot.place == BUSY:
            pool.decide(slot, RETIRING, Judgement.BETTER_CLAIM, "retiring due to preempting claim")
        evaluation.retire(pool, slot, ending)


def _refusal(pool: Pool, slot: Slot, request: ClaimRequest) -> str:
    reason = granting.willing(pool, slot, request.job_ad)
    if not reason and slot.kind is SlotKind.STATIC:
        reason = granting.too_big(pool, slot, request.job_ad)
    return reason


def withdraw(pool: Pool, request_id: str = "") -> None:
    """Withdraw a request that waits for a slot ("": all of the schedd); a job that only retired for it continues."""
    for slot in list(pool.every_slot()):
        waiting, claim = slot.better, slot.claim
        if request_id and (waiting is None or waiting.request.request_id != request_id):
            continue
        if waiting is not None and waiting.request.fetched and not request_id:
            continue
        slot.better = None
        if claim is not None and claim.retiring is not None and claim.retiring.cause == "better":
            if slot.place not in (VACATING, KILLING):  # else it is too late: the claim ends for this reason
                claim.retiring = None
            pool.log(slot, "State change: the preempting claim is gone")
            evaluation.look_at(pool, slot)
            pool.publish()


def serve_again(pool: Pool) -> None:
    """Requests whose dynamic slot was too small: its parent has the room now."""
    requests, pool.again = pool.again, []
    for request in requests:
        parent = next((s for s in pool.slots if request.slot.lower().startswith(f"{s.tag.lower()}_")), None)
        with pool.paying(request.job_ad):
            claiming.on_request(pool, replace(request, slot=parent.name if parent else request.slot))

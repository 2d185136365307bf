"""Claims: asked for, granted, given back, and lost when the schedd stays away."""

from __future__ import annotations

from dataclasses import replace

from condor_py.core.slots import backfill, epevents, expressions, granting, lifecycle
from condor_py.core.slots.events import ClaimRequest, ScheddBack, ScheddGone, ScheddSilent
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.request import candidates, looks_at_slot, taken
from condor_py.core.slots.resources import Resources, units_short
from condor_py.core.slots.state import Eviction, Slot, SlotKind, Waiting
from condor_py.core.slots.transitions import IDLE, KILLING, OWNER, WITH_BACKFILL
from condor_py.lang.classad import ClassAd
from condor_py.model.event_types import JobEventType
from condor_py.model.messages.claims import ClaimRefused, ReleaseClaim
from condor_py.model.states import VacateCode


def fitting(pool: Pool, slot: Slot, job: ClassAd) -> tuple[ClassAd, Resources] | str:
    """The job ad to use and its amount on a partitionable slot; or why it does not fit. The rounded request
    first."""
    names = tuple(name for name, _ in slot.total.custom)
    slot_ad = pool.make_ad(slot) if looks_at_slot(job, names, slot.policy.settings) else None
    reason = "the job requests no memory or no disk"
    units = pool.units_for(slot, job)
    for ad in candidates(job, slot_ad, slot.policy.settings):
        amount = taken(ad, slot_ad, names, slot.policy.settings)
        if amount is None:
            continue
        lacking = amount.shortage(pool.offered(slot)) or units_short(amount, units)
        if not lacking:  # swap is shared: no job is refused for it, and none takes more than there is
            return ad, replace(amount, swap=min(amount.swap, max(0, slot.free.swap)))
        reason = f"Not enough {lacking}"
    return reason


def on_request(pool: Pool, event: ClaimRequest) -> None:
    """A partitionable slot is cut, a static one is claimed as it is."""
    pool.counters.add("ClaimRequests", pool.now)
    slot = pool.find(event.slot)
    if slot is None:
        pool.emit(ClaimRefused(event.request_id, f"There is no slot {event.slot}"))
        return
    reason = granting.willing(pool, slot, event.job_ad)
    job, amount = event.job_ad, slot.total
    if not reason and slot.kind is SlotKind.PARTITIONABLE:
        found = fitting(pool, slot, job)
        if isinstance(found, str):
            reason = found
        else:
            job, amount = found
    elif not reason:
        reason = _static_refusal(pool, slot, job)
    if reason:
        epevents.requested(pool, slot, None, event.submitter, event.job_ad)
        pool.log(slot, f"Request refused: {reason}")
        pool.emit(ClaimRefused(event.request_id, reason))
        return
    target = pool.carve(slot, amount, job) if slot.kind is SlotKind.PARTITIONABLE else slot
    pool.log(slot, "Request accepted.")
    epevents.requested(pool, slot, target, event.submitter, job)
    if target is not slot:
        granting.grant(pool, target, event, job)
        if slot.place in WITH_BACKFILL:
            backfill.leave(pool, slot, OWNER)
    elif slot.place in WITH_BACKFILL:
        slot.better = Waiting(event)
        backfill.leave(pool, slot, IDLE)
    else:
        granting.grant(pool, slot, event, job)


def _static_refusal(pool: Pool, slot: Slot, job: ClassAd) -> str:
    if slot.claim is not None:
        return "Slot is already claimed"
    if slot.better is not None:
        return "Slot is already promised"
    return granting.too_big(pool, slot, job)


def on_release(pool: Pool, event: ReleaseClaim) -> None:
    """An idle claim ends at once, a busy one when its job has ended."""
    slot = pool.claims.get(event.claim)
    if slot is None:
        pool.log(None, "RELEASE_CLAIM for a claim that does not exist, ignored")
        return
    pool.log(slot, "State change: received RELEASE_CLAIM command")
    epevents.tell(pool, slot, JobEventType.EP_RELEASE_CLAIM, Success="true")
    slot.the_claim.released = True
    lifecycle.refuse_waiting(pool, slot, "Claim was released")
    lifecycle.evict(pool, slot, lifecycle.RELEASED, fast=slot.run is None)


def on_schedd_gone(pool: Pool, event: ScheddGone) -> None:
    """Idle claims end, as no schedd can use them; running jobs have their lease."""
    pool.lease_from = pool.now
    for slot in pool.claimed():
        if slot.run is None and not slot.the_claim.fetched:
            pool.log(slot, "State change: the schedd is gone and the claim is idle")
            lifecycle.evict(pool, slot, lifecycle.RELEASED, fast=True)


def on_schedd_silent(pool: Pool, event: ScheddSilent) -> None:
    """Everything continues for its lease."""
    if pool.lease_from is None:
        pool.log(None, f"The schedd has given no sign of life for {int(pool.now - event.since)} seconds")
        pool.lease_from = event.since


def on_schedd_back(pool: Pool, event: ScheddBack) -> None:
    """The lease is renewed."""
    pool.lease_from = None


def lease_end(pool: Pool, slot: Slot) -> float | None:
    """End of the lease of the slot's job or idle claim; None while the schedd is connected."""
    run = slot.run
    if pool.lease_from is None or slot.the_claim.fetched:
        return None
    with pool.paying(slot):
        lease = expressions.number(run.ad, "JobLeaseDuration", None) if run is not None else None
    return pool.lease_from + (pool.settings.lease if lease is None else lease)


def check_lease(pool: Pool, slot: Slot) -> None:
    """Evicts a job whose schedd did not come back in time."""
    end = lease_end(pool, slot)
    if end is None or pool.now < end or slot.place == KILLING:
        return
    pool.log(slot, "claim lease expired (condor_schedd gone?), evicting claim")
    reason = "The schedd did not come back within the job's lease"
    lifecycle.evict(pool, slot, Eviction(VacateCode.RECONNECT_FAILED, reason), fast=True)

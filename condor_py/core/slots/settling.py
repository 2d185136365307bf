"""Unclaimed slots: Owner, Unclaimed, Matched and Drained, and what an idle machine does for itself."""

from __future__ import annotations

from condor_py.core.slots import backfill, benchmarks
from condor_py.core.slots.events import Match
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot, SlotKind
from condor_py.core.slots.transitions import (
    BENCHMARKING,
    DRAINED_IDLE,
    DRAINED_RETIRING,
    MATCHED,
    OWNER,
    UNCLAIMED,
    WITH_BACKFILL,
    Judgement,
)

_FREE = (OWNER, UNCLAIMED, BENCHMARKING)


def settle(pool: Pool, slot: Slot) -> None:
    """Brings a slot without a claim where it belongs; a dynamic one is deleted."""
    if slot.kind is SlotKind.DYNAMIC:
        if slot.place == OWNER:
            if not _owned(pool, slot):
                _to_unclaimed(pool, slot)
            pool.delete(slot)
        return
    if slot.place == MATCHED:
        _check_match(pool, slot)
    elif slot.place in WITH_BACKFILL:
        backfill.look_at(pool, slot)
    elif slot.place in (DRAINED_RETIRING, DRAINED_IDLE) and not pool.drain.active:
        pool.decide(slot, (OWNER[0], slot.activity), Judgement.DRAIN_STOPPED, "slot is no longer draining")
        pool.move(slot, OWNER)
    if slot.place in _FREE:
        _free(pool, slot)


def _owned(pool: Pool, slot: Slot) -> bool:
    return slot.policy.is_true("IS_OWNER", pool.view(slot))


def _free(pool: Pool, slot: Slot) -> None:
    if pool.drain.active:
        reason = f"entering Drained state (from {slot.state.value.lower()})"
        pool.decide(slot, DRAINED_RETIRING, Judgement.DRAINING, reason)
        pool.move(slot, DRAINED_RETIRING)
        pool.publish()
        return
    owned = _owned(pool, slot)
    if slot.place == OWNER and not owned:
        _to_unclaimed(pool, slot)
    elif slot.place != OWNER and owned:
        pool.decide(slot, OWNER, Judgement.OWNER, "IS_OWNER is TRUE")
        pool.move(slot, OWNER)
        pool.publish()
    if slot.place == UNCLAIMED and pool.shutdown is None and not pool.goes_to_sleep:
        backfill.consider(pool, slot)
        benchmarks.consider(pool, slot)


def _to_unclaimed(pool: Pool, slot: Slot) -> None:
    pool.log(slot, "State change: IS_OWNER is false")
    pool.move(slot, UNCLAIMED)
    pool.publish()


def on_match(pool: Pool, event: Match) -> None:
    """The negotiator has given the slot away: no other job gets it until it is claimed, or MATCH_TIMEOUT is over.
    Partitionable slots stay as they are, there may be room for more."""
    slot = pool.find(event.slot)
    if slot is None or slot.kind is not SlotKind.STATIC or slot.claim is not None or pool.goes_to_sleep:
        return
    pool.log(slot, "State change: match notification protocol successful")
    if slot.place in (UNCLAIMED, BENCHMARKING):
        pool.move(slot, MATCHED)
        pool.publish()
    elif slot.place in WITH_BACKFILL:
        backfill.leave(pool, slot, MATCHED)


def _check_match(pool: Pool, slot: Slot) -> None:
    """Return the slot to Owner when the match has timed out, START is false, or the machine drains or shuts down."""
    view = pool.view(slot)
    if pool.now - slot.entered_state >= pool.settings.match_timeout:
        pool.log(slot, "State change: match timed out")
    elif slot.policy.truth("START", view) is False:
        pool.log(slot, "State change: START is false")
    elif pool.drain.active or pool.shutdown is not None:
        pool.log(slot, "State change: the match is given up")
    else:
        return
    pool.move(slot, OWNER)
    pool.publish()

"""Invariants of the startd's state, which hold after every event."""

from __future__ import annotations

from condor_py.core.slots.pool import BrokenInvariant, Pool
from condor_py.core.slots.resources import Resources, total
from condor_py.core.slots.state import Slot, SlotKind, StarterState
from condor_py.core.slots.transitions import (
    BUSY,
    IDLE,
    KILLING,
    MOVES,
    RETIRING,
    SUSPENDED,
    VACATING,
    WITH_BACKFILL,
    WITH_CLAIM,
)


def check(pool: Pool) -> None:
    """BrokenInvariant, naming the slot, when the state is inconsistent."""
    slots = list(pool.every_slot())
    names = [slot.name for slot in slots]
    _demand(len(set(names)) == len(names), "a slot name is given twice")
    _demand(
        sorted(pool.claims) == sorted(s.claim.claim_id for s in slots if s.claim is not None),
        "the index of claims is not that of the slots",
    )
    for slot in slots:
        _check_slot(pool, slot)
    for backfill in (False, True):
        have = (slot.total for slot in pool.slots if slot.backfill is backfill)
        used = total(have, Resources(custom=_zero(pool)))
        _demand(not used.shortage(pool.machine), f"the slots have more than the machine: {used.describe()}")


def _zero(pool: Pool) -> tuple[tuple[str, float], ...]:
    return tuple((name, 0.0) for name, _ in pool.machine.custom)


def _demand(condition: bool, text: str) -> None:
    if not condition:
        raise BrokenInvariant(text)


def _check_slot(pool: Pool, slot: Slot) -> None:
    name = slot.name
    _demand(slot.place in MOVES, f"{name} is in a place that does not exist: {slot.place}")
    _demand((slot.claim is not None) == (slot.place in WITH_CLAIM), f"{name}: a claim does not fit {slot.place}")
    _check_resources(slot)
    claim = slot.claim
    if slot.better is not None:
        _demand(claim is not None or slot.place in WITH_BACKFILL, f"{name}: a request waits for a free slot")
    if claim is None:
        return
    _demand(pool.claims.get(claim.claim_id) is slot, f"{name}: its claim is indexed elsewhere")
    _demand(slot.kind is not SlotKind.PARTITIONABLE, f"{name}: a partitionable slot is claimed")
    run = claim.run
    running = run is not None and not run.waiting
    if slot.place == IDLE:
        _demand(not running, f"{name} is Idle but a job runs")
    if slot.place in (BUSY, RETIRING, SUSPENDED, VACATING, KILLING):
        _demand(running, f"{name} is {slot.activity.value} but no job runs")
    if run is None:
        return
    if running:
        _demand(claim.starter is StarterState.READY, f"{name}: a job runs without a starter")
    _demand(
        (slot.place == SUSPENDED) == (run.suspended_at is not None),
        f"{name}: its job is suspended according to the run or the slot alone",
    )
    _demand(run.kill_at is None or run.give_up_at is None, f"{name}: its job is killed softly and hard at once")
    if slot.place in (VACATING, KILLING):
        _demand(run.ending is not None, f"{name}: its job is evicted for no reason")
        _demand(run.kill_at is not None or run.give_up_at is not None, f"{name}: its eviction would never end")


def _check_resources(slot: Slot) -> None:
    name = slot.name
    _demand(slot.total.is_legal() and slot.free.is_legal(), f"{name} has less than nothing")
    if slot.kind is not SlotKind.PARTITIONABLE:
        _demand(slot.free == slot.total and not slot.children, f"{name}: only partitionable slots can be cut")
        return
    parts = total((child.total for child in slot.children), slot.free)
    _demand(not (parts - slot.total).shortage(Resources()), f"{name}: its parts are more than the whole")
    _demand(not (slot.total - parts).shortage(Resources()), f"{name}: its parts are less than the whole")
    for resource, ids in slot.ids.items():
        given = [i for child in slot.children for i in child.ids.get(resource, ())]
        given += slot.free_ids.get(resource, ())
        _demand(sorted(given) == sorted(ids), f"{name}: the ids of {resource} do not add up")
    for child in slot.children:
        _demand(child.parent is slot, f"{child.name} has another parent")

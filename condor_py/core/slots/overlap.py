"""Backfill slots (SLOT_TYPE_<N>_BACKFILL): slots that have the resources of the machine a second time, for what shall
be in nobody's way. What jobs on the primary slots use is not offered by them; where both together use more than there
is, the jobs on backfill slots have a ResourceConflict, which PREEMPT may ask for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from condor_py.core.slots.resources import Resources, total
from condor_py.core.slots.state import Slot, SlotKind
from condor_py.model.states import SlotState

if TYPE_CHECKING:
    from condor_py.core.slots.pool import Pool

_CLAIMED = (SlotState.CLAIMED, SlotState.PREEMPTING)
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Overlap:
    """What jobs use of the machine on primary and on backfill slots, what backfill slots have beyond the primary ones,
    the units that primary jobs have, and what is in conflict, by the tag of the backfill slot."""

    primary: Resources
    backfill: Resources
    excess: Resources
    units: frozenset[tuple[str, str]] = frozenset()
    conflicts: dict[str, str] = field(default_factory=dict)


def look(pool: Pool) -> Overlap:
    """The overlap as it is now; computed once for each change of the slots."""
    if pool.overlap is None or pool.overlap[0] != pool.revision:
        pool.overlap = (pool.revision, _compute(pool))
    return pool.overlap[1]


def _compute(pool: Pool) -> Overlap:
    zero = Resources(custom=tuple((name, 0.0) for name, _ in pool.machine.custom))
    active = [slot for slot in pool.every_slot() if _is_active(slot)]
    primary = [slot for slot in active if not slot.backfill]
    behind = [slot for slot in active if slot.backfill]
    has = total((slot.total for slot in pool.slots if not slot.backfill), zero)
    excess = _at_least(total((slot.total for slot in pool.slots if slot.backfill), zero) - has)
    used, used_behind = (total((slot.total for slot in slots), zero) for slots in (primary, behind))
    units = frozenset((name, unit) for slot in primary for name, ids in slot.ids.items() for unit in ids)
    left = has + excess - used - used_behind
    return Overlap(used, used_behind, excess, units, _conflicts(behind, units, left))


def _is_active(slot: Slot) -> bool:
    return slot.kind is SlotKind.DYNAMIC or (slot.kind is SlotKind.STATIC and slot.state in _CLAIMED)


def _at_least(amount: Resources) -> Resources:
    """Nothing of it is negative."""
    custom = tuple((name, max(0.0, count)) for name, count in amount.custom)
    return Resources(max(0.0, amount.cpus), max(0, amount.memory), max(0, amount.disk), max(0, amount.swap), custom)


def _conflicts(behind: list[Slot], units: frozenset[tuple[str, str]], left: Resources) -> dict[str, str]:
    """Slots with units that a primary job has are in conflict first; then others, until what remains is enough."""
    found: dict[str, str] = {}
    own = {
        slot.tag: [unit for name, ids in slot.ids.items() for unit in ids if (name, unit) in units] for slot in behind
    }
    for slot in sorted(behind, key=lambda slot: not own[slot.tag]):
        lacking = [name for name in left.names() if name != "Swap" and left.get(name) < -_EPSILON]
        words = [*lacking, *own[slot.tag]]
        if words:
            found[slot.tag] = ",".join(words)
        if lacking:
            left = left + slot.total
    return found


def conflict(pool: Pool, slot: Slot) -> str:
    """The resources of a backfill slot that are in conflict with primary slots, as in ResourceConflict."""
    return look(pool).conflicts.get(slot.tag, "") if slot.backfill else ""


def offered(pool: Pool, slot: Slot) -> Resources:
    """What a slot has to give: of a partitionable backfill slot not what primary jobs use of the machine, and no units
    that they have."""
    if not slot.backfill:
        return slot.free
    free, used = slot.free, Resources()
    if slot.kind is SlotKind.PARTITIONABLE:
        found = look(pool).primary
        used = Resources(cpus=found.cpus, memory=found.memory, custom=found.custom)
    custom = []
    for name, amount in free.custom:
        if name in slot.ids:
            custom.append((name, min(amount, float(len(available(pool, slot, name))))))
        else:
            custom.append((name, max(0.0, amount - used.get(name))))
    cpus = max(0.0, round(free.cpus - used.cpus, 6))
    return Resources(cpus, max(0, free.memory - used.memory), free.disk, free.swap, tuple(custom))


def available(pool: Pool, slot: Slot, resource: str) -> tuple[str, ...]:
    """The units of a resource that the slot may use, or give away when it is partitionable."""
    free = slot.free_ids if slot.kind is SlotKind.PARTITIONABLE else slot.ids
    own = free.get(resource, ())
    return own if not slot.backfill else tuple(unit for unit in own if (resource, unit) not in look(pool).units)

"""From the slot types to the slots that a startd has from its start to its end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from condor_py.model.facts import MachineFacts, SlotVolume
from condor_py.model.settings.startd import SlotType, StartdSettings
from condor_py.startd.resources import BUILT_IN, Resources, custom
from condor_py.startd.shares import Kind, Share, parse
from condor_py.startd.units import fitting

_BUILT_IN = frozenset(name.lower() for name in BUILT_IN)
#: The least that a slot may have: 1 cpu, 1 MB of memory, 1024 KB of disk.
_LEAST = {"cpus": 1.0, "memory": 1.0, "disk": 1024.0}


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """One slot to be made. ``broken`` tells why it got nothing; ids are those of custom resources that have
    some."""

    slot_id: int
    slot_type: SlotType
    amount: Resources
    ids: tuple[tuple[str, tuple[str, ...]], ...] = ()
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The slots, and lines for the StartLog about those that could not be made. ``fatal``: the startd shall
    stop. ``cleared`` are the types that are to blame when no slots are made at all."""

    slots: tuple[SlotPlan, ...]
    errors: tuple[str, ...] = ()
    fatal: bool = False
    cleared: tuple[int, ...] = ()


def machine_resources(settings: StartdSettings, facts: MachineFacts) -> Resources:
    """What the machine offers: what was found, less the reserved, or what the knobs say instead."""
    memory = facts.memory_mb if settings.memory_mb is None else settings.memory_mb
    disk = facts.disk_kb if settings.disk_kb is None else settings.disk_kb
    return Resources(
        cpus=float(facts.cpus if settings.num_cpus is None else settings.num_cpus),
        memory=max(0, memory - settings.reserved_memory_mb),
        disk=max(0, disk - settings.reserved_disk_kb),
        swap=max(0, facts.swap_kb + facts.memory_mb * 1024 - settings.reserved_swap_kb),
        custom=custom({resource.name: float(resource.quantity) for resource in settings.resources}),
    )


def plan(settings: StartdSettings, machine: Resources, volumes: Sequence[SlotVolume] = ()) -> Layout:
    """The slots of all types in their order, numbered from 1. ConfigError for a share that cannot be read.

    ``volumes`` are the file systems of slots that do not take their disk from that of EXECUTE.
    """
    wanted = [slot_type for slot_type in settings.types for _ in range(slot_type.count)]
    names = tuple(name for name, _ in machine.custom)
    shares = {t.type_id: parse(t.share, names, f"SLOT_TYPE_{t.type_id}") for t in settings.types}
    sizes = _sizes([shares[t.type_id] for t in wanted], machine, {volume.slot_id: volume for volume in volumes})
    units = _deal(settings, [shares[t.type_id] for t in wanted], sizes)
    slots: list[SlotPlan] = []
    errors: list[str] = []
    free = machine
    for number, (slot_type, size) in enumerate(zip(wanted, sizes, strict=True), 1):
        own = units[number - 1]
        elsewhere = any(volume.slot_id == number for volume in volumes)
        shared = replace(size, disk=0) if elsewhere else size
        lacking = shared.shortage(free) or _missing(size, own)
        if lacking:
            errors += _complaint(slot_type, slots, size, free)
            slots.append(SlotPlan(number, slot_type, _nothing(machine), broken=f"Not enough {lacking}"))
            continue
        free = free - shared
        slots.append(SlotPlan(number, slot_type, size, tuple(own.items())))
    if errors and settings.failure_mode != "CONTINUE":
        blamed = tuple(sorted({slot.slot_type.type_id for slot in slots if slot.broken}))
        return Layout((), tuple(errors), fatal=settings.failure_mode == "ABORT", cleared=blamed)
    return Layout(tuple(slots), tuple(errors))


def _deal(
    settings: StartdSettings, wanted: list[dict[str, Share]], sizes: list[Resources]
) -> list[dict[str, tuple[str, ...]]]:
    """The units that each slot gets. Slots that are particular about them choose first."""
    dealt: list[dict[str, tuple[str, ...]]] = [{} for _ in wanted]
    for resource in settings.resources:
        left = list(resource.ids)
        constraints = [shares.get(resource.name.lower(), shares[""]).constraint for shares in wanted]
        for row in sorted(range(len(wanted)), key=lambda row: not constraints[row]):
            if not resource.ids:
                continue
            own = fitting(resource, left, constraints[row])[: int(sizes[row].get(resource.name))]
            dealt[row][resource.name] = own
            left = [unit for unit in left if unit not in own]
    return dealt


def _missing(size: Resources, own: dict[str, tuple[str, ...]]) -> str:
    """Which resource has too few units that satisfy the constraint."""
    for name, units in own.items():
        lacking = int(size.get(name)) - len(units)
        if lacking > 0:
            return f"{name} ({lacking:.2f} short)"
    return ""


def _nothing(machine: Resources) -> Resources:
    return Resources(custom=tuple((name, 0.0) for name, _ in machine.custom))


def _complaint(slot_type: SlotType, done: list[SlotPlan], size: Resources, free: Resources) -> list[str]:
    nth = 1 + sum(1 for slot in done if slot.slot_type.type_id == slot_type.type_id)
    return [
        f"ERROR: Can't allocate {_ordinal(nth)} slot of type {slot_type.type_id}",
        f"\tRequesting: {size.describe()}",
        f"\tAvailable:  {free.describe()}",
    ]


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _sizes(wanted: list[dict[str, Share]], machine: Resources, volumes: dict[int, SlotVolume]) -> list[Resources]:
    """The size of each slot: explicit shares first, the rest evenly among the slots with auto."""
    columns = {
        name.lower(): _column([shares.get(name.lower(), shares[""]) for shares in wanted], name.lower(), machine)
        for name in machine.names()
    }
    if volumes:
        columns["disk"] = _disks([shares.get("disk", shares[""]) for shares in wanted], machine, volumes)
    return [
        Resources(
            columns["cpus"][row],
            int(columns["memory"][row]),
            int(columns["disk"][row]),
            int(columns["swap"][row]),
            tuple((name, columns[name.lower()][row]) for name, _ in machine.custom),
        )
        for row in range(len(wanted))
    ]


def _disks(shares: list[Share], machine: Resources, volumes: dict[int, SlotVolume]) -> list[float]:
    """The disk of each slot: every file system is divided among the slots that are on it."""
    amounts = [0.0] * len(shares)
    places = [volumes[row + 1].volume if row + 1 in volumes else "" for row in range(len(shares))]
    space = {volume.volume: volume.free_kb for volume in volumes.values()}
    for place in dict.fromkeys(places):
        rows = [row for row, other in enumerate(places) if other == place]
        here = replace(machine, disk=space.get(place, machine.disk))
        for row, amount in zip(rows, _column([shares[row] for row in rows], "disk", here), strict=True):
            amounts[row] = amount
    return amounts


def _column(shares: Iterable[Share], name: str, machine: Resources) -> list[float]:
    """One resource: the amount that each slot gets."""
    shares = list(shares)
    total = machine.get(name)
    least = _LEAST.get(name, 0.0)
    explicit = [None if s.kind is Kind.AUTO else max(least, _cut(_explicit(s, total), name)) for s in shares]
    rest = total - sum(amount for amount in explicit if amount is not None)
    automatic = explicit.count(None)
    if name not in _BUILT_IN:
        return _spread(explicit, rest, automatic)
    each = max(least, _cut(rest / automatic, name)) if automatic else 0.0
    return [each if amount is None else amount for amount in explicit]


def _spread(explicit: list[float | None], rest: float, automatic: int) -> list[float]:
    """Units of a custom resource: none is left over, the first slots get one more."""
    amounts = []
    for amount in explicit:
        if amount is None:
            amount = float(math.ceil(max(0.0, rest) / automatic))
            rest, automatic = rest - amount, automatic - 1
        amounts.append(amount)
    return amounts


def _explicit(share: Share, total: float) -> float:
    return share.value * total if share.kind is Kind.FRACTION else share.value


def _cut(amount: float, name: str) -> float:
    """Whole units; cpus below one stay what they are so that the lower bound is seen to act."""
    return float(math.floor(amount + 1e-9)) if name != "cpus" or amount >= 1 else max(0.0, amount)

"""How the machine is divided among slots: first what they ask for explicitly, in their order, then the rest evenly
among those that want their share (auto)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from condor_py.core.slots.resources import BUILT_IN, Resources
from condor_py.core.slots.shares import Kind, Share

_BUILT_IN = frozenset(name.lower() for name in BUILT_IN)
#: The least that a slot may have: 1 cpu, 1 MB of memory, 1024 KB of disk (where there is so much at all).
_LEAST = {"cpus": 1.0, "memory": 1.0, "disk": 1024.0}
_EPSILON = 1e-6
#: The order in which the log names the built-in resources.
_TOLD = ("Cpus", "Memory", "Swap", "Disk")


@dataclass(slots=True)
class Portion:
    """What one slot is to have, by lower-case name of the resource; None stands for "its share" (auto). ``place`` is
    the file system that its disk is on. ``broken`` tells what it lacks."""

    place: str
    amounts: dict[str, float | None] = field(default_factory=dict)
    broken: str = ""

    def amount(self, machine: Resources) -> Resources:
        """As resources; what is still open is nothing."""
        found = {name: amount or 0.0 for name, amount in self.amounts.items()}
        return Resources(
            found["cpus"],
            int(found["memory"]),
            int(found["disk"]),
            int(found["swap"]),
            tuple((name, found[name.lower()]) for name, _ in machine.custom),
        )

    def describe(self, machine: Resources) -> str:
        """In the wording of the StartLog."""
        parts = []
        for name in (*_TOLD, *(name for name, _ in machine.custom)):
            amount = self.amounts[name.lower()]
            text = "auto" if amount is None else f"{amount:.2f}" if name == "Cpus" else f"{amount:g}"
            parts.append(f"{name}: {int(amount) if amount and name in ('Memory', 'Swap', 'Disk') else text}")
        return ", ".join(parts)


class Stock:
    """What is left of the machine. ``volumes`` is the free disk of the file systems that EXECUTE is not on, in KB."""

    def __init__(self, machine: Resources, volumes: dict[str, int]) -> None:
        self._machine = machine
        self._left = machine.amounts()
        self._least = {**_LEAST, "disk": min(_LEAST["disk"], float(machine.disk))}
        self._disks = {"": float(machine.disk), **{place: float(free) for place, free in volumes.items()}}

    def asked(self, shares: dict[str, Share], place: str) -> Portion:
        """What the shares of a slot type come to; a fraction is one of the whole machine."""
        portion = Portion(place)
        for name in self._machine.names():
            key = name.lower()
            share = shares.get(key, shares[""])
            total = self._disks[place] if key == "disk" and place else self._machine.get(key)
            amount = share.value * total if share.kind is Kind.FRACTION else share.value
            explicit = share.kind is not Kind.AUTO
            portion.amounts[key] = max(self._least.get(key, 0.0), _cut(amount, key)) if explicit else None
        return portion

    def lacking(self, portion: Portion) -> str:
        """What is not left of what a slot wants, as "Cpus (4.00 short) Memory (200 short)". Swap is shared."""
        found = []
        for name in self._machine.names():
            wanted = portion.amounts[name.lower()]
            short = (wanted or 0.0) - self._of(name.lower(), portion.place)
            if name != "Swap" and short > _EPSILON:
                found.append(f"{name} ({short:.{0 if name in ('Memory', 'Disk') else 2}f} short)")
        return " ".join(found)

    def trim(self, portion: Portion) -> None:
        """Leaves a slot that cannot have what it wants with what there is."""
        for name, wanted in portion.amounts.items():
            if wanted is not None:
                portion.amounts[name] = min(wanted, max(0.0, self._of(name, portion.place)))

    def take(self, portion: Portion) -> None:
        """The slot gets it."""
        for name, wanted in portion.amounts.items():
            if name == "disk":
                self._disks[portion.place] -= wanted or 0.0
            else:
                self._left[name] = round(self._left[name] - (wanted or 0.0), 6)

    def share_out(self, portions: Sequence[Portion]) -> None:
        """Divides what is left among those that want their share of it; who comes late may find nothing left."""
        for name in self._machine.names():
            places = sorted({portion.place for portion in portions}) if name == "Disk" else [None]
            for place in places:
                self._divide(name.lower(), [p for p in portions if place is None or p.place == place])

    def _divide(self, name: str, portions: Sequence[Portion]) -> None:
        waiting = [portion for portion in portions if portion.amounts[name] is None]
        if not waiting:
            return
        rest = self._of(name, waiting[0].place)
        number = len(waiting)
        each = max(self._least.get(name, 0.0), _cut(rest / number, name))
        for portion in waiting:
            if name not in _BUILT_IN:  # units of a custom resource: none is left over, the first slots get one more
                each = float(math.ceil(max(0.0, rest) / number))
                rest, number = rest - each, number - 1
            portion.amounts[name] = each
            short = each - self._of(name, portion.place)
            if name != "swap" and short > _EPSILON:
                told = next(known for known in self._machine.names() if known.lower() == name)
                lacks = f"{told} ({short:.{0 if name in ('memory', 'disk') else 2}f} short)"
                portion.broken = f"{portion.broken or 'Not enough'} {lacks}"
                portion.amounts[name] = 0.0
                continue
            if name == "disk":
                self._disks[portion.place] -= each
            else:
                self._left[name] -= each

    def _of(self, name: str, place: str) -> float:
        return self._disks[place] if name == "disk" else self._left[name]

    def describe(self, place: str) -> str:
        """What is left, in the wording of the StartLog."""
        names = (*_TOLD, *(name for name, _ in self._machine.custom))
        return ", ".join(f"{name}: {int(self._of(name.lower(), place))}" for name in names)


def _cut(amount: float, name: str) -> float:
    """Whole units; cpus below one stay what they are so that the lower bound is seen to act."""
    return float(math.floor(amount + 1e-9)) if name != "cpus" or amount >= 1 else max(0.0, amount)

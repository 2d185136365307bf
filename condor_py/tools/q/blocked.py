"""What keeps a job from a slot (ours): what it wants of a resource, how much is free, who holds the rest."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from condor_py.classad.ad import ClassAd

#: How many bytes one of a resource is; others are counted.
_BYTES = {"memory": 1 << 20, "disk": 1 << 10}
_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


class Shortage(NamedTuple):
    """A resource of which a job wants more than a slot has free; ``total`` is what the slot has when nothing runs."""

    name: str
    wanted: float
    free: float
    total: float

    def text(self) -> str:
        """``disk: wants 1 GB, 24 MB of 10 GB free``."""
        wanted, free, total = (amount(self.name, value) for value in (self.wanted, self.free, self.total))
        if self.wanted > self.total:
            return f"{self.name}: wants {wanted}, there is {total}"
        return f"{self.name}: wants {wanted}, {free} of {total} free"


class Blocked(NamedTuple):
    """The slot that comes closest to a job, what it is short of, and its parts that hold that."""

    slot: ClassAd
    shortages: list[Shortage]
    holders: list[ClassAd]

    @property
    def for_ever(self) -> bool:
        """Whether the slot is too small even when nothing runs on it."""
        return any(found.wanted > found.total for found in self.shortages)

    def text(self, end: Callable[[ClassAd], float] | None = None) -> str:
        """What it is short of and who holds it, until when if ``end`` tells that of a slot (Unix seconds)."""
        short = "; ".join(found.text() for found in self.shortages)
        text = f"{short} on {self.slot.eval_str('Name', '?')}"
        held = [] if self.for_ever else self._held(end)
        return f"{text}; held by {', '.join(held)}" if held else text

    def _held(self, end: Callable[[ClassAd], float] | None) -> list[str]:
        """What each user holds of the resource that is shortest."""
        name = max(self.shortages, key=lambda found: (found.wanted - found.free) / max(found.total, 1.0)).name
        sums: dict[str, float] = {}
        ends: dict[str, float] = {}
        for part in self.holders:
            user = part.eval_str("RemoteOwner") or part.eval_str("RemoteUser") or ""
            share = part.eval_real(name, 0.0)
            if user and share > 0:
                sums[user] = sums.get(user, 0.0) + share
                if end is not None:
                    ends[user] = min(ends.get(user, float("inf")), end(part))
        ranked = sorted(sums, key=lambda user: -sums[user])
        return [f"{user} ({amount(name, sums[user])}{_until(ends.get(user))})" for user in ranked[:3]]


def _until(moment: float | None) -> str:
    if moment is None or moment == float("inf"):
        return ""
    form = "%H:%M" if abs(moment - time.time()) < 86_400 / 2 else "%m/%d %H:%M"
    return f", the first until about {time.strftime(form, time.localtime(moment))}"


def amount(name: str, value: float) -> str:
    """So much of a resource as people read it: ``1.5 GB``, ``2``."""
    size = _BYTES.get(name.lower())
    if size is None:
        return f"{value:g}"
    number, unit = value * size, 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number /= 1024
        unit += 1
    return f"{number:.0f} {_UNITS[unit]}" if number >= 100 or number == int(number) else f"{number:.1f} {_UNITS[unit]}"


def blocked(job: ClassAd, slots: Sequence[ClassAd]) -> Blocked | None:
    """Why no partitionable slot has room for a job now; None where one has, or there is none.

    ``slots`` are all slots, the dynamic ones too.
    """
    whole = [slot for slot in slots if slot.eval_bool("PartitionableSlot")]
    found = [(slot, shortages(job, slot)) for slot in whole]
    if not found or not all(short for _, short in found):
        return None
    slot, short = min(found, key=lambda pair: (_misfits(pair[1]), len(pair[1])))
    return Blocked(slot, short, _parts(slot, slots))


def _misfits(short: Iterable[Shortage]) -> int:
    return sum(found.wanted > found.total for found in short)


def shortages(job: ClassAd, slot: ClassAd) -> list[Shortage]:
    """The resources of which a partitionable slot has not enough left for a job."""
    found = []
    for name in re.split(r"[ ,\t]+", slot.eval_str("MachineResources") or "Cpus Memory Disk"):
        wanted, free = job.eval_real(f"Request{name}", None, slot), slot.eval_real(name)
        if name and wanted is not None and free is not None and wanted > free:
            found.append(Shortage(name.lower(), wanted, free, slot.eval_real(f"TotalSlot{name}", free)))
    return found


def _parts(slot: ClassAd, slots: Iterable[ClassAd]) -> list[ClassAd]:
    """The dynamic slots that were cut out of a slot."""
    place = slot.eval_str("Machine"), slot.eval_int("SlotID")
    return [
        part for part in slots
        if part.eval_bool("DynamicSlot") and (part.eval_str("Machine"), part.eval_int("SlotID")) == place
    ]  # fmt: skip

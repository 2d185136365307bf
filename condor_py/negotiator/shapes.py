"""Whole slots sorted once for all requests: slots of one shape fit and are ranked alike, so one of them is asked.

A pool of 5,000 slots in 40 shapes costs a request 40 questions. What may differ within a shape (the order of the
slots, who holds them) is worked out once for all requests that the rank expressions cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from condor_py.classad import ClassAd
from condor_py.negotiator.rank import Matchmaker
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.values import NO_RANK, boolean


class Entry(NamedTuple):
    """A slot in the order of its shape: pre-job rank, job rank, post-job rank, preemption rank, earlier before later.
    Larger is better."""

    pre: float
    job: float
    post: float
    victim: float
    serial: int
    slot: Slot


class Shape:
    """Slots that fit the same requests, prefer them alike, and weigh the same; held ones and free ones apart."""

    __slots__ = ("_entries", "held", "slots")

    def __init__(self, first: Slot) -> None:
        self.slots = [first]
        self.held = bool(first.remote)
        self._entries: dict[tuple[int, ...], list[Entry]] = {}

    def held_by_others(self, submitter: str) -> bool:
        """Whether anybody else holds a slot of this shape that is still in the cycle."""
        return any(slot.remote != submitter and not slot.taken for slot in self.slots)

    @property
    def example(self) -> Slot:
        """One of them, to be asked for all."""
        return self.slots[0]

    def entries(self, matchmaker: Matchmaker, request: ClassAd) -> list[Entry]:
        """The slots in the order that ``request`` gives them, the best one last. Taken ones may be among them, but
        not at the end."""
        key = matchmaker.order_signature(request)
        entries = self._entries.get(key)
        if entries is None:
            entries = self._entries[key] = sorted(self._entry(matchmaker, slot, request) for slot in self.slots)
        while entries and entries[-1].slot.taken:
            entries.pop()
        return entries

    def _entry(self, matchmaker: Matchmaker, slot: Slot, request: ClassAd) -> Entry:
        pre, job, post = matchmaker.order_key(slot, request)
        victim = matchmaker.preemption_rank(slot, request) if slot.remote else NO_RANK
        return Entry(pre, job, post, victim, -slot.serial, slot)


def shapes_of(matchmaker: Matchmaker, slots: Iterable[Slot]) -> list[Shape]:
    """The whole slots that are still in the cycle, by shape; no dynamic ones with ALLOW_PSLOT_PREEMPTION."""
    shapes: dict[tuple[object, ...], Shape] = {}
    for slot in slots:
        if slot.partitionable or slot.taken or (matchmaker.pslot_preemption and boolean(slot.ad, "DynamicSlot")):
            continue
        key = (*matchmaker.fit_signature(slot), bool(slot.remote), slot.current_rank, slot.weight)
        shape = shapes.get(key)
        if shape is None:
            shapes[key] = Shape(slot)
        else:
            shape.slots.append(slot)
    return list(shapes.values())

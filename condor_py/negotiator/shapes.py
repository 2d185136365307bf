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
from condor_py.negotiator.values import boolean


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
    """Slots that fit the same requests, prefer them alike, and weigh the same; held ones and free ones apart.
    ``example`` is one of them, to be asked for all."""

    __slots__ = ("_entries", "example", "held", "slots")

    def __init__(self, first: Slot) -> None:
        self.slots = [first]
        self.example = first
        self.held = bool(first.remote)
        self._entries: dict[tuple[int, ...], list[Entry]] = {}

    def held_by_others(self, submitter: str) -> bool:
        """Whether anybody else holds a slot of this shape that is still in the cycle."""
        return any(slot.remote != submitter and not slot.taken for slot in self.slots)

    def entries(self, matchmaker: Matchmaker, request: ClassAd, signature: tuple[int, ...]) -> list[Entry]:
        """The slots in the order that ``request``, whose order has that signature, gives them, the best one last.
        Taken ones may be among them, but not at the end."""
        entries = self._entries.get(signature)
        if entries is None:
            order = matchmaker.order_of(request)
            entries = self._entries[signature] = [Entry(*order(slot), -slot.serial, slot) for slot in self.slots]
            entries.sort()
        while entries and entries[-1].slot.taken:
            entries.pop()
        return entries


def shapes_of(matchmaker: Matchmaker, slots: Iterable[Slot]) -> list[Shape]:
    """The whole slots that are still in the cycle, by shape; no dynamic ones with ALLOW_PSLOT_PREEMPTION."""
    shapes: dict[tuple[object, ...], Shape] = {}
    preempted_together = matchmaker.pslot_preemption
    whole = [
        slot
        for slot in slots
        if not (slot.partitionable or slot.taken or (preempted_together and boolean(slot.ad, "DynamicSlot")))
    ]
    matchmaker.learn(whole)
    for slot in whole:
        key = (matchmaker.fit_signature(slot), bool(slot.remote), slot.current_rank, slot.weight)
        shape = shapes.get(key)
        if shape is None:
            shapes[key] = Shape(slot)
        else:
            shape.slots.append(slot)
    return list(shapes.values())

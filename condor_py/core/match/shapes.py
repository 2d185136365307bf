"""Whole slots sorted once for all requests: slots of one shape fit and are ranked alike, so one of them is asked.

A pool of 5,000 slots in 40 shapes costs a request 40 questions. What may differ within a shape (the order of the
slots, who holds them) is worked out once for all requests that the rank expressions cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from heapq import heappop, heappush, heapreplace
from typing import NamedTuple

from condor_py.core.match.rank import Matchmaker
from condor_py.core.match.slot import Slot
from condor_py.core.match.values import boolean
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Preemption


class Entry(NamedTuple):
    """A slot in the order of its shape: pre-job rank, job rank, post-job rank, preemption rank, earlier before later.
    Larger is better."""

    pre: float
    job: float
    post: float
    victim: float
    serial: int
    slot: Slot


#: Makes one of very many without its Python constructor.
_entry = partial(tuple.__new__, Entry)


class Cursor:
    """Position in a shape: its best slot that is left is at ``position`` of ``entries``."""

    __slots__ = ("entries", "position", "preemption", "state")

    def __init__(self, entries: list[Entry], preemption: Preemption) -> None:
        self.entries = entries
        self.preemption = preemption
        #: Its part in the order of a heap.
        self.state = -int(preemption)
        self.position = len(entries)

    def next(self, submitter: str) -> Entry | None:
        """The next best slot of the shape that is still there and not the submitter's own."""
        entries = self.entries
        position = min(self.position, len(entries)) - 1
        own = submitter if self.preemption is Preemption.PRIORITY else None
        while position >= 0 and ((slot := entries[position].slot).taken or slot.remote == own):
            position -= 1
        self.position = position
        return entries[position] if position >= 0 else None

    @property
    def slot(self) -> Slot:
        """The slot at which it stands."""
        return self.entries[self.position].slot


class Head(NamedTuple):
    """The best slot of a shape in a heap: its negated key, a number that keeps cursors apart, and its place."""

    order: tuple[float, ...]
    number: int
    cursor: Cursor


#: Makes one of very many without its Python constructor.
_head = partial(tuple.__new__, Head)


def push(heads: list[Head], cursor: Cursor, number: int, submitter: str) -> None:
    """The next slot of a cursor's shape, if there is one, takes its place in the heap."""
    entry = cursor.next(submitter)
    if entry is not None:
        heappush(heads, _head((_order(entry, cursor), number, cursor)))


def _order(entry: Entry, cursor: Cursor) -> tuple[float, ...]:
    pre, job, post, victim, serial, _ = entry
    return -pre, -job, -post, cursor.state, -victim, -serial


def best_of(heads: list[Head], submitter: str) -> Entry | None:
    """The best slot that is left in a heap, which its first head represents then."""
    while heads:
        _, number, cursor = heads[0]
        entries, position = cursor.entries, cursor.position
        if position < len(entries) and not (entry := entries[position]).slot.taken:
            return entry
        following = cursor.next(submitter)
        if following is None:
            heappop(heads)
        else:
            heapreplace(heads, _head((_order(following, cursor), number, cursor)))
    return None


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
        """Whether another user holds a slot of this shape that is still in the cycle."""
        return any(slot.remote != submitter and not slot.taken for slot in self.slots)

    def entries(self, matchmaker: Matchmaker, request: ClassAd, signature: tuple[int, ...]) -> list[Entry]:
        """The slots in the order that ``request``, whose order has that signature, gives them, the best one last.
        Taken ones may be among them, but not at the end."""
        entries = self._entries.get(signature)
        if entries is None:
            orders = matchmaker.orders(self.slots, request, self.held)
            entries = [_entry((*order, -slot.serial, slot)) for order, slot in zip(orders, self.slots, strict=True)]
            self._entries[signature] = entries
            entries.sort()
        while entries and entries[-1].slot.taken:
            entries.pop()
        return entries


class Shapes:
    """The shapes of the whole slots in a cycle, and what the requests share that want the same ones."""

    def __init__(self, matchmaker: Matchmaker, slots: Iterable[Slot]) -> None:
        self._matchmaker = matchmaker
        self._shapes = shapes_of(matchmaker, slots)
        self._examples = [shape.example for shape in self._shapes]
        #: Whether any of them is claimed.
        self.held = any(shape.held for shape in self._shapes)
        #: By kind of request.
        self._fitting: dict[int | None, list[Shape]] = {}
        self._shared: dict[tuple[object, ...], list[Head]] = {}

    def fitting(self, request: ClassAd) -> list[Shape]:
        """Those whose slots and ``request`` want each other. OutOfSteps."""
        memo = self._matchmaker.fits
        kind = None if memo.kinds.opaque else memo.kinds.request(request)
        found = self._fitting.get(kind)
        if found is None:
            fits = memo.of_slots(self._examples, request)
            found = [shape for shape, fit in zip(self._shapes, fits, strict=True) if fit]
            if kind is not None:
                self._fitting[kind] = found
        return found

    def heads(self, request: ClassAd, chosen: Sequence[tuple[Shape, Preemption]], submitter: str) -> list[Head]:
        """The best slots of the chosen shapes, as a heap."""
        if any(why is not Preemption.NONE for _, why in chosen):
            return self._made(request, chosen, self._matchmaker.order_signature(request), submitter)
        return self.free_heads(request, [shape for shape, _ in chosen], submitter)

    def free_heads(self, request: ClassAd, shapes: Sequence[Shape], submitter: str) -> list[Head]:
        """The same of slots that have no holder: one heap for all requests that put the same slots in the same order,
        as what one of them took is gone for all."""
        if not shapes:
            return []
        signature = self._matchmaker.order_signature(request)
        key = (signature, *map(id, shapes))
        heads = self._shared.get(key)
        if heads is None:
            chosen = [(shape, Preemption.NONE) for shape in shapes]
            heads = self._shared[key] = self._made(request, chosen, signature, submitter)
        return heads

    def _made(
        self, request: ClassAd, chosen: Sequence[tuple[Shape, Preemption]], signature: tuple[int, ...], submitter: str
    ) -> list[Head]:
        heads: list[Head] = []
        for shape, preemption in chosen:
            push(heads, Cursor(shape.entries(self._matchmaker, request, signature), preemption), len(heads), submitter)
        return heads


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
    for slot, signature in zip(whole, matchmaker.fit_signatures(whole), strict=True):
        key = (signature, bool(slot.remote), slot.current_rank, slot.weight)
        shape = shapes.get(key)
        if shape is None:
            shapes[key] = Shape(slot)
        else:
            shape.slots.append(slot)
    return list(shapes.values())

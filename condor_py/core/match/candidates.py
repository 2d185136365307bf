"""The slots that fit a request, best first, with the cost of each and the users that it would preempt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from heapq import heapify, heappop
from typing import NamedTuple

from condor_py.core.match.consumption import Consumer, Consumption, as_consumed, has_policy
from condor_py.core.match.explain import Obstacles
from condor_py.core.match.rank import Matchmaker, pair_fits
from condor_py.core.match.shapes import Cursor, Head, Shape, Shapes, best_of, push
from condor_py.core.match.slot import Slot
from condor_py.core.match.values import NO_RANK, number_text, real, string
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Preemption


class CandidateKey(NamedTuple):
    """Orders candidates, larger is better: the ranks, and earlier slots before later ones."""

    pre_job_rank: float
    job_rank: float
    post_job_rank: float
    preemption: int
    preemption_rank: float
    place: int


class Candidate(NamedTuple):
    """A slot for a request. ``victims`` are the dynamic slots to be preempted where a partitionable slot has no room
    otherwise."""

    key: CandidateKey
    slot: Slot
    preemption: Preemption
    weight: float
    consumption: Consumption | None = None
    victims: tuple[Slot, ...] = ()


#: What a job has that looks at each slot by itself: limits, and the group of the slots of a parallel job.
_OF_EACH_SLOT = ("ConcurrencyLimits", "WantParallelSchedulingGroups")
#: Make one of very many without its Python constructor.
_candidate = partial(tuple.__new__, Candidate)
_key = partial(tuple.__new__, CandidateKey)


class Piece(NamedTuple):
    """A candidate for a part of a partitionable slot (None: there is no room), as of a version of the slot."""

    version: int
    candidate: Candidate | None


class PassedOver(NamedTuple):
    """A shape with slots that are left out of one search, and its place before."""

    cursor: Cursor
    number: int
    position: int


class Chosen(NamedTuple):
    """The shapes of whole slots that a request may have, and whether others were kept from it: by the policy, or
    because its submitter has to wait before it preempts."""

    shapes: list[tuple[Shape, Preemption]]
    refused_by_policy: bool
    waits: bool

    @property
    def are_free(self) -> bool:
        """Whether no job is to be preempted on any of them."""
        return all(why is Preemption.NONE for _, why in self.shapes)


def choose_shapes(
    matchmaker: Matchmaker, fitting: Iterable[Shape], request: ClassAd, submitter: str, may_preempt: bool
) -> Chosen:
    """Judge the shapes that fit a request: the users that hold their slots, and whether they may be preempted for
    it."""
    chosen: list[tuple[Shape, Preemption]] = []
    refused_by_policy = waits = False
    for shape in fitting:
        if not shape.held:
            chosen.append((shape, Preemption.NONE))
            continue
        slot = shape.example
        rank = matchmaker.slot_rank(slot, request)
        if rank > slot.current_rank:
            chosen.append((shape, Preemption.RANK))
        elif not shape.held_by_others(submitter):
            continue
        elif not matchmaker.preemption_allowed(slot, request):
            refused_by_policy = True
        elif not rank >= slot.current_rank:
            continue
        elif may_preempt:
            chosen.append((shape, Preemption.PRIORITY))
        else:
            waits = True
    return Chosen(chosen, refused_by_policy, waits)


def list_candidates(
    matchmaker: Matchmaker,
    consumer: Consumer,
    shapes: Shapes,
    partitionable: Sequence[Slot],
    request: ClassAd,
    submitter: str,
    may_preempt: bool,
) -> CandidateList:
    """Sort the slots that would do for a request. ``may_preempt``: whether others may lose slots to the submitter
    because of its priority."""
    fitting = shapes.fitting(request)
    if shapes.held:
        chosen = choose_shapes(matchmaker, fitting, request, submitter, may_preempt)
        heads, are_free = shapes.heads(request, chosen.shapes, submitter), chosen.are_free
        refused_by_policy, waits = chosen.refused_by_policy, chosen.waits
    else:
        heads, are_free = shapes.free_heads(request, fitting, submitter), True
        refused_by_policy = waits = False
    return CandidateList(
        matchmaker, consumer, partitionable, request, submitter, heads,
        are_free=are_free, may_preempt=may_preempt, refused_by_policy=refused_by_policy, waits=waits,
    )  # fmt: skip


class CandidateList:
    """The candidates of one request. Slots taken meanwhile drop out; carved ones are looked at again."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        consumer: Consumer,
        partitionable: Sequence[Slot],
        request: ClassAd,
        submitter: str,
        heads: list[Head],
        *,
        are_free: bool,
        may_preempt: bool,
        refused_by_policy: bool,
        waits: bool,
    ) -> None:
        self._matchmaker = matchmaker
        self._consumer = consumer
        self._partitionable = partitionable
        self._request = request
        self._submitter = submitter
        self._heads = heads
        self._may_preempt = may_preempt
        self._refused_by_policy = refused_by_policy
        self._waits = waits
        self._pieces: dict[int, Piece] = {}
        # What decides about one slot may not decide about the next of the same shape.
        self._per_slot = any(request.text(name) is not None for name in _OF_EACH_SLOT)
        self._depth_first = matchmaker.depth_first
        self._last: Slot | None = None
        #: The heap of the slots where all that decides between them are rank and weight (see ``Dealer``).
        self.free_heads = heads if are_free and not (partitionable or self._per_slot) else None

    def _piece(self, slot: Slot) -> Candidate | None:
        """Candidate for the request's part of a partitionable slot as it is now."""
        known = self._pieces.get(slot.serial)
        if known is not None and known.version == slot.version:
            return known.candidate
        candidate = None
        consumption = room(self._matchmaker, self._consumer, slot, self._request) if slot.free else None
        if consumption is not None:
            order = self._matchmaker.order_key(slot, self._request)
            key = CandidateKey(*order, int(Preemption.NONE), NO_RANK, -slot.serial)
            candidate = Candidate(key, slot, Preemption.NONE, consumption.weight, consumption)
        if candidate is None and slot.children:
            candidate = self._evicting(slot)
        self._pieces[slot.serial] = Piece(slot.version, candidate)
        return candidate

    def _evicting(self, slot: Slot) -> Candidate | None:
        """A candidate whose victims may be preempted now."""
        found = evicting(self._matchmaker, self._consumer, slot, self._request, self._submitter)
        if found is not None and found.preemption is Preemption.PRIORITY and not self._may_preempt:
            self._waits = True
            return None
        return found

    def _whole(self) -> Candidate | None:
        """The best whole slot that is left, which the first head represents then."""
        entry = best_of(self._heads, self._submitter)
        if entry is None:
            return None
        preemption = self._heads[0].cursor.preemption
        key = _key((entry.pre, entry.job, entry.post, int(preemption), entry.victim, entry.serial))
        return _candidate((key, entry.slot, preemption, entry.slot.weight, None, ()))

    def best(self, permitted: Callable[[Candidate, Obstacles], bool], obstacles: Obstacles) -> Candidate | None:
        """The best candidate that ``permitted`` lets pass; what was in the way is noted in ``obstacles``.

        What is not permitted for one slot of a shape is not for any other, unless the limits of the job depend on
        the slot.
        """
        pieces = self._sorted_pieces() if self._partitionable else []
        self.note(obstacles)
        passed: list[PassedOver] = []
        try:
            found = self._first_permitted(permitted, obstacles, pieces, passed)
        finally:
            if passed:
                self._restore(passed)
        if self._depth_first and found is not None:
            self._last = found.slot
        return found

    def note(self, obstacles: Obstacles) -> None:
        """Notes what keeps slots out of the list."""
        obstacles.policy = self._refused_by_policy
        obstacles.lost = self._waits

    def _first_permitted(
        self,
        permitted: Callable[[Candidate, Obstacles], bool],
        obstacles: Obstacles,
        pieces: list[Candidate],
        passed: list[PassedOver],
    ) -> Candidate | None:
        """``pieces`` are sorted, the best one last; whole slots that are left out are noted in ``passed``."""
        found = None
        while found is None:
            whole = self._whole()
            if pieces and (whole is None or pieces[-1].slot is self._last or pieces[-1].key > whole.key):
                candidate = pieces.pop()
            elif whole is not None:
                candidate = whole
            else:
                break
            if permitted(candidate, obstacles):
                found = candidate
            elif candidate is whole:
                self._pass_over(self._heads[0], passed)
        return found

    def _sorted_pieces(self) -> list[Candidate]:
        """Candidates for the request's parts of the partitionable slots, the best one last."""
        pieces = [piece for slot in self._partitionable if (piece := self._piece(slot)) is not None]
        pieces.sort()
        if self._last is not None:
            pieces.sort(key=lambda candidate: candidate.slot is self._last)
        return pieces

    def _restore(self, passed: list[PassedOver]) -> None:
        """Put back the candidates that were skipped; they may be permitted the next time."""
        again = {id(one.cursor) for one in passed}
        self._heads[:] = [head for head in self._heads if id(head.cursor) not in again]
        heapify(self._heads)
        for one in passed:
            one.cursor.position = one.position + 1
            push(self._heads, one.cursor, one.number, self._submitter)

    def _pass_over(self, head: Head, passed: list[PassedOver]) -> None:
        """Leaves out a slot (or its whole shape) for this time; ``passed`` remembers where to continue later."""
        heappop(self._heads)
        cursor = head.cursor
        if all(known.cursor is not cursor for known in passed):
            passed.append(PassedOver(cursor, head.number, cursor.position))
        if self._per_slot:
            push(self._heads, cursor, head.number, self._submitter)

    def still_preemptable(self, candidate: Candidate) -> bool:
        """Whether PREEMPTION_REQUIREMENTS and PREEMPTION_RANK say now what they said when the list was made, of a
        candidate whose holder is to be preempted because of the priority."""
        slot, request = candidate.slot, self._request
        if candidate.victims:
            return True
        allowed = self._matchmaker.preemption_allowed(slot, request)
        return allowed and self._matchmaker.preemption_rank(slot, request) == candidate.key.preemption_rank


def room(matchmaker: Matchmaker, consumer: Consumer, slot: Slot, request: ClassAd) -> Consumption | None:
    """Resources that ``request`` would take of a partitionable slot; None when it does not fit in."""
    if has_policy(slot.ad):
        consumption = consumer.of(slot, request)
        fits = consumption is not None and pair_fits(slot.ad, as_consumed(request, consumption))
        return consumption if fits else None
    return consumer.of(slot, request) if matchmaker.fits(slot, request) else None


def evicting(
    matchmaker: Matchmaker, consumer: Consumer, slot: Slot, request: ClassAd, submitter: str
) -> Candidate | None:
    """The room that a partitionable slot has for ``request`` when dynamic slots of it are preempted: those that it
    ranks lowest first, and of those that PREEMPTION_RANK prefers, as few as it takes; None when even all that may be
    preempted are not enough. A slot whose job may still retire is spared (manual, "Preemption of Partitionable
    Slots")."""
    victims: list[Slot] = []
    widened = Slot(slot.serial, slot.ad.flat_copy(), slot.weight)
    state = Preemption.RANK
    for child in sorted(slot.children, key=lambda c: (c.current_rank, -matchmaker.preemption_rank(c, request))):
        why = _eviction(matchmaker, child, request, submitter)
        if why is None:
            continue
        victims.append(child)
        state = min(state, why)
        widened = Slot(slot.serial, widened.ad.flat_copy(), slot.weight)
        for resource, amount in freed(slot, [child]).items():
            widened.ad.set_text(resource, number_text(real(widened.ad, resource, 0.0) + amount))
        consumption = room(matchmaker, consumer, widened, request)
        if consumption is not None:
            worst = min(matchmaker.preemption_rank(victim, request) for victim in victims)
            key = CandidateKey(*matchmaker.order_key(widened, request), int(state), worst, -slot.serial)
            return Candidate(key, slot, state, consumption.weight, consumption, tuple(victims))
    return None


def _eviction(matchmaker: Matchmaker, child: Slot, request: ClassAd, submitter: str) -> Preemption | None:
    """Why a dynamic slot may be preempted for ``request``; None where it may not."""
    if child.taken or string(child.ad, "State").lower() == "preempting":
        return None
    if real(child.ad, "RetirementTimeRemaining", 0.0) > 0:
        return None
    rank = matchmaker.rank_or_zero(child, request)
    if rank > child.current_rank:
        return Preemption.RANK
    if rank < child.current_rank or child.remote == submitter:
        return None
    return Preemption.PRIORITY if matchmaker.preemption_allowed(child, request) else None


def freed(slot: Slot, victims: Iterable[Slot]) -> dict[str, float]:
    """Resources that the end of ``victims`` gives back to their partitionable slot, by resource name."""
    names = (string(slot.ad, "MachineResources") or "Cpus Memory Disk").split()
    return {name: sum(real(victim.ad, name, 0.0) for victim in victims) for name in names}

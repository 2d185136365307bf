"""The slots that would do for a request, best first, with what each would cost and whom it would preempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from condor_py.classad import ClassAd
from condor_py.model.plan import Preemption
from condor_py.negotiator.consumption import Consumer, Consumption
from condor_py.negotiator.explain import Obstacles
from condor_py.negotiator.rank import Matchmaker
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.values import NO_RANK


class Candidate(NamedTuple):
    """A slot for a request. ``key`` orders candidates, larger is better: pre-job rank, job rank, post-job
    rank, preemption state, preemption rank, and earlier slots before later ones."""

    key: tuple[float, float, float, int, float, int]
    slot: Slot
    preemption: Preemption
    weight: float
    consumption: Consumption | None = None


class CandidateList:
    """The candidates of one request. Slots taken meanwhile drop out; carved ones are looked at again."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        consumer: Consumer,
        slots: Sequence[Slot],
        request: ClassAd,
        submitter: str,
    ) -> None:
        self._matchmaker = matchmaker
        self._consumer = consumer
        self._request = request
        self._submitter = submitter
        self._policy_refusals = 0
        self._rank_refusals = 0
        self._partitionable = [slot for slot in slots if slot.partitionable]
        self._pieces: dict[int, tuple[int, Candidate | None]] = {}
        whole = [
            candidate
            for slot in slots
            if not slot.partitionable and (candidate := self._whole(slot)) is not None
        ]
        whole.sort(key=lambda candidate: candidate.key)
        #: Whole slots, the best one last.
        self._whole_slots = whole

    def _whole(self, slot: Slot) -> Candidate | None:
        if slot.taken or not self._matchmaker.fits(slot, self._request):
            return None
        preemption = self._preemption(slot)
        return None if preemption is None else self._candidate(slot, preemption, slot.weight, None)

    def _preemption(self, slot: Slot) -> Preemption | None:
        """Why the slot may be given to the request; None when its holder keeps it."""
        if not slot.remote:
            return Preemption.NONE
        rank = self._matchmaker.slot_rank(slot, self._request)
        if rank > slot.current_rank:
            return Preemption.RANK
        if slot.remote == self._submitter:
            return None
        if not self._matchmaker.preemption_allowed(slot, self._request):
            self._policy_refusals += 1
            return None
        if rank < slot.current_rank:
            self._rank_refusals += 1
            return None
        return Preemption.PRIORITY

    def _candidate(
        self, slot: Slot, preemption: Preemption, weight: float, consumption: Consumption | None
    ) -> Candidate:
        pre, job, post = self._matchmaker.order_key(slot, self._request)
        victim_rank = NO_RANK
        if preemption is not Preemption.NONE:
            victim_rank = self._matchmaker.preemption_rank(slot, self._request)
        key = (pre, job, post, int(preemption), victim_rank, -slot.serial)
        return Candidate(key, slot, preemption, weight, consumption)

    def _piece(self, slot: Slot) -> Candidate | None:
        """What the request would get of a partitionable slot as it is now."""
        known = self._pieces.get(slot.serial)
        if known is not None and known[0] == slot.version:
            return known[1]
        candidate = None
        if slot.free and self._matchmaker.fits(slot, self._request):
            consumption = self._consumer.of(slot, self._request)
            if consumption is not None:
                candidate = self._candidate(slot, Preemption.NONE, consumption.weight, consumption)
        self._pieces[slot.serial] = slot.version, candidate
        return candidate

    def __iter__(self) -> Iterator[Candidate]:
        """The candidates as things stand, best first."""
        pieces = [piece for slot in self._partitionable if (piece := self._piece(slot)) is not None]
        pieces.sort(key=lambda candidate: candidate.key)
        whole = self._whole_slots
        while whole and whole[-1].slot.taken:
            whole.pop()
        for candidate in reversed(whole):
            if candidate.slot.taken:
                continue
            while pieces and pieces[-1].key > candidate.key:
                yield pieces.pop()
            yield candidate
        yield from reversed(pieces)

    def best(
        self, permitted: Callable[[Candidate, Obstacles], bool], obstacles: Obstacles
    ) -> Candidate | None:
        """The best candidate that ``permitted`` lets pass; what was in the way is counted in
        ``obstacles``."""
        obstacles.policy += self._policy_refusals
        obstacles.rank += self._rank_refusals
        for candidate in self:
            if permitted(candidate, obstacles):
                return candidate
        return None

    def still_preemptable(self, candidate: Candidate) -> bool:
        """Whether PREEMPTION_REQUIREMENTS and PREEMPTION_RANK say now what they said when the list was
        made."""
        slot, request = candidate.slot, self._request
        if candidate.preemption is not Preemption.PRIORITY:
            return True
        allowed = self._matchmaker.preemption_allowed(slot, request)
        return allowed and self._matchmaker.preemption_rank(slot, request) == candidate.key[4]

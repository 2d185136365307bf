"""Matching and ranking: everything that is evaluated for a pair of a slot and a request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import repeat
from operator import itemgetter
from typing import TypeVar

from condor_py.core.match.memo import Kinds, Memo, SlotColumns
from condor_py.core.match.slot import Slot
from condor_py.core.match.values import NO_RANK, as_real, as_truth
from condor_py.lang.classad import ClassAd, parse, symmetric_match
from condor_py.lang.classad.columns import columns
from condor_py.lang.classad.dependencies import Names, names_in
from condor_py.lang.classad.match import run_each, symmetric_matches
from condor_py.model.settings.negotiator import NegotiatorSettings

T = TypeVar("T")


class Matchmaker:
    """The expressions of one cycle. MY is the slot and TARGET the job, but for the job's own Requirements and
    Rank."""

    def __init__(self, settings: NegotiatorSettings, slots: Iterable[ClassAd], requests: Iterable[ClassAd]) -> None:
        #: NEGOTIATOR_DEPTH_FIRST: a partitionable slot is filled before the next one is begun.
        self.depth_first = settings.depth_first
        #: ALLOW_PSLOT_PREEMPTION: several dynamic slots may be preempted to make room in their partitionable one.
        self.pslot_preemption = settings.allow_pslot_preemption and settings.consider_preemption
        self._names = Names([*slots, *requests])
        texts = (
            settings.pre_job_rank,
            settings.post_job_rank,
            settings.preemption_rank,
            settings.preemption_requirements,
        )
        self._names.closure({"requirements", "rank"}.union(*map(_named, texts)))  # learnt together, which is faster
        self._kinds: dict[frozenset[str], Kinds] = {}
        self.fits: Memo[bool] = self._memo({"requirements"}, pair_fits, _pairs_fit)
        self.pre_rank = self._rank(settings.pre_job_rank)
        self.post_rank = self._rank(settings.post_job_rank)
        self.preemption_rank = self._rank(settings.preemption_rank)
        self.job_rank: Memo[float] = self._memo({"rank"}, _no_rank if settings.ignore_job_ranks else _job_rank)
        #: NaN where the slot's RANK is no number for the job: then the slot prefers neither it nor another.
        self.slot_rank: Memo[float] = self._memo({"rank"}, _slot_rank)
        self.preemption_allowed = self._truth(settings.preemption_requirements)
        #: Every name that any of the expressions reaches (lower case).
        self.names = frozenset().union(*(memo.names for memo in self.memos()))

    def memos(self) -> tuple[Memo[bool] | Memo[float], ...]:
        """All of them."""
        return (
            self.fits, self.pre_rank, self.post_rank, self.preemption_rank, self.job_rank, self.slot_rank,
            self.preemption_allowed,
        )  # fmt: skip

    def rank_or_zero(self, slot: Slot, request: ClassAd) -> float:
        """``slot_rank``, 0 where it is no number: so it counts for dynamic slots that make room together."""
        rank = self.slot_rank(slot, request)
        return 0.0 if math.isnan(rank) else rank

    def forget_request(self, request: ClassAd) -> None:
        """An attribute of ``request`` changed."""
        for kinds in self._kinds.values():
            kinds.forget_request(request)

    def order_key(self, slot: Slot, request: ClassAd) -> tuple[float, float, float]:
        """Sort key of free slots, larger is better: pre-job rank, job rank, post-job rank."""
        return self.pre_rank(slot, request), self.job_rank(slot, request), self.post_rank(slot, request)

    def orders(self, slots: Sequence[Slot], request: ClassAd, held: bool) -> Iterable[tuple[float, ...]]:
        """The ``order_key`` of many slots that ``learn`` has numbered, all ``held`` or all free, and the preemption
        rank (NO_RANK where no job is to be preempted). OutOfSteps."""
        memos = self.pre_rank, self.job_rank, self.post_rank
        victims: Iterable[float] = self.preemption_rank.of_slots(slots, request) if held else repeat(NO_RANK)
        return zip(*[memo.of_slots(slots, request) for memo in memos], victims, strict=False)

    def order_signature(self, request: ClassAd) -> tuple[int, ...]:
        """Requests with the same one put slots in the same order."""
        return (
            self.pre_rank.kinds.request(request),
            self.job_rank.kinds.request(request),
            self.post_rank.kinds.request(request),
            self.preemption_rank.kinds.request(request),
        )

    def learn(self, slots: Sequence[Slot]) -> None:
        """Sort many slots into kinds at once, which is faster than one by one."""
        ads = [slot.ad for slot in slots]
        names = tuple({name for kinds in self._kinds.values() for name in kinds.names})
        found = dict(zip(names, columns(ads, names), strict=True))
        varying = {name for name, column in found.items() if len(set(column)) > 1}
        values = SlotColumns(len(slots), found, varying)
        numbers = [kinds.learn(slots, values) for kinds in self._kinds.values()]
        for slot, numbered in zip(slots, zip(*numbers, strict=True), strict=True):
            slot.kinds = numbered

    def fit_signatures(self, slots: Sequence[Slot]) -> list[tuple[int, ...]]:
        """Slots with the same one fit the same requests, rank them alike, and may be preempted for the same ones. For
        slots that ``learn`` has numbered."""
        memos = self.fits, self.slot_rank, self.preemption_allowed
        signature = itemgetter(*(memo.kinds.number for memo in memos))
        return [signature(slot.kinds) for slot in slots]

    def _memo(
        self,
        roots: AbstractSet[str],
        compute: Callable[[ClassAd, ClassAd], T],
        compute_all: Callable[[Sequence[ClassAd], ClassAd], list[T]] | None = None,
    ) -> Memo[T]:
        names = self._names.closure(roots)
        kinds = self._kinds.get(names)
        if kinds is None:
            kinds = self._kinds[names] = Kinds(len(self._kinds), names)
        return Memo(kinds, names, compute, compute_all)

    def _rank(self, text: str) -> Memo[float]:
        if not text.strip():
            return self._memo(set(), _nothing)
        expression = parse(text)
        node = expression.node
        return self._memo(
            _named(text),
            lambda slot, request: as_real(slot.raw(expression, request), NO_RANK),
            lambda slots, request: [as_real(value, NO_RANK) for value in run_each(node, slots, request)],
        )

    def _truth(self, text: str) -> Memo[bool]:
        """PREEMPTION_REQUIREMENTS; nothing configured permits everything."""
        if not text.strip():
            return self._memo(set(), _everything)
        expression = parse(text)
        return self._memo(_named(text), lambda slot, request: as_truth(slot.raw(expression, request)))


def _named(text: str) -> frozenset[str]:
    """The names in the text of an expression; there may be none."""
    return names_in(parse(text).node) if text.strip() else frozenset()


def pair_fits(slot: ClassAd, request: ClassAd) -> bool:
    """Whether the Requirements of both are true."""
    return symmetric_match(request, slot)


def _pairs_fit(slots: Sequence[ClassAd], request: ClassAd) -> list[bool]:
    return symmetric_matches(request, slots)


def _job_rank(slot: ClassAd, request: ClassAd) -> float:
    return as_real(request.raw("Rank", slot), 0.0)


def _no_rank(slot: ClassAd, request: ClassAd) -> float:
    return 0.0


def _slot_rank(slot: ClassAd, request: ClassAd) -> float:
    return as_real(slot.raw("Rank", request), math.nan)


def _nothing(slot: ClassAd, request: ClassAd) -> float:
    return NO_RANK


def _everything(slot: ClassAd, request: ClassAd) -> bool:
    return True

"""Evaluating each expression once for all pairs of ads that it cannot tell apart.

The value of an expression depends only on the attributes that it names, directly or through the attributes
that it reaches. Two slots that agree in those (and two requests that do) give the same value, so a pool of
200 like slots and 10 kinds of jobs needs 10 evaluations of Requirements, not 2,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from condor_py.core.match.slot import Slot
from condor_py.core.match.steps import check_steps
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.dependencies import OPAQUE
from condor_py.lang.classad.record import Binding

T = TypeVar("T")


class SlotColumns:
    """Values of many slots in ``columns`` (bindings by the name of an attribute). In all columns but the ``varying``
    ones all slots have the same value."""

    __slots__ = ("_count", "_rows", "_varying", "columns")

    def __init__(self, count: int, columns: Mapping[str, Sequence[Binding | None]], varying: AbstractSet[str]) -> None:
        self._count = count
        self.columns = columns
        self._varying = varying
        self._rows: dict[tuple[str, ...], tuple[Sequence[object], dict[object, int]]] = {}

    def rows(self, names: Iterable[str]) -> tuple[Sequence[object], dict[object, int]]:
        """Return a key for each slot, the same for slots that agree in all of ``names``, and the first place of each
        key."""
        varying = tuple(sorted([name for name in names if name in self._varying]))
        known = self._rows.get(varying)
        if known is None:
            rows = self._of(varying)
            places: dict[object, int] = {}
            for place, row in enumerate(rows):
                places.setdefault(row, place)
            known = self._rows[varying] = rows, places
        return known

    def _of(self, names: tuple[str, ...]) -> Sequence[object]:
        if len(names) < 2:
            return self.columns[names[0]] if names else [None] * self._count
        return list(zip(*[self.columns[name] for name in names], strict=True))


class Kinds:
    """Numbers of slots and requests by the attributes ``names``: those with the same number agree in them."""

    __slots__ = ("_keys", "_opaque_requests", "_request_ids", "_requests", "_slot_ids", "number", "opaque")

    def __init__(self, number: int, names: frozenset[str]) -> None:
        """``number`` is unique among the kinds of one cycle."""
        self.number = number
        #: Whether every slot and every request is a kind of its own, and never the same twice.
        self.opaque = OPAQUE in names
        self._keys = tuple(names)
        self._slot_ids: dict[tuple[Binding | None, ...], int] = {}
        self._request_ids: dict[tuple[Binding | None, ...], int] = {}
        self._requests: dict[int, tuple[ClassAd, int]] = {}
        self._opaque_requests = 0

    def slot(self, slot: Slot) -> int:
        """The number of a slot."""
        if slot.kinds:
            return slot.kinds[self.number]
        known = slot.signatures.get(self.number)
        if known is None:
            if self.opaque:
                known = slot.serial
            else:
                known = self._slot_ids.setdefault(tuple(map(slot.ad.finder(), self._keys)), len(self._slot_ids))
            slot.signatures[self.number] = known
        return known

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that distinguish slots; none if every slot is a kind of its own."""
        return () if self.opaque else self._keys

    def learn(self, slots: Sequence[Slot], values: SlotColumns) -> list[int]:
        """The numbers of many slots, by their ``names``."""
        if self.opaque:
            return [slot.serial for slot in slots]
        ids = self._slot_ids
        rows, places = values.rows(self._keys)
        columns = [values.columns[name] for name in self._keys]
        if columns and len(places) == len(rows):  # every slot is a kind of its own
            return [ids.setdefault(whole, len(ids)) for whole in zip(*columns, strict=True)]
        kinds: dict[object, int] = {}
        for row, place in places.items():
            whole = tuple([column[place] for column in columns])
            kinds[row] = ids.setdefault(whole, len(ids))
        return list(map(kinds.__getitem__, rows))

    def request(self, request: ClassAd) -> int:
        """The number of a request."""
        if not self._keys:
            return 0
        known = self._requests.get(id(request))
        if known is None:
            if self.opaque:
                self._opaque_requests += 1
                number = self._opaque_requests
            else:
                number = self._request_ids.setdefault(tuple(map(request.finder(), self._keys)), len(self._request_ids))
            known = self._requests[id(request)] = request, number
        return known[1]

    def forget_request(self, request: ClassAd) -> None:
        """An attribute of ``request`` changed."""
        self._requests.pop(id(request), None)


class Memo(Generic[T]):
    """A function of a slot ad and a request ad, called once for each pair of different ``kinds``."""

    __slots__ = ("_compute", "_compute_all", "_values", "kinds", "names")

    def __init__(
        self,
        kinds: Kinds,
        names: frozenset[str],
        compute: Callable[[ClassAd, ClassAd], T],
        compute_all: Callable[[Sequence[ClassAd], ClassAd], list[T]] | None = None,
    ) -> None:
        """``compute_all``: the same for many slot ads, where that is faster than one after the other."""
        self.names = names
        self.kinds = kinds
        self._compute = compute
        self._compute_all = compute_all or (lambda ads, request: [compute(ad, request) for ad in ads])
        #: By kind of request and kind of slot.
        self._values: dict[int, dict[int, T]] = {}

    def __call__(self, slot: Slot, request: ClassAd) -> T:
        """The value for a slot and a request. OutOfSteps where it could not be worked out."""
        if self.kinds.opaque:
            return self._computed(slot, request)
        return self._known(self.values(request), slot, request)

    def values(self, request: ClassAd) -> dict[int, T]:
        """Known values for a request, by kind of slot."""
        return self._values.setdefault(self.kinds.request(request), {})

    def of_slots(self, slots: Sequence[Slot], request: ClassAd) -> list[T]:
        """The values for many slots that ``learn`` has numbered. OutOfSteps as above, and then nothing is kept."""
        if self.kinds.opaque:
            return [self._computed(slot, request) for slot in slots]
        number = self.kinds.number
        kinds = [slot.kinds[number] for slot in slots]
        values = self.values(request)
        examples = dict(zip(kinds, slots, strict=True))
        new = [kind for kind in examples if kind not in values] if values else list(examples)
        if new:
            found = self._compute_all([examples[kind].ad for kind in new], request)
            check_steps()
            if len(found) == len(slots):
                values.update(zip(kinds, found, strict=True))
                return found
            values.update(zip(new, found, strict=True))
        return list(map(values.__getitem__, kinds))

    def of_request(self, request: ClassAd) -> Callable[[Slot], T]:
        """The function of a slot alone, for many slots; good until an attribute of the request changes."""
        if self.kinds.opaque:
            return lambda slot: self._computed(slot, request)
        values, number, known = self.values(request), self.kinds.number, self._known

        def of_slot(slot: Slot) -> T:
            try:
                return values[slot.kinds[number]]
            except LookupError:
                return known(values, slot, request)

        return of_slot

    def _known(self, values: dict[int, T], slot: Slot, request: ClassAd) -> T:
        kind = self.kinds.slot(slot)
        if kind not in values:
            values[kind] = self._computed(slot, request)
        return values[kind]

    def _computed(self, slot: Slot, request: ClassAd) -> T:
        """The value for a pair not asked for before. OutOfSteps where it could not be worked out."""
        value = self._compute(slot.ad, request)
        check_steps()
        return value

    @property
    def evaluations(self) -> int:
        """Number of pairs evaluated so far."""
        return sum(map(len, self._values.values()))

"""Evaluating each expression once for all pairs of ads that it cannot tell apart.

The value of an expression depends only on the attributes that it names, directly or through the attributes
that it reaches. Two slots that agree in those (and two requests that do) give the same value, so a pool of
200 like slots and 10 kinds of jobs needs 10 evaluations of Requirements, not 2,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import repeat
from typing import Generic, TypeVar

from condor_py.classad import ClassAd
from condor_py.classad.dependencies import OPAQUE
from condor_py.classad.record import Binding
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.steps import check_steps

T = TypeVar("T")


class Kinds:
    """Numbers of slots and requests by the attributes ``names``: who shares one cannot be told apart by them."""

    __slots__ = ("_keys", "_opaque_requests", "_request_ids", "_requests", "_slot_ids", "number", "opaque")

    def __init__(self, number: int, names: frozenset[str]) -> None:
        """``number`` tells the kinds of one cycle apart."""
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
        """The attributes by which slots are told apart; none where every slot is a kind of its own."""
        return () if self.opaque else self._keys

    def learn(
        self, slots: Sequence[Slot], columns: Mapping[str, Sequence[Binding | None]], telling: AbstractSet[str]
    ) -> None:
        """Numbers many slots at once, by their ``names`` as the columns have them; in all but the ``telling`` columns
        all slots have the same."""
        if self.opaque:
            for slot in slots:
                slot.signatures[self.number] = slot.serial
            return
        number, ids = self.number, self._slot_ids
        told_by = [columns[name] for name in self._keys if name in telling]
        rows: Iterable[tuple[Binding | None, ...]] = zip(*told_by, strict=True) if told_by else repeat((), len(slots))
        known: dict[tuple[Binding | None, ...], int] = {}
        for place, (slot, row) in enumerate(zip(slots, rows, strict=True)):
            kind = known.get(row)
            if kind is None:
                whole = tuple([columns[name][place] for name in self._keys])
                kind = known[row] = ids.setdefault(whole, len(ids))
            slot.signatures[number] = kind

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

    __slots__ = ("_compute", "_values", "kinds", "names")

    def __init__(self, kinds: Kinds, names: frozenset[str], compute: Callable[[ClassAd, ClassAd], T]) -> None:
        self.names = names
        self.kinds = kinds
        self._compute = compute
        #: By kind of request and kind of slot.
        self._values: dict[int, dict[int, T]] = {}

    def __call__(self, slot: Slot, request: ClassAd) -> T:
        """The value for a slot and a request. OutOfSteps where it could not be worked out."""
        if self.kinds.opaque:
            return self._computed(slot, request)
        return self._known(self.values(request), slot, request)

    def values(self, request: ClassAd) -> dict[int, T]:
        """What is known for a request, by kind of slot."""
        return self._values.setdefault(self.kinds.request(request), {})

    def of_slots(self, slots: Sequence[Slot], request: ClassAd) -> list[T]:
        """The values for many slots that ``learn`` has numbered. OutOfSteps as above, and then nothing is kept."""
        if self.kinds.opaque:
            return [self._computed(slot, request) for slot in slots]
        number = self.kinds.number
        kinds = [slot.signatures[number] for slot in slots]
        values = self.values(request)
        examples = dict(zip(kinds, slots, strict=True))
        new = {kind: self._compute(slot.ad, request) for kind, slot in examples.items() if kind not in values}
        if new:
            check_steps()
            values.update(new)
        return [values[kind] for kind in kinds]

    def of_request(self, request: ClassAd) -> Callable[[Slot], T]:
        """The function of a slot alone, for many slots; good until an attribute of the request changes."""
        if self.kinds.opaque:
            return lambda slot: self._computed(slot, request)
        values, number, known = self.values(request), self.kinds.number, self._known

        def of_slot(slot: Slot) -> T:
            try:
                return values[slot.signatures[number]]
            except KeyError:
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
        """How many pairs were told apart so far."""
        return sum(map(len, self._values.values()))

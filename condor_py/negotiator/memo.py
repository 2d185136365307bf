"""Evaluating each expression once for all pairs of ads that it cannot tell apart.

The value of an expression depends only on the attributes that it names, directly or through the attributes
that it reaches. Two slots that agree in those (and two requests that do) give the same value, so a pool of
200 like slots and 10 kinds of jobs needs 10 evaluations of Requirements, not 2,000.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from condor_py.classad import ClassAd
from condor_py.classad.dependencies import OPAQUE
from condor_py.classad.record import Binding
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.steps import check_steps

T = TypeVar("T")


class Memo(Generic[T]):
    """A function of a slot ad and a request ad, called once for each pair that differs in ``names``."""

    __slots__ = (
        "_compute",
        "_keys",
        "_number",
        "_opaque_requests",
        "_request_ids",
        "_requests",
        "_slot_ids",
        "_values",
        "names",
    )

    def __init__(self, number: int, names: frozenset[str], compute: Callable[[ClassAd, ClassAd], T]) -> None:
        """``number`` tells the memos of one cycle apart."""
        self.names = names
        self._compute = compute
        self._keys: tuple[str, ...] | None = None if OPAQUE in names else tuple(names)
        self._number = number
        self._slot_ids: dict[tuple[Binding | None, ...], int] = {}
        self._request_ids: dict[tuple[Binding | None, ...], int] = {}
        self._requests: dict[int, tuple[ClassAd, int]] = {}
        self._values: dict[tuple[int, int], T] = {}
        self._opaque_requests = 0

    def __call__(self, slot: Slot, request: ClassAd) -> T:
        """The value for a slot and a request."""
        if self._keys is None:
            return self._computed(slot, request)
        pair = self.slot_signature(slot), self.request_signature(request)
        try:
            return self._values[pair]
        except KeyError:
            value = self._values[pair] = self._computed(slot, request)
            return value

    def _computed(self, slot: Slot, request: ClassAd) -> T:
        """The value for a pair not asked for before. OutOfSteps where it could not be worked out."""
        value = self._compute(slot.ad, request)
        check_steps()
        return value

    def slot_signature(self, slot: Slot) -> int:
        """A number that slots share which no request can tell apart by this memo."""
        known = slot.signatures.get(self._number)
        if known is None:
            if self._keys is None:
                known = slot.serial
            else:
                known = self._slot_ids.setdefault(tuple(map(slot.ad.finder(), self._keys)), len(self._slot_ids))
            slot.signatures[self._number] = known
        return known

    def request_signature(self, request: ClassAd) -> int:
        """A number that requests share which this memo cannot tell apart."""
        known = self._requests.get(id(request))
        if known is None:
            if self._keys is None:
                self._opaque_requests += 1
                number = self._opaque_requests
            else:
                number = self._request_ids.setdefault(tuple(map(request.finder(), self._keys)), len(self._request_ids))
            known = self._requests[id(request)] = request, number
        return known[1]

    def forget_request(self, request: ClassAd) -> None:
        """An attribute of ``request`` changed."""
        self._requests.pop(id(request), None)

    @property
    def evaluations(self) -> int:
        """How many pairs were told apart so far."""
        return len(self._values)

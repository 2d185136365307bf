"""Evaluating each expression once for all pairs of ads that it cannot tell apart.

The value of an expression depends only on the attributes that it names, directly or through the attributes
that it reaches. Two slots that agree in those (and two requests that do) give the same value, so a pool of
200 like slots and 10 kinds of jobs needs 10 evaluations of Requirements, not 2,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from condor_py.classad import ClassAd
from condor_py.classad.nodes import Attr, Call, Literal, Node, children
from condor_py.classad.record import Binding
from condor_py.negotiator.slot import Slot

T = TypeVar("T")

#: Functions whose value may differ from call to call, or which make names while they are evaluated.
_OPAQUE_CALLS = frozenset(("eval", "random"))
#: Stands among the names of an expression that calls one of them; no attribute is called that.
_OPAQUE = "\0"


def names_in(node: Node) -> frozenset[str]:
    """The attribute names written in an expression, in lower case."""
    found = set()
    work = [node]
    while work:
        node = work.pop()
        if type(node) is Literal:
            continue
        if type(node) is Attr:
            found.add(node.key)
        elif type(node) is Call and node.name.lower() in _OPAQUE_CALLS:
            found.add(_OPAQUE)
        work.extend(children(node))
    return frozenset(found)


class Names:
    """Which names an attribute or expression reaches, over every ad of a cycle."""

    def __init__(self, ads: Iterable[ClassAd]) -> None:
        self._ads = list(ads)
        self._of_binding: dict[int, frozenset[str]] = {}
        self._direct: dict[str, frozenset[str]] = {}

    def closure(self, roots: Iterable[str]) -> frozenset[str]:
        """``roots`` (lower case) and every name reached from them."""
        found = set(roots)
        work = list(found)
        while work:
            for name in self._names_in_attribute(work.pop()) - found:
                found.add(name)
                work.append(name)
        return frozenset(found)

    def _names_in_attribute(self, key: str) -> frozenset[str]:
        known = self._direct.get(key)
        if known is None:
            bindings = {id(b): b for ad in self._ads if (b := ad.find(key)) is not None}
            known = frozenset().union(*map(self._names_in_binding, bindings.values()))
            self._direct[key] = known
        return known

    def _names_in_binding(self, binding: Binding) -> frozenset[str]:
        known = self._of_binding.get(id(binding))
        if known is None:
            known = self._of_binding[id(binding)] = names_in(binding.node)
        return known


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
        self._keys: tuple[str, ...] | None = None if _OPAQUE in names else tuple(names)
        self._number = number
        self._slot_ids: dict[tuple[Binding | None, ...], int] = {}
        self._request_ids: dict[tuple[Binding | None, ...], int] = {}
        self._requests: dict[int, tuple[ClassAd, int]] = {}
        self._values: dict[tuple[int, int], T] = {}
        self._opaque_requests = 0

    def __call__(self, slot: Slot, request: ClassAd) -> T:
        """The value for a slot and a request."""
        if self._keys is None:
            return self._compute(slot.ad, request)
        pair = self.slot_signature(slot), self.request_signature(request)
        try:
            return self._values[pair]
        except KeyError:
            value = self._values[pair] = self._compute(slot.ad, request)
            return value

    def slot_signature(self, slot: Slot) -> int:
        """A number that slots share which no request can tell apart by this memo."""
        known = slot.signatures.get(self._number)
        if known is None:
            if self._keys is None:
                known = slot.serial
            else:
                known = self._slot_ids.setdefault(tuple(map(slot.ad.find, self._keys)), len(self._slot_ids))
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
                number = self._request_ids.setdefault(tuple(map(request.find, self._keys)), len(self._request_ids))
            known = self._requests[id(request)] = request, number
        return known[1]

    def forget_request(self, request: ClassAd) -> None:
        """An attribute of ``request`` changed."""
        self._requests.pop(id(request), None)

    @property
    def evaluations(self) -> int:
        """How many pairs were told apart so far."""
        return len(self._values)

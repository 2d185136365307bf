"""Many ads against many: every pair that Requirements can tell apart is evaluated once.

The value of Requirements depends only on the attributes that it reaches. Ads that agree in those (by text) form a
group, so 400 kinds of jobs against 5,000 slots of 40 kinds are 16,000 evaluations, not 2,000,000.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.dependencies import OPAQUE, Names
from condor_py.lang.classad.match import symmetric_match
from condor_py.lang.classad.record import COMPUTED, Binding

if TYPE_CHECKING:
    from condor_py.lang.classad.ad import ClassAd

_ROOTS = frozenset(("requirements",))


def match_many(requests: Sequence[ClassAd], slots: Sequence[ClassAd]) -> list[tuple[int, ...]]:
    """For every request the positions of the slots that it matches (each accepts the other), in order.

    The same as ``symmetric_match`` for every pair. Requests that cannot be distinguished share one tuple. The ads must
    not change meanwhile.
    """
    names = Names([*requests, *slots]).closure(_ROOTS)
    grouping = Grouping(names)
    slot_groups = grouping.groups(slots)
    found: list[tuple[int, ...]] = [()] * len(requests)
    merged: dict[tuple[int, ...], tuple[int, ...]] = {}
    for positions in grouping.groups(requests):
        request = requests[positions[0]]
        matching = tuple(
            [number for number, group in enumerate(slot_groups) if symmetric_match(request, slots[group[0]])]
        )
        result = merged.get(matching)
        if result is None:
            result = tuple(sorted([at for number in matching for at in slot_groups[number]]))
            merged[matching] = result
        for position in positions:
            found[position] = result
    return found


class Grouping:
    """Tells ads apart by the texts of the attributes ``names`` (lower case). With OPAQUE every ad is its own group."""

    def __init__(self, names: Iterable[str]) -> None:
        self._keys = tuple(sorted(names))
        self._numbers: dict[Any, int] = {}
        self._known: dict[Binding | None, int] = {None: -1}

    def groups(self, ads: Sequence[ClassAd]) -> list[list[int]]:
        """The positions of the ads of each group, in order of their first one."""
        if OPAQUE in self._keys:
            return [[position] for position in range(len(ads))]
        found: dict[tuple[int, ...], list[int]] = {}
        for position, ad in enumerate(ads):
            found.setdefault(self.signature(ad), []).append(position)
        return list(found.values())

    def signature(self, ad: ClassAd) -> tuple[int, ...]:
        """Equal for ads that agree in the attributes."""
        known = self._known
        bindings = list(map(ad.find, self._keys))
        try:
            return tuple([known[binding] for binding in bindings])
        except KeyError:
            return tuple(map(self._number, bindings))

    def _number(self, binding: Binding | None) -> int:
        """A number that bindings of the same text share."""
        number = self._known.get(binding)
        if number is None:
            assert binding is not None
            value = binding.value
            mark = _text(binding) if value is COMPUTED else (type(value), repr(value))
            number = self._known[binding] = self._numbers.setdefault((binding.key, mark), len(self._numbers))
        return number


def _text(binding: Binding) -> str:
    """The text of an expression, different for different ones (the old format does not promise that of strings)."""
    from condor_py.lang.classad.unparse import unparse

    return unparse(binding.node, old=False)

"""The same attribute of many ads at once, for those who compare them. The extension replaces both functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.classad.kernel import native
from condor_py.classad.record import COMPUTED, Binding, Record


def column(ads: Sequence[Record], key: str) -> list[Binding | None]:
    """The binding of a key (a name in lower case) in each ad or its parents, None where it has none."""
    return [ad.find(key) for ad in ads]


def computed(ads: Sequence[Record], key: str) -> set[Binding]:
    """The different bindings of a key in the ads whose values have to be evaluated."""
    found = {ad.find(key) for ad in ads}  # a binding is equal to itself only
    return {binding for binding in found if binding is not None and binding.value is COMPUTED}


if native is not None and not TYPE_CHECKING:
    column, computed = native.column, native.computed

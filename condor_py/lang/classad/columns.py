"""The same attributes of many ads at once, for those who compare them. The extension replaces these functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.record import COMPUTED, Binding, Record


def columns(ads: Sequence[Record], keys: tuple[str, ...]) -> list[list[Binding | None]]:
    """For each key (a name in lower case) its binding in each ad or its parents, None where that has none."""
    return [[ad.find(key) for ad in ads] for key in keys]


def computed(ads: Sequence[Record], keys: tuple[str, ...]) -> list[set[Binding]]:
    """For each key its different bindings in the ads, of those whose values have to be evaluated."""
    found = [set(column) for column in columns(ads, keys)]  # a binding is equal to itself only
    return [{one for one in bindings if one is not None and one.value is COMPUTED} for bindings in found]


if native is not None and not TYPE_CHECKING:
    columns, computed = native.columns, native.computed


def column(ads: Sequence[Record], key: str) -> list[Binding | None]:
    """``columns`` of one key."""
    return columns(ads, (key,))[0]

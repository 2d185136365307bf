"""Ads that say the same: what follows from some attributes is found once for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.record import COMPUTED


def is_plain(bindings: Iterable[Any]) -> bool:
    """Whether all of these (None: there is none) are values, and nothing has to be computed."""
    return COMPUTED not in [binding.value for binding in bindings if binding is not None]


class Kinds:
    """Keys that are equal for ads chained to one parent with the same values of ``literal`` and the same texts of
    ``texts`` (lower-case names). Valid as long as no parent changes."""

    def __init__(self, literal: Iterable[str], texts: Iterable[str] = ()) -> None:
        self._literal = tuple(literal)
        self._names = (*self._literal, *texts)
        self._plain: dict[int, bool] = {}

    def of(self, ad: ClassAd) -> Any:
        """The kind of an ad, hashable; None for one that computes any of ``literal``, and has to be read by
        itself."""
        parent = ad.parent
        plain = self._plain.get(id(parent))
        if plain is None:
            plain = self._plain[id(parent)] = parent is None or is_plain(map(parent.attrs.get, self._literal))
        own = tuple(map(ad.attrs.get, self._names))
        return (id(parent), own) if plain and is_plain(own[: len(self._literal)]) else None

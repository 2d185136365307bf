"""Attributes of many ads, asked of all of them at once: a large pool's slots say the same of most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.lang.classad import ClassAd, finite
from condor_py.lang.classad.columns import columns
from condor_py.lang.classad.record import COMPUTED, Binding
from condor_py.lang.classad.values import UNDEFINED


class Asked:
    """The attributes ``names`` of ``ads``, as they are when this is made. Values are those of the functions of
    ``values`` for one ad after the other."""

    __slots__ = ("_ads", "_bindings")

    def __init__(self, ads: Sequence[ClassAd], names: Sequence[str]) -> None:
        self._ads = ads
        keys = tuple([name.lower() for name in names])
        self._bindings: dict[str, list[Binding | None]] = dict(zip(names, columns(ads, keys), strict=True))

    def given(self, name: str) -> bool:
        """Whether any of the ads has the attribute."""
        return any(self._bindings[name])

    def values(self, name: str) -> list[Any]:
        """Values of an attribute in all ads, as ``ClassAd.raw`` gives them."""
        bindings = self._bindings[name]
        if len(different := set(bindings)) == 1:
            one = different.pop()
            if one is None:
                return [UNDEFINED] * len(bindings)
            if one.value is not COMPUTED:
                return [one.value] * len(bindings)
        return [
            UNDEFINED if one is None else ad.raw(name) if (value := one.value) is COMPUTED else value
            for ad, one in zip(self._ads, bindings, strict=True)
        ]

    def strings(self, name: str) -> list[str]:
        """As strings; empty where they are none."""
        return [value if type(value) is str else "" for value in self.values(name)]

    def reals(self, name: str, default: float) -> list[float]:
        """As finite numbers; ``default`` where they are none."""
        numbers = map(finite, self.values(name))
        return [default if number is None else float(number) for number in numbers]

    def truths(self, name: str) -> list[bool]:
        """Whether they are true."""
        return [number != 0.0 for number in self.reals(name, 0.0)]

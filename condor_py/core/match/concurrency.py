"""Concurrency limits: how many units of a named license are in use, and whether there is room for more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from condor_py.model.settings.negotiator import ConcurrencySettings

_NAME = re.compile(r"[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?\Z")
_UNITS = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def parse_limits(text: str) -> Iterator[tuple[str, float]]:
    """(name, units) of a ConcurrencyLimits string; invalid names are left out, bad or missing units count
    1."""
    for item in re.split(r"[\s,]+", text.lower()):
        name, _, units_text = item.partition(":")
        if _NAME.match(name):
            yield name, _units(units_text)


def _units(text: str) -> float:
    number = _UNITS.match(text)
    units = float(number[0]) if number is not None else 1.0
    return units if units > 0 else 1.0


class ConcurrencyLimits:
    """Units in use by limit name, counted from the claimed slots and the matches of this cycle."""

    def __init__(self, settings: ConcurrencySettings, taken: Iterable[str]) -> None:
        """``taken`` are the ConcurrencyLimits strings of the slots; empty where there are none."""
        self._limits = dict(settings.limits)
        self._sets = dict(settings.set_defaults)
        self._default = settings.default
        self.in_use: dict[str, float] = {}
        for text in filter(None, taken):
            self.take(text)

    def take(self, text: str) -> None:
        """A match with these limits was made."""
        for name, units in parse_limits(text):
            self.in_use[name] = self.in_use.get(name, 0.0) + units

    def maximum(self, name: str) -> float:
        """The largest number of units of ``name`` (lower case) that may be in use."""
        limit = self._limits.get(name)
        if limit is None and "." in name:
            limit = self._sets.get(name.partition(".")[0])
        return self._default if limit is None else limit

    def reached(self, text: str) -> str | None:
        """The first limit of a ConcurrencyLimits string that has no room; None when all have."""
        for name, units in parse_limits(text):
            if self.in_use.get(name, 0.0) + units > self.maximum(name):
                return name
        return None

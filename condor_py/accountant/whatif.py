"""What priorities and factors are worth: shares of a machine on which everybody has enough to run."""

from __future__ import annotations

import math
from collections.abc import Mapping

_FLOOR = 0.5  # the least real priority


def shares(effective: Mapping[str, float]) -> dict[str, float]:
    """The part (0..1) of the pie that each gets now: the inverse ratio of effective priorities (manual, "The Layout
    of the Pie")."""
    total = sum(1.0 / value for value in effective.values())
    return {name: 1.0 / value / total for name, value in effective.items()}


def steady_shares(factors: Mapping[str, float], weight: float) -> dict[str, float]:
    """The parts when real priorities have followed the use that they cause, of a machine of ``weight`` slot weight.

    Use u is steady where u = weight x share, and share is as 1 / (factor x max(0.5, u)): as the root of the factor
    for all who use at least half a slot. Solved for the common scale by bisection.
    """

    def use(factor: float, scale: float) -> float:
        above = math.sqrt(scale / factor)
        return above if above >= _FLOOR else scale / (factor * _FLOOR)

    if not factors or weight <= 0:
        return {}
    low, high = 0.0, 1.0
    while sum(use(factor, high) for factor in factors.values()) < weight:
        high *= 4.0
    for _ in range(200):
        middle = (low + high) / 2
        if sum(use(factor, middle) for factor in factors.values()) < weight:
            low = middle
        else:
            high = middle
    return {name: use(factor, high) / weight for name, factor in factors.items()}


def factor_for(ratio: float, real: float, other_real: float, other_factor: float) -> float:
    """The factor that gives somebody of real priority ``real`` a share ``ratio`` times that of the other."""
    return other_real * other_factor / (ratio * real)

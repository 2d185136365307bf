"""The worth of priorities and factors: shares of a machine on which every submitter has enough to run."""

from __future__ import annotations

import math
from collections.abc import Mapping

_FLOOR = 0.5  # the least real priority


def shares(effective: Mapping[str, float]) -> dict[str, float]:
    """The part (0..1) of the pie that each gets now: the inverse ratio of effective priorities (manual, "The Layout
    of the Pie")."""
    total = sum(1.0 / value for value in effective.values())
    return {name: 1.0 / value / total for name, value in effective.items()}


def within_ceilings(parts: Mapping[str, float], weight: float, ceilings: Mapping[str, float]) -> dict[str, float]:
    """``weight`` slot weight in the ratio of ``parts``; what is above a submitter's ceiling goes to the others."""
    given: dict[str, float] = {}
    rest = dict(parts)
    while rest:
        left, total = weight - sum(given.values()), sum(rest.values())
        capped = {name for name, part in rest.items() if left * part / total > ceilings.get(name, math.inf)}
        if not capped:
            return given | {name: left * part / total for name, part in rest.items()}
        given |= {name: ceilings[name] for name in capped}
        rest = {name: part for name, part in rest.items() if name not in capped}
    return given


def steady_shares(
    factors: Mapping[str, float], weight: float, ceilings: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The parts when real priorities have followed the use that they cause, of a machine of ``weight`` slot weight.

    Use u is steady where u = weight x share, and share is as 1 / (factor x max(0.5, u)): as the root of the factor
    for all who use at least half a slot, up to the ``ceilings`` (slot weight). Solved for the common scale by
    bisection.
    """
    most = ceilings or {}

    def use(name: str, scale: float) -> float:
        factor = factors[name]
        above = math.sqrt(scale / factor)
        return min(most.get(name, math.inf), above if above >= _FLOOR else scale / (factor * _FLOOR))

    if not factors or weight <= 0:
        return {}
    if sum(most.get(name, math.inf) for name in factors) <= weight:
        return {name: most[name] / weight for name in factors}
    low, high = 0.0, 1.0
    while sum(use(name, high) for name in factors) < weight:
        high *= 4.0
    for _ in range(64):  # more steps than a number has bits
        middle = (low + high) / 2
        if sum(use(name, middle) for name in factors) < weight:
            low = middle
        else:
            high = middle
    return {name: use(name, high) / weight for name in factors}


def factor_for(ratio: float, real: float, other_real: float, other_factor: float) -> float:
    """The factor that gives a submitter of real priority ``real`` a share ``ratio`` times that of the other."""
    return other_real * other_factor / (ratio * real)

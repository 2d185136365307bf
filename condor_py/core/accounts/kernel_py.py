"""The arithmetic of user priorities over contiguous arrays: the readable twin of ``_kernel.c``.

Arrays are ``array('d')`` for reals, ``array('q')`` for integers, ``array('B')`` for flags, all of one length.
Both kernels give the same bits; the formulas are those of the manual, "Priority Calculation".
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

MIN_PRIORITY = 0.5
_MICRO = 1e6
_ROUND_MAGIC = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to an integer, ties to even
_ROUND_LIMIT = 2.0e9  # beyond this a double has no more than six decimals worth rounding

#: Flags that ``decay`` leaves for each record.
CHANGED_PRIORITY = 1
CHANGED_USAGE = 2
CHANGED_WEIGHTED = 4
IN_USE = 8
HAD_UNCHARGED = 16


def six_decimals(x: float) -> float:
    """``x`` with six decimals, as the accountant log stores it."""
    if not abs(x) < _ROUND_LIMIT:
        return x
    return ((x * _MICRO + _ROUND_MAGIC) - _ROUND_MAGIC) / _MICRO


def _same_length(*arrays: Sequence[object]) -> None:
    lengths = {len(a) for a in arrays}
    if len(lengths) > 1:
        first, second = sorted(lengths)[:2]
        raise ValueError(f"arrays differ in length: {first} and {second}")


def decay(
    beta: float,
    dt: float,
    priority: array[float],
    use: array[float],
    uncharged: array[float],
    accumulated: array[float],
    held: array[int],
    held_uncharged: array[int],
    held_accumulated: array[float],
    changed: array[int],
) -> int:
    """One update of every record in place; how many records have a flag in ``changed``.

    ``beta`` = 0.5 ** (dt / half-life); ``dt`` seconds > 0; ``use`` slot weight held through the interval;
    ``uncharged`` weight-seconds by which that is wrong; ``held`` the same in slots.
    """
    if not dt > 0.0:
        raise ValueError("dt must be positive")
    _same_length(priority, use, uncharged, accumulated, held, held_uncharged, held_accumulated, changed)
    rest = 1.0 - beta
    count = 0
    for i, old in enumerate(priority):
        recent = use[i] + uncharged[i] / dt
        new = old * beta + recent * rest
        new = six_decimals(new if new > MIN_PRIORITY else MIN_PRIORITY)
        weighted = six_decimals(accumulated[i] + (use[i] * dt + uncharged[i]))
        plain = six_decimals(held_accumulated[i] + (held[i] * dt + held_uncharged[i]))
        flags = CHANGED_PRIORITY if new != old else 0
        flags |= CHANGED_USAGE if plain != held_accumulated[i] else 0
        flags |= CHANGED_WEIGHTED if weighted != accumulated[i] else 0
        flags |= IN_USE if recent > 0.0 or held[i] > 0 else 0
        flags |= HAD_UNCHARGED if uncharged[i] != 0.0 or held_uncharged[i] != 0 else 0
        priority[i] = new
        accumulated[i] = weighted
        held_accumulated[i] = plain
        uncharged[i] = 0.0
        held_uncharged[i] = 0
        changed[i] = flags
        count += flags != 0
    return count


def effective(priority: array[float], factor: array[float], out: array[float]) -> None:
    """Effective priorities: the real priority, at least 0.5, times the factor."""
    _same_length(priority, factor, out)
    for i, real in enumerate(priority):
        out[i] = (real if real > MIN_PRIORITY else MIN_PRIORITY) * factor[i]


def shares(eup: array[float], out: array[float]) -> tuple[float, float]:
    """Shares of the pie by inverse effective priority; (largest priority, sum of largest / priority)."""
    _same_length(eup, out)
    worst = 0.0
    for value in eup:
        worst = value if value > worst else worst
    normal = 0.0
    for value in eup:
        normal += worst / value
    for i, value in enumerate(eup):
        out[i] = worst / (value * normal)
    return worst, normal


def limits(share: array[float], use: array[float], pie: float, out: array[float]) -> float:
    """Write to ``out`` the rest of each one's share of the pie, ``max(0, share * pie - use)``; return their sum."""
    _same_length(share, use, out)
    left = 0.0
    for i, part in enumerate(share):
        limit = part * pie - use[i]
        out[i] = limit if limit > 0.0 else 0.0
        left += out[i]
    return left


def order(eup: array[float], starved: array[float], out: array[int]) -> None:
    """Indices in the order of negotiation: smaller ``eup``, then smaller ``starved``, then as they stood."""
    _same_length(eup, starved, out)
    out[:] = array("q", sorted(range(len(eup)), key=lambda i: (eup[i], starved[i])))

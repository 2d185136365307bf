"""Numbers out of ads for the arithmetic of Python: whatever an ad says, they are finite and fit.

An attribute may be ``real("INF")``, ``real("NaN")`` or 1e300. ``int()`` and ``ceil()`` raise on the first two, and the
third makes integers of hundreds of digits. Code that computes with numbers of users reads them here.
"""

from __future__ import annotations

import sys

from condor_py.lang.classad.values import INT_MAX, INT_MIN

_LARGEST = sys.float_info.max
#: The most that one job, slot or user adds to a sum.
_MOST_OF_ONE = 1e9
_NUMERIC = frozenset((bool, int, float))


def finite(value: object) -> int | float | None:
    """``value`` as a finite number: booleans count as 0 and 1, infinities as the largest number there is; None for
    NaN and for everything that is no number. Integers stay integers.
    """
    kind = type(value)
    if kind is int:
        return value  # type: ignore[return-value]
    if kind is float:
        number = float(value)  # type: ignore[arg-type]
        if -_LARGEST <= number <= _LARGEST:
            return number
        return None if number != number else _LARGEST if number > 0 else -_LARGEST
    return int(value) if kind is bool else None  # type: ignore[call-overload]


def summable(number: float) -> float:
    """``number`` as it enters a sum of what many users want or have (cpus, slot weight): from 0 to 1e9, so that what
    others add is not lost next to it. NaN is 0."""
    return 0.0 if not number > 0.0 else min(number, _MOST_OF_ONE)


def whole(number: float, least: int = INT_MIN, most: int = INT_MAX) -> int:
    """``number`` cut to an integer between ``least`` and ``most``; NaN is ``least``."""
    if not number > least:
        return least
    return most if number >= most else int(number)

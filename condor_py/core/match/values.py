"""Plain values out of ClassAd expressions."""

from __future__ import annotations

import struct
from typing import Any

from condor_py.lang.classad import ClassAd, finite

#: What an expression that is not a number counts as in a rank.
NO_RANK = -1.8e308


def as_real(value: Any, default: float) -> float:
    """A finite number (booleans count as 0 and 1); the default for anything else."""
    if type(value) is int:
        return float(value)
    number = finite(value)
    return default if number is None else float(number)


def as_truth(value: Any) -> bool:
    """True for true and for numbers other than 0."""
    return as_real(value, 0.0) != 0.0


def real(ad: ClassAd, name: str, default: float, target: ClassAd | None = None) -> float:
    """A numeric attribute."""
    return ad.eval_real(name, default, target)


def boolean(ad: ClassAd, name: str, target: ClassAd | None = None) -> bool:
    """A boolean attribute; false where it is not defined."""
    return ad.eval_real(name, 0.0, target) != 0.0


def string(ad: ClassAd, name: str) -> str:
    """A string attribute; empty where it is not defined."""
    return ad.eval_str(name, "")


def number_text(value: float) -> str:
    """The shortest expression text of a number; whole numbers have no decimal point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e18 else repr(value)


def single(value: float) -> float:
    """``value`` with the precision of a C float, which HTCondor gives some attributes."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value

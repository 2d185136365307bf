"""Reading the text of a knob as a number, a truth value, a list or a size."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.model.texts import LARGEST, as_integer

_OF_REALS = "0123456789.eE+-"
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_SIZE_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
#: Units of a duration, in seconds, by first letters.
_TIME_UNITS = {"s": 1, "sec": 1, "min": 60, "h": 3600, "hr": 3600, "d": 86400, "day": 86400, "w": 604800, "wk": 604800}

#: Evaluates expression text; a plain value, or anything else when it has none.
Evaluate = Callable[[str], object]


def to_integer(text: str, evaluate: Evaluate) -> int | None:
    """The integer that ``text`` is, or evaluates to as an expression (reals are truncated); None otherwise."""
    bare = text.strip()
    if (bare[1:] if bare.startswith(("+", "-")) else bare).isdecimal():
        return as_integer(bare)
    value = evaluate(text)
    if isinstance(value, float) and (value != value or abs(value) >= 2**63):
        return None
    return int(value) if isinstance(value, (int, float)) else None


def to_real(text: str, evaluate: Evaluate) -> float | None:
    """The real that ``text`` is, or evaluates to; None otherwise."""
    if not text.strip().strip(_OF_REALS):
        try:
            return float(text)
        except ValueError:
            pass
    value = evaluate(text)
    return float(value) if isinstance(value, (int, float)) else None


def to_boolean(text: str, evaluate: Evaluate) -> bool | None:
    """The truth value that ``text`` (true, false, 1, 0) is, or evaluates to; None otherwise."""
    plain = _BOOLEANS.get(text.strip().lower())
    if plain is not None:
        return plain
    value = evaluate(text)
    return bool(value) if isinstance(value, (bool, int, float)) else None


def to_list(text: str) -> list[str]:
    """The items of a list separated by commas or white space; empty ones do not count."""
    return text.replace(",", " ").split()


def to_size(text: str) -> tuple[int, bool] | None:
    """``10 Mb``, ``1000000`` or ``7 days``: (bytes, False) or (seconds, True); None when it is neither. Case counts
    in one letter: ``5 M`` are megabytes, ``5 m`` minutes."""
    bare = text.strip()
    unit = bare.lstrip("0123456789.")
    number = bare[: len(bare) - len(unit)]
    unit = "min" if unit.strip() == "m" else unit.strip().lower()  # M alone is mega
    if not number[:1].isdecimal() or number.count(".") > 1 or not (unit + "b").isalpha() or not unit.isascii():
        return None
    for name, seconds in _TIME_UNITS.items():
        if unit in (name, name + "s") and unit:
            return _whole(number, seconds), True
    if unit and unit[0] in _SIZE_UNITS and unit[1:] in ("", "b", "ib"):
        return _whole(number, _SIZE_UNITS[unit[0]]), False
    return (_whole(number, 1), False) if not unit else None


def _whole(number: str, unit: int) -> int:
    """So many units; no more than a number of an ad can be, however many digits there are."""
    value = float(number) * unit
    return int(value) if value < LARGEST else LARGEST

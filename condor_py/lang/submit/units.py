"""Numbers and truth values as submit commands write them."""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.lines import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable


@cache
def _size() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*([+-]?\d+)?(?:\.(\d*))?\s*(?:([kKmMgGtT])[bB]?)?\s*")


#: No number is written with more characters.
_LONGEST = 400
_FACTOR = {"": 0, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_size(text: str, base: int, separators: str = "") -> tuple[int, str, str] | None:
    """(size in units of ``base`` bytes rounded up, unit letter or "", rest after a separator), or None.

    ``base`` is also the unit of a number without letter: 1024 for KB, 1048576 for MB. With ``separators`` the
    number may be followed by one of them; the rest starts with it.
    """
    if text.isdecimal() and len(text) <= _LONGEST:  # what nearly all are
        return _quotient(int(text) * base + base - 1, base), "", ""
    first = text.lstrip()[:1]
    if not (first.isdecimal() or first in "+-."):  # an expression: condor_submit starts without patterns
        return None
    match = _size().match(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    whole, fraction, unit = match[1], match[2], (match[3] or "")
    if whole is None and fraction is None:
        return None
    rest = text[match.end() :]
    if rest and not (separators and rest[0] in separators):
        return None
    factor = _FACTOR[unit.lower()] or base
    tail = 0.0
    for position, digit in enumerate((fraction or "")[:3], 1):
        tail += int(digit) / 10**position
    number = int(whole or 0)
    size = number * factor + base - 1 if tail == 0 else int((number + tail) * factor + base - 1)
    return _quotient(size, base), unit, rest


def _quotient(value: int, base: int) -> int:
    return value // base if value >= 0 else -(-value // base)


def parse_int(text: str, evaluate: Callable[[str], object]) -> int | None:
    """Return the integer that a command's value is or evaluates to; None without one."""
    bare = text.strip(SPACE)
    if bare.isascii() and (bare[1:] if bare.startswith(("+", "-")) else bare).isdecimal():
        return int(bare) if len(bare) <= _LONGEST else None
    value = evaluate(text)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value - value == 0.0 else None


def parse_bool(text: str, evaluate: Callable[[str], object]) -> bool | None:
    """Return the truth value that a command's value is or evaluates to; None without one."""
    word = text.strip().lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    value = evaluate(text)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value != 0
    return None

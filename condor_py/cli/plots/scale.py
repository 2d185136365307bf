"""Positions of the marks of an axis, and the texts of numbers, spans and moments."""

from __future__ import annotations

import math
import time

MINUTE, HOUR, DAY = 60, 3600, 86400
_STEPS = (1, 5, 10, 30, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
          DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 182 * DAY, 364 * DAY, 1820 * DAY)  # fmt: skip
_MOST_MARKS = 100


def marks(top: float, about: int = 4) -> list[float]:
    """Round numbers from 0 to ``top`` or a little more, about that many steps."""
    if not 0 < top < math.inf:
        return [0.0, 1.0]
    raw = top / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * (1 - 1e-9))
    count = math.ceil(top / step - 1e-9)
    return [round(step * number, 12) for number in range(count + 1)]


def time_marks(top: float) -> list[float]:
    """The same for seconds: steps are round on a clock."""
    if not 0 < top < math.inf:
        return [0.0, 1.0]
    step = next((one for one in _STEPS if top / one <= 4), 0) or marks(top / DAY)[1] * DAY
    return [float(step * index) for index in range(math.ceil(top / step - 1e-9) + 1)]


def number(value: float) -> str:
    """A figure with three significant digits at least: 0.123, 12.3, 1,230."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "-"
    size = abs(value)
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else min(6, 2 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def span(seconds: float) -> str:
    """A length of time in two units: 45 s, 3 min 20 s, 2 h 5 min, 4 d 3 h."""
    whole = max(0, round(seconds))
    for unit, size, lower, part in ("d", DAY, "h", HOUR), ("h", HOUR, "min", MINUTE), ("min", MINUTE, "s", 1):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {lower}" if rest else "")
    return f"{whole} s"


def moment(when: float) -> str:
    """Local time to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))


def moments(begin: float, end: float, most: int = 6) -> list[tuple[float, str]]:
    """Round local times between two moments, at most that many, with what is written below them."""
    length = max(1.0, end - begin)
    step = next((one for one in _STEPS if length / one <= most), _STEPS[-1])
    offset = time.localtime(begin).tm_gmtoff
    first = math.ceil((begin + offset) / step) * step - offset
    count = min(_MOST_MARKS, int((end - first) // step) + 1)
    text = "%H:%M:%S" if step < MINUTE else "%H:%M" if length <= DAY else "%m-%d %H:%M" if step < DAY else "%Y-%m-%d"
    return [(at, time.strftime(text, time.localtime(at))) for at in (first + step * number for number in range(count))]


def bin_width(begin: float, end: float, most: int) -> int:
    """The least round width, in seconds, with which ``most`` bins cover a stretch."""
    return next((one for one in _STEPS if (end - begin) / one <= most), _STEPS[-1])

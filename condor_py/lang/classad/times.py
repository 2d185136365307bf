"""Absolute and relative times: reading and writing their text.

An absolute time is written ``YYYY-MM-DDThh:mm:ss±hh:mm``; reading takes the digits wherever they stand, so
``2024`` and ``20240102 030405Z`` are times too. A relative time is written ``[-]D+hh:mm:ss[.mmm]``.
"""

from __future__ import annotations

import time
from functools import cache

from condor_py.lang.classad.values import AbsTime, RelTime
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


@cache
def _zone() -> re.Pattern[str]:
    import re

    return re.compile(r"([+-])([0-9]{2})([0-9]{2})\Z")


@cache
def _colon_zone() -> re.Pattern[str]:
    import re

    return re.compile(r"[+-].{2}:.{2}\Z", re.S)


_SPACES = " \t\n\v\f\r"
_DIGITS = "0123456789"


def local_offset(secs: int) -> int:
    """Seconds east of UTC in the local time zone at the moment ``secs``."""
    return time.localtime(secs).tm_gmtoff


def parse_abs_time(text: str) -> AbsTime | None:
    """The moment that ``text`` names; without a zone it is local time. None when it is no time."""
    body, offset = _split_zone(text)
    fields = _fields(body)
    if fields is None:
        return None
    year, month, day, hour, minute, second = fields
    try:
        secs = int(time.mktime((year, month, day, hour, minute, second, 0, 0, 0)))
    except (OverflowError, ValueError):
        return None
    if secs == -1:
        return None
    if offset is None:
        offset = local_offset(secs)
    if offset == -1:
        return None
    shown = time.localtime(secs)
    secs += shown.tm_gmtoff - (3600 if shown.tm_isdst > 0 else 0) - offset
    return AbsTime(secs, offset)


def _split_zone(text: str) -> tuple[str, int | None]:
    """``text`` without its zone, and the zone in seconds east of UTC (None without one)."""
    bare = text.rstrip(_SPACES)
    if len(bare) > 1 and bare[-1] in "zZ":
        return bare[:-1] + text[len(bare) :], 0
    if _colon_zone().search(text) and len(text) > 6:
        text = text[:-3] + text[-2:]
    match = _zone().search(text) if len(text) > 5 else None
    if match is None:
        return text, None
    sign = -1 if match[1] == "-" else 1
    return text[: match.start()], sign * (int(match[2]) * 3600 + int(match[3]) * 60)


def _fields(body: str) -> tuple[int, int, int, int, int, int] | None:
    """Year, month, day, hour, minute, second; what is missing is 0 (and January)."""
    import re

    match = re.search(r"[0-9]", body)
    if match is None or match.start() > len(body) - 4:
        return None
    pos = match.start()
    values = [_atoi(body[pos : pos + 4])]
    pos += 4
    for _ in range(5):
        while pos < len(body) and not _is_digit(body[pos]):
            pos += 1
        if pos > len(body) - 2:
            values.append(-1)
            continue
        values.append(_atoi(body[pos : pos + 2]))
        pos += 2
    while pos < len(body) and not _is_digit(body[pos]):
        pos += 1
    if pos < len(body):
        return None
    year, month, day, hour, minute, second = values
    return (year, month if month >= 0 else 1, max(day, 0), max(hour, 0), max(minute, 0), max(second, 0))


def _is_digit(char: str) -> bool:
    return "0" <= char <= "9"


def _atoi(text: str) -> int:
    import re

    match = re.match(r"[0-9]+", text)
    return int(match.group()) if match else 0


def parse_rel_time(text: str) -> RelTime | None:
    """The duration ``[-][[[days+]hh:]mm:]ss`` (or with the letters d, h, m, s); None when it is not valid.

    Read from the back, part by part, so every part may be missing.
    """
    rest = text.rstrip(_SPACES)
    secs = 0.0
    if rest and (rest[-1] in "sS" or _is_digit(rest[-1])):
        if rest[-1] in "sS":
            rest = rest[:-1].rstrip(_SPACES)
        rest, number = _take(rest, point=True)
        secs = float(number) if number.strip(".") else 0.0
    whole = 0
    for marks, unit in (("mM:", 60), ("hH:", 3600), ("dD+", 86400)):
        rest = rest.rstrip(_SPACES)
        if rest and rest[-1] in marks:
            rest, number = _take(rest[:-1].rstrip(_SPACES))
            whole += _small(number) * unit
    rest = rest.rstrip(_SPACES)
    negative = rest.endswith("-")
    if negative:
        rest = rest[:-1].rstrip(_SPACES)
    if rest:
        return None
    return RelTime(-(whole + secs) if negative else whole + secs)


def _take(text: str, *, point: bool = False) -> tuple[str, str]:
    """``text`` without the number at its end, and that number, which may have a ``point``.

    Not by a pattern: to find the end, that would try every digit of the text.
    """
    rest = text.rstrip(_DIGITS)
    if point and rest.endswith("."):
        rest = rest[:-1].rstrip(_DIGITS)
    return rest, text[len(rest) :]


def _small(digits: str) -> int:
    """A 32-bit number; what does not fit counts as 0."""
    number = as_integer(digits) if digits else 0
    return number if number < 1 << 31 else 0


def format_abs_time(moment: AbsTime) -> str:
    """``YYYY-MM-DDThh:mm:ss±hh:mm`` in the moment's own zone."""
    zone = abs(moment.offset)
    shown = time.gmtime(moment.secs + moment.offset)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", shown)
    return f"{stamp}{'+' if moment.offset > 0 else '-'}{zone // 3600:02d}:{zone // 60 % 60:02d}"


def format_rel_time(secs: float) -> str:
    """``[-]D+hh:mm:ss`` without the leading parts that are zero."""
    sign = "-" if secs < 0 else ""
    secs = abs(secs)
    whole = int(secs)
    fraction = secs - whole
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    mins, rest = divmod(rest, 60)
    last = f"{rest:02d}" if fraction == 0 else f"{rest + fraction:g}".rjust(2, "0")
    if days:
        return f"{sign}{days}+{hours:02d}:{mins:02d}:{last}"
    if hours:
        return f"{sign}{hours:02d}:{mins:02d}:{last}"
    if mins:
        return f"{sign}{mins:02d}:{last}"
    return sign + last

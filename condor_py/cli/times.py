"""Moments and stretches of time as a user writes them on a command line."""

from __future__ import annotations

import math
import re
import time
from typing import NamedTuple

from condor_py.model.errors import CondorError

_UNITS = {"s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 604800,
          "week": 604800}  # fmt: skip
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+?)s?\Z")
_DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d))?)?\Z")
_CLOCK = re.compile(r"(\d\d?):(\d\d)(?::(\d\d))?\Z")
_MONTH = 30 * 86400
#: The end of the year 9999, Unix seconds.
LAST = 253_402_300_799
HINT = "write a day (2026-11-21), a time (2026-11-21T18:00 or 18:00), yesterday, 2h, 3d, or Unix seconds"


class Period(NamedTuple):
    """From ``since`` to ``until``, which is not part of it; Unix seconds."""

    since: int
    until: int


def length(text: str) -> int | None:
    """Seconds of ``90s``, ``2h``, ``3 days``, ``week``, ``month``; None for what is no length."""
    word = text.strip().lower()
    if word == "month":
        return _MONTH
    if word in ("hour", "day", "week"):
        return _UNITS[word]
    match = _LENGTH.match(word)
    if match is None:
        return None
    seconds = float(match[1]) * (_MONTH if match[2] == "month" else _UNITS.get(match[2], math.inf))
    return int(seconds) if math.isfinite(seconds) else None


def midnight(when: float, days: int = 0) -> int:
    """The local midnight before ``when``, or so many days later (earlier below 0)."""
    local = time.localtime(when)
    return int(time.mktime((local.tm_year, local.tm_mon, local.tm_mday + days, 0, 0, 0, 0, 0, -1)))


def moment(text: str, now: int) -> int | None:
    """Unix seconds of a moment (see HINT); a length is so long ago. None for what is no moment."""
    word = text.strip().lower()
    if word in ("now", "today", "yesterday"):
        return {"now": now, "today": midnight(now), "yesterday": midnight(now, -1)}[word]
    if word.isascii() and word.isdigit() and len(word) > 7:
        return int(word) if len(word) < 13 and int(word) <= LAST else None
    if match := _DATE.match(text.strip().upper()):
        parts = [int(part or 0) for part in match.groups()]
        return _local(*parts)
    if match := _CLOCK.match(word):
        hour, minute, second = (int(part or 0) for part in match.groups())
        today = time.localtime(midnight(now))
        found = _local(today.tm_year, today.tm_mon, today.tm_mday, hour, minute, second)
        return found if found is None or found <= now else found - 86400  # last night's
    ago = length(word)
    return None if ago is None else max(0, now - ago)


def _local(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    if not (year >= 1970 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60):
        return None
    try:
        when = time.mktime((year, month, day, hour, minute, second, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
    if time.localtime(when)[:3] != (year, month, day):
        return None  # the 31st of a short month
    return int(when)


def period(tool: str, since: str | None, until: str | None, last: str | None, now: int, dash: str = "-") -> Period:
    """The stretch that -since, -until and -last ask for; the last week without them. CondorError names the option, with
    ``dash`` before its name."""
    if last is not None and (since is not None or until is not None):
        raise CondorError(f"{tool}: {dash}last cannot be used with {dash}since or {dash}until")
    # What has ended in this second counts.
    if last is not None:
        seconds = length(last)
        if not seconds:
            raise CondorError(f"{tool}: {dash}last {last}: write day, week, month, or a length such as 12h or 3d")
        return Period(max(0, now + 1 - seconds), now + 1)
    end = now + 1 if until is None else _asked(f"{tool}: {dash}until", until, now)
    begin = end - _UNITS["week"] if since is None else _asked(f"{tool}: {dash}since", since, now)
    if begin >= end:
        both = f"{dash}since and {dash}until"
        raise CondorError(f"{tool}: nothing lies between {both}: the first is not before the second")
    return Period(max(0, begin), end)


def _asked(option: str, text: str, now: int) -> int:
    found = moment(text, now)
    if found is None:
        raise CondorError(f"{option} {text}: {HINT}")
    return found

"""Functions on times. ``time()`` and its relatives read ``clock.now``; fields of a time are those of local time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import clock
from condor_py.lang.classad.functions import on_values
from condor_py.lang.classad.functions.types import to_integer
from condor_py.lang.classad.record import Binding, Record
from condor_py.lang.classad.times import local_offset
from condor_py.lang.classad.unparse import value_text
from condor_py.lang.classad.values import ERROR, UNDEFINED, AbsTime, RelTime, int32, moment, real_to_int32

if TYPE_CHECKING:
    from condor_py.lang.classad.functions import Function


def _epoch() -> int:
    return int(clock.now())


def now() -> Any:
    """time(): seconds since 1970-01-01 UTC."""
    return _epoch()


def current_time() -> Any:
    """currentTime(): the same as an absolute time in the local zone."""
    secs = _epoch()
    return AbsTime(secs, local_offset(secs))


def day_time() -> Any:
    """dayTime(): what has passed of the local day."""
    parts = time.localtime(_epoch())
    return RelTime(parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec)


def _field(absolute: Callable[[time.struct_time], int] | None, relative: Callable[[int], int] | None) -> Function:
    """A part of a time; error where that kind of time does not have it."""

    def call(value: Any) -> Any:
        if type(value) is AbsTime and absolute is not None:
            return absolute(time.localtime(value.secs))
        if type(value) is RelTime and relative is not None:
            secs = int(value.span)
            return relative(secs) if secs >= 0 else -relative(-secs)
        return ERROR

    return on_values(call, 1)


def split_time(value: Any) -> Any:
    """splitTime(t): an ad of the parts of a time or of seconds since the epoch."""
    if value is UNDEFINED:
        return UNDEFINED
    parts = _parts(value)
    if parts is None or isinstance(value, Record):
        return ERROR
    record = Record()
    for name, part in parts.items():
        record.put(Binding(name, value_text(part)))
    return record


def _parts(value: Any) -> dict[str, Any] | None:
    kind = type(value)
    try:
        if kind is int or kind is float:
            secs = value if kind is int else real_to_int32(value)
            return _absolute_parts(AbsTime(secs, local_offset(secs)))
        if kind is AbsTime:
            return _absolute_parts(value)
    except (OverflowError, OSError, ValueError):
        return None
    if kind is RelTime:
        return _relative_parts(value.span)
    return None


def _absolute_parts(moment: AbsTime) -> dict[str, Any]:
    parts = time.gmtime(moment.secs + moment.offset)
    return {
        "Type": "AbsoluteTime",
        "Year": parts.tm_year,
        "Month": parts.tm_mon,
        "Day": parts.tm_mday,
        "Hours": parts.tm_hour,
        "Minutes": parts.tm_min,
        "Seconds": parts.tm_sec,
        "Offset": moment.offset,
    }


def _relative_parts(secs: float) -> dict[str, Any]:
    """The sign goes to the largest part that is not 0."""
    whole = int(abs(secs))
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    seconds = rest + (abs(secs) - whole)
    if secs < 0:
        if days:
            days = -days
        elif hours:
            hours = -hours
        elif minutes:
            minutes = -minutes
        else:
            seconds = -seconds
    return {"Type": "RelativeTime", "Days": days, "Hours": hours, "Minutes": minutes, "Seconds": float(seconds)}


def format_time(value: Any = None, form: Any = "%c") -> Any:
    """formatTime([t[, form]]): strftime of a time, of seconds since the epoch, or of an ad as splitTime makes it."""
    if value is None:
        return time.strftime("%c", time.localtime(_epoch()))
    if type(value) is RelTime:
        return ERROR
    parts = _ad_parts(value) if isinstance(value, Record) else _parts(value)
    if parts is None or type(form) is not str:
        return ERROR
    year, month, day = parts.get("Year", 1900), parts.get("Month", 1), parts.get("Day", 0)
    weekday, yearday = _day_numbers(year, month, day)
    fields = (
        year, month, day, parts.get("Hours", 0), parts.get("Minutes", 0), parts.get("Seconds", 0),
        (weekday - 1) % 7, yearday + 1, 0,
    )  # fmt: skip
    try:
        return time.strftime(form, fields)
    except (ValueError, OverflowError):
        return ERROR


def _ad_parts(record: Record) -> dict[str, Any]:
    parts = {}
    for name in ("Year", "Month", "Day", "Hours", "Minutes", "Seconds"):
        binding = record.find(name.lower())
        if binding is not None and type(binding.value) is int:
            parts[name] = int32(binding.value)
    return parts


def _day_numbers(year: int, month: int, day: int) -> tuple[int, int]:
    """Day of the week (0 is Sunday) and of the year (0 is the first) in the Gregorian calendar."""
    fixed = _fixed(year, month, day)
    return fixed % 7, max(0, min(365, fixed - _fixed(year, 1, 1)))


def _fixed(year: int, month: int, day: int) -> int:
    before = year - 1
    correction = 0 if month <= 2 else (-1 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else -2)
    return 365 * before + before // 4 - before // 100 + before // 400 + (367 * month - 362) // 12 + correction + day


def absolute(value: Any = None, offset: Any = None) -> Any:
    """absTime(t[, offset]): seconds since the epoch as a time in the zone ``offset`` (default the local one).

    A string alone is read by the parser; one that is known only when evaluated, or that has an offset, is returned
    unchanged, as HTCondor does.
    """
    if value is None:
        return current_time()
    shift = _offset(offset)
    if shift is ERROR:
        return ERROR
    if value is UNDEFINED:
        return UNDEFINED
    kind = type(value)
    if kind is AbsTime or kind is str:
        return value
    if kind is int or kind is float:
        secs = int32(value) if kind is int else real_to_int32(value)
    elif kind is RelTime:
        secs = int(value.span)
    else:
        return ERROR
    made = moment(secs, 0 if shift is None else shift)
    return AbsTime(secs, local_offset(secs)) if shift is None and made is not ERROR else made


def _offset(offset: Any) -> Any:
    kind = type(offset)
    if kind is int:
        return int32(offset)
    if kind is float:
        return real_to_int32(offset)
    if kind is RelTime:
        return real_to_int32(offset.span)
    return None if offset is None else ERROR


def relative(value: Any, *others: Any) -> Any:
    """relTime(t): seconds as a duration. A string that is known only when evaluated gives 0, and a second argument is
    evaluated before it is refused, as in HTCondor."""
    if others:
        return ERROR
    kind = type(value)
    if value is UNDEFINED or kind is RelTime:
        return value
    if kind is int:
        return RelTime(int32(value))
    if kind is float:
        return RelTime(value)
    if kind is AbsTime:
        return RelTime(value.secs)
    return RelTime(0) if kind is str else ERROR


def interval(value: Any) -> Any:
    """interval(secs): ``D+hh:mm:ss`` without leading parts that are 0."""
    secs = to_integer(value)
    if type(secs) is not int:
        return ERROR
    secs = int32(secs)
    whole = abs(secs)
    sign = "-" if secs < 0 else ""
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    if days:
        return f"{sign}{days}+{hours:02d}:{minutes:02d}:{rest:02d}"
    if hours:
        return f"{sign}{hours}:{minutes:02d}:{rest:02d}"
    if minutes:
        return f"{sign}{minutes}:{rest:02d}"
    return f"{sign}{rest}"


FUNCTIONS: dict[str, Function] = {
    "time": on_values(now, 0),
    "currenttime": on_values(current_time, 0),
    "timezoneoffset": on_values(lambda: RelTime(local_offset(_epoch())), 0),
    "daytime": on_values(day_time, 0),
    "getyear": _field(lambda t: t.tm_year, None),
    "getmonth": _field(lambda t: t.tm_mon, None),
    "getdayofyear": _field(lambda t: t.tm_yday - 1, None),
    "getdayofmonth": _field(lambda t: t.tm_mday, None),
    "getdayofweek": _field(lambda t: (t.tm_wday + 1) % 7, None),
    "getdays": _field(None, lambda secs: secs // 86400),
    "gethours": _field(lambda t: t.tm_hour, lambda secs: secs % 86400 // 3600),
    "getminutes": _field(lambda t: t.tm_min, lambda secs: secs % 3600 // 60),
    "getseconds": _field(lambda t: t.tm_sec, lambda secs: secs % 60),
    "splittime": on_values(split_time, 1),
    "formattime": on_values(format_time, 0, 2),
    "abstime": on_values(absolute, 0, 2),
    "reltime": on_values(relative, 1, 2),
    "interval": on_values(interval, 1),
}

"""Functions on times. ``time()`` and its relatives read ``clock.now``; fields of a time are those of local time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import clock, evaluate
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.functions import charge_result, costly, on_values
from condor_py.lang.classad.functions.types import to_integer
from condor_py.lang.classad.record import Binding, Record
from condor_py.lang.classad.times import local_offset
from condor_py.lang.classad.unparse import value_text
from condor_py.lang.classad.values import ERROR, UNDEFINED, AbsTime, RelTime, int32, moment, real_to_int32

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node


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


def format_time(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """formatTime([t[, form]]): strftime of a time, of seconds since the epoch, or of an ad as splitTime makes it."""
    if not fns:
        return time.strftime("%c", time.localtime(_epoch()))
    if len(fns) > 2:
        return ERROR
    value, form = fns[0](st), fns[1](st) if fns[1:] else "%c"
    if type(value) is RelTime:
        return ERROR
    parts = _ad_parts(st, value) if isinstance(value, Record) else _parts(value)
    if parts is None or type(form) is not str:
        return ERROR
    charge_result(st, len(form))
    return _formatted(form, *(parts.get(name, other) for name, other in _FIELDS))


#: The parts of a time that formatTime reads, and their values when an ad does not have them.
_FIELDS = {"Year": 1900, "Month": 1, "Day": 0, "Hours": 0, "Minutes": 0, "Seconds": 0}.items()
#: Integers in a ``struct tm``, with its padding, offset and name of the zone; characters of the longest result.
_TM_INTS, _LONGEST = 14, 1023


def _formatted(form: str, year: int, month: int, day: int, hours: int, minutes: int, seconds: int) -> Any:
    """The text that strftime of the C library makes: Python's refuses or changes day 0, month 13 and the like."""
    import ctypes

    weekday, yearday = _day_numbers(year, month, day)
    fields = (seconds, minutes, hours, day, month - 1, year - 1900, weekday, yearday)
    text = ctypes.create_string_buffer(_LONGEST + 2)
    strftime = ctypes.CDLL(None).strftime
    # With a character in front an empty result differs from one that is too long.
    given = b" " + form.encode("utf-8", "surrogateescape")
    if not strftime(text, ctypes.c_size_t(len(text)), given, (ctypes.c_int * _TM_INTS)(*fields)):
        return ERROR
    return text.value[1:].decode("utf-8", "surrogateescape")


def _ad_parts(st: State, record: Record) -> dict[str, Any]:
    parts = {}
    for name, _ in _FIELDS:
        binding = record.find(name.lower())
        value = None if binding is None else evaluate.node_value(st, binding.node, record)
        if type(value) is int:
            parts[name] = int32(value)
    return parts


def _day_numbers(year: int, month: int, day: int) -> tuple[int, int]:
    """Day of the week (0 is Sunday) and of the year (0 is the first) in the Gregorian calendar; before the year 1 those
    of HTCondor, whose divisions round towards 0."""
    fixed = _fixed(year, month, day)
    return int(math.fmod(fixed, 7)), fixed - _fixed(year, 1, 1)


def _fixed(year: int, month: int, day: int) -> int:
    before = year - 1
    correction = 0 if month <= 2 else (-1 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else -2)
    leap_days = int(before / 4) - int(before / 100) + int(before / 400)
    return int32(365 * before + leap_days + int((367 * month - 362) / 12) + correction + day)


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
        if kind is int and shift == -1:
            raise ClassAdEvaluationError("absTime() has no zone of -1 seconds")
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
    "splittime": costly(on_values(split_time, 1), 300),
    "formattime": costly(format_time, 300),
    "abstime": on_values(absolute, 0, 2),
    "reltime": on_values(relative, 1, 2),
    "interval": on_values(interval, 1),
}

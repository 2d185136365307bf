"""Pieces of event texts: time stamps, the table of resources."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from time import gmtime, localtime, mktime, struct_time
from typing import NamedTuple

#: So many tables are remembered.
_MOST_TABLES = 256


class FormatOptions(NamedTuple):
    """DEFAULT_USERLOG_FORMAT_OPTIONS or EVENT_LOG_FORMAT_OPTIONS: how time stamps look."""

    iso_date: bool = True
    utc: bool = False
    sub_second: bool = False

    @classmethod
    def parse(cls, text: str, default: FormatOptions | None = None) -> FormatOptions:
        """The options of a comma list (ISO_DATE, UTC, SUB_SECOND, LEGACY; ``!`` negates; unknown words are
        ignored)."""
        iso_date, utc, sub_second = default if default is not None else cls()
        for raw in text.replace(",", " ").split():
            word = raw.upper()
            on = not word.startswith("!")
            word = word.removeprefix("!")
            if word == "ISO_DATE":
                iso_date = on
            elif word == "UTC":
                utc = on
            elif word == "SUB_SECOND":
                sub_second = on
            elif word == "LEGACY" and on:
                iso_date = utc = sub_second = False
        return cls(iso_date, utc, sub_second)


@lru_cache(maxsize=64)
def _broken_down(second: int, utc: bool) -> struct_time:
    return gmtime(second) if utc else localtime(second)


def time_stamp(when: float, options: FormatOptions) -> str:
    """The time of an event in its head line."""
    return _stamp(int(when), _milliseconds(when) if options.sub_second else 0, options)


@lru_cache(maxsize=8)
def _stamp(second: int, milliseconds: int, options: FormatOptions) -> str:
    tm = _broken_down(second, options.utc)
    clock = f"{tm.tm_hour:02d}:{tm.tm_min:02d}:{tm.tm_sec:02d}"
    if options.sub_second:
        clock += f".{milliseconds:03d}"
    if options.utc:
        clock += "Z"
    date = f"{tm.tm_mon:02d}/{tm.tm_mday:02d}"
    if options.iso_date:
        date = f"{tm.tm_year:04d}-{tm.tm_mon:02d}-{tm.tm_mday:02d}"
    return f"{date} {clock}"


def unix_time(stamp: tuple[int, int, int, int, int, int], utc: bool) -> float:
    """Unix seconds of year, month, day, hour, minute and second, local time or ``utc``; 0 for a day that no calendar
    has."""
    if not utc:
        return mktime((*stamp, 0, 0, -1))
    from calendar import timegm

    try:
        return timegm(stamp)
    except ValueError:
        return 0.0


def iso_time(when: float, utc: bool) -> str:
    """The value of EventTime in an event's ad: milliseconds when there is a fraction."""
    tm = _broken_down(int(when), utc)
    text = f"{tm.tm_year:04d}-{tm.tm_mon:02d}-{tm.tm_mday:02d}T{tm.tm_hour:02d}:{tm.tm_min:02d}:{tm.tm_sec:02d}"
    if when != int(when):
        text += f".{_milliseconds(when):03d}"
    return text + "Z" if utc else text


def _milliseconds(when: float) -> int:
    return min(999, round((when - int(when)) * 1000))


def one_line(text: str) -> str:
    """``text`` as an event can hold it: newlines become bars, carriage returns spaces."""
    if "\n" in text or "\r" in text:
        return text.replace("\n", "|").replace("\r", " ")
    return text


def name_key(item: tuple[str, str]) -> str:
    """Sorts attributes by their names, which have no case."""
    return item[0].lower()


class _Row:
    """The values of one resource: texts of the four columns."""

    __slots__ = ("allocated", "assigned", "request", "usage")

    def __init__(self) -> None:
        self.usage = self.request = self.allocated = self.assigned = ""


#: Labels of resources that have a unit.
_UNITS = {
    "Memory": "Memory (MB)",
    "Disk": "Disk (KB)",
    "Gpus": "Gpus (Average)",
    "GpusMemory": "GpusMemory (MB)",
    "TimeExecute": "TimeExecute (s)",
    "TimeSlotBusy": "TimeSlotBusy (s)",
}


def resource_table(items: Iterable[tuple[str, str]]) -> str:
    """As ``_table``; that of the job before is often the same."""
    return _table(tuple(items))


@lru_cache(maxsize=_MOST_TABLES)
def _table(items: tuple[tuple[str, str], ...]) -> str:
    """The table of (name, ClassAd text): X is allocated, RequestX, XUsage or XAverageUsage, AssignedX;
    empty for none.

    Reals with a fraction have two digits; integers of a column that has such reals get three spaces behind.
    """
    rows: dict[str, tuple[str, _Row]] = {}  # by lower-case name: the spelling that came first, the row
    fractional: set[str] = set()
    for name, text in items:
        resource, column = _column_of(name)
        value, has_fraction = _cell(text)
        if not resource:
            continue
        _, row = rows.setdefault(resource.lower(), (resource, _Row()))
        setattr(row, column, value)
        if has_fraction:
            fractional.add(column)
    if not rows:
        return ""
    for column in fractional:
        for _, row in rows.values():
            if getattr(row, column).isdigit():
                setattr(row, column, getattr(row, column) + "   ")
    return _layout([rows[key] for key in sorted(rows)])


def _column_of(name: str) -> tuple[str, str]:
    if name.startswith("Request"):
        return name[7:], "request"
    if name.startswith("Assigned"):
        return name[8:], "assigned"
    if name.endswith("AverageUsage"):
        return name[:-12], "usage"
    if name.endswith("Usage"):
        return name[:-5], "usage"
    return name, "allocated"


def _cell(text: str) -> tuple[str, bool]:
    """Return the text in which a value is shown, and whether it has a fraction."""
    if any(c in text for c in ".eE"):
        try:
            number = float(text)
        except ValueError:
            return text, False
        if number % 1 > 0 and number > 0:
            return f"{number:.2f}", True
        if abs(number) < 1e18:
            return str(int(number)), False
    return text, False


def _layout(rows: list[tuple[str, _Row]]) -> str:
    name_width = max(12, *(len(name) for name, _ in rows)) + 8
    usage = max(8, *(len(row.usage) for _, row in rows))
    request = max(8, *(len(row.request) for _, row in rows))
    any_allocated = max(len(row.allocated) for _, row in rows)
    any_assigned = any(row.assigned for _, row in rows)
    allocated = max(9, any_allocated)
    head = "Allocated" if any_allocated else ""
    lines = [
        f"\tPartitionable Resources : {'Usage':>{usage}} {'Request':>{request}} {head:>{allocated}} "
        f"{'Assigned' if any_assigned else ''}\n"
    ]
    for name, row in rows:
        label = _UNITS.get(name, name)
        lines.append(
            f"\t   {label:<{name_width}} : {row.usage:>{usage}} {row.request:>{request}} "
            f"{row.allocated:>{allocated}} {row.assigned}\n"
        )
    return "".join(lines)

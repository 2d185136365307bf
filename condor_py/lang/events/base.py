"""The base class of events, and what their texts share: CPU times, the table of resources, the lines that are read.

Free text may have newlines, which a log cannot hold: ``one_line`` replaces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from condor_py.lang.classad import quote_string, value_text
from condor_py.model.event_types import JobEventType
from condor_py.model.texts import as_integer

#: The fields that all events have, by name.
Common = dict[str, Any]
#: Pairs of a name and ClassAd text.
Items = tuple[tuple[str, str], ...]
#: The same, as they are collected.
Attributes = list[tuple[str, str]]


class CpuUsage(NamedTuple):
    """CPU time in seconds; only whole seconds are written."""

    user: float = 0.0
    system: float = 0.0

    def __str__(self) -> str:
        return f"Usr {_duration(int(self.user))}, Sys {_duration(int(self.system))}"


#: No CPU time at all.
NO_CPU = CpuUsage()


@lru_cache(maxsize=4096)
def _duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    return f"{days} {hours:02d}:{rest // 60:02d}:{rest % 60:02d}"


@dataclass(slots=True, kw_only=True)
class JobEvent:
    """The fields that all events have. ``time`` is Unix seconds with fraction; proc -1 means the whole cluster.

    The class of each kind of event has in one place its number, its text (``body``), its ad (``attributes``), and the
    reader of its text (``read``). Methods of subclasses do what is written here.
    """

    number: ClassVar[JobEventType] = JobEventType.NONE
    my_type: ClassVar[str] = "FutureEvent"

    cluster: int
    proc: int
    time: float
    subproc: int = 0

    def body(self) -> str:
        """The text behind the time stamp, up to and without the line ``...``."""
        return "\n"

    def attributes(self) -> Attributes:
        """The attributes beyond those that every event has."""
        return []

    def structured_notes(self) -> Attributes:
        """StructuredNotes, where HTCondor's reader makes them of the notes of a submit event."""
        return []

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        """Return the event that ``lines``, written by ``body``, are of. A field that they lack has its default."""
        return cls(**common)


#: Characters of a text that a line of an event holds.
LONGEST = 8191


# pieces of texts


def one_line(text: str) -> str:
    """``text`` as an event can hold it: newlines become bars, carriage returns spaces."""
    if "\n" in text or "\r" in text:
        return text.replace("\n", "|").replace("\r", " ")
    return text


def name_key(item: tuple[str, str]) -> str:
    """Sorts attributes by their names, which have no case."""
    return item[0].lower()


def indented(prefix: str, *texts: str) -> str:
    """A line for each text that is not empty."""
    return "".join(f"{prefix}{one_line(text)[:LONGEST]}\n" for text in texts if text)


# pieces of ads


def boolean(value: bool) -> str:
    """A truth value as ClassAd text."""
    return "true" if value else "false"


def real(value: float) -> str:
    """A real as ClassAd text."""
    return value_text(float(value))


def string(name: str, value: str) -> Attributes:
    """An attribute that is there only when it says something."""
    return [(name, quote_string(one_line(value)))] if value else []


# the table of resources


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


@lru_cache(maxsize=256)
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


# reading


_USAGE = re.compile(r"Usr (\d+) (\d+):(\d+):(\d+), Sys (\d+) (\d+):(\d+):(\d+)  -  (.*)")
_BYTES = re.compile(r"\t(\d+(?:\.\d*)?|\.\d+)  -  (.*)")


class Lines:
    """The text of an event behind its stamp."""

    def __init__(self, text: str) -> None:
        first, _, rest = text.partition("\n")
        self.first = first
        self.rest = rest.split("\n")
        if self.rest[-1] == "":
            self.rest.pop()

    def after(self, prefix: str) -> str:
        """Return the text behind ``prefix`` on the first line."""
        return self.first[len(prefix) :] if self.first.startswith(prefix) else ""

    def line(self, at: int) -> str:
        """A line behind the first, without the spaces around it; empty when it is not there."""
        return self.rest[at].strip() if at < len(self.rest) else ""

    def match(self, pattern: str) -> re.Match[str] | None:
        """The first of the lines behind the first that the pattern is found in."""
        for line in self.rest:
            found = re.search(pattern, line)
            if found is not None:
                return found
        return None

    def number(self, pattern: str, default: int) -> int:
        """The number that a pattern's group finds."""
        found = self.match(pattern)
        return as_integer(found[1]) if found is not None else default

    def usage(self, label: str) -> CpuUsage:
        """The CPU times of the line that ends with ``label``."""
        for line in self.rest:
            found = _USAGE.search(line)
            if found is not None and found[9] == label:
                user, system = (
                    ((as_integer(found[at]) * 24 + as_integer(found[at + 1])) * 60 + as_integer(found[at + 2])) * 60
                    + as_integer(found[at + 3])
                    for at in (1, 5)
                )
                return CpuUsage(user, system)
        return NO_CPU

    def bytes(self, label: str) -> float:
        """The count of the line that ends with ``label``."""
        for line in self.rest:
            found = _BYTES.match(line)
            if found is not None and found[2] == label:
                return float(found[1])
        return 0.0

    def resources(self) -> Items:
        """The table of resources, back as attributes."""
        for at, line in enumerate(self.rest):
            if line.startswith("\tPartitionable Resources :"):
                return _table_items(line, self.rest[at + 1 :])
        return ()


def _table_items(head: str, rows: list[str]) -> Items:
    _, _, titles = head.partition(":")
    columns: dict[str, slice] = {}
    begin = 0
    for found in re.finditer(r"\S+", titles):
        if found[0] in _COLUMNS:
            columns.setdefault(found[0], slice(begin, None if found[0] == "Assigned" else found.end()))
        begin = found.end()
    items: list[tuple[str, str]] = []
    for row in rows:
        label, colon, cells = row.partition(" : ")
        if not colon:
            break
        cells = " " + cells
        name = label.strip().partition(" ")[0]
        if not name:
            continue
        for title, place in columns.items():
            if cell := cells[place].strip():
                items.append((_COLUMNS[title].format(name), cell))
    return tuple(items)


_COLUMNS = {"Usage": "{}Usage", "Request": "Request{}", "Allocated": "{}", "Assigned": "Assigned{}"}

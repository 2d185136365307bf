"""The use of a run over time, as one line of text: the starter makes it, the record of the run (EPOCH) keeps it.

::

    15 0.98 102.4 12; 30 1.00 130.0 12; 31 suspended; 60 0.00 130.0 -

A point has the seconds since the program was started, the cores in use since the point before it, and the megabytes
of resident memory and of disk (``-`` if unknown). A mark has the seconds and a word. There are at most MOST_POINTS
points: when they are too many, each two become one, and the next ones come half as often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: Attribute of the record of a run.
ATTRIBUTE = "UsageRecord"
#: A job has that many points and marks at most, and a text is never longer.
MOST_POINTS, MOST_MARKS, MOST_TEXT = 240, 40, 12_000
#: No figure is larger.
_MOST = 1e12
_SOUND = re.compile(r"[0-9a-z.; -]*")
_MB = 1024.0


class Point(NamedTuple):
    """Seconds since the program was started, cores, megabytes of memory and of disk (None: unknown)."""

    at: float
    cores: float
    memory: float
    disk: float | None

    def text(self) -> str:
        """Return the point as the line has it."""
        disk = "-" if self.disk is None else _figure(self.disk)
        return f"{round(self.at)} {self.cores:.2f} {_figure(self.memory)} {disk}"


class Mark(NamedTuple):
    """Something that happened, at so many seconds: ``suspended``, ``continued``, ``checkpoint``."""

    at: float
    word: str


class UsageRecord:
    """The points and marks of one run. ``interval``: seconds between two points, which grow with their number."""

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self.due = interval
        self._points: list[Point] = []
        self._marks: list[Mark] = []
        self._last, self._cpu = 0.0, 0.0

    def add(self, at: float, cpu: float, rss_kb: int, disk_kb: int | None) -> None:
        """Note the use at a moment: ``cpu`` are the seconds of processor time since the start."""
        passed = at - self._last
        if passed <= 0.0:
            return
        cores = max(0.0, cpu - self._cpu) / passed
        self._points.append(Point(at, cores, rss_kb / _MB, None if disk_kb is None else disk_kb / _MB))
        self._last, self._cpu = at, max(cpu, self._cpu)
        if len(self._points) >= MOST_POINTS:
            self._halve()
        self.due = at + self.interval

    def _halve(self) -> None:
        """Make one point of each two."""
        self.interval *= 2
        begin, halved = 0.0, []
        for first, second in zip(self._points[::2], self._points[1::2], strict=True):
            used = first.cores * (first.at - begin) + second.cores * (second.at - first.at)
            memory = max(first.memory, second.memory)
            halved.append(Point(second.at, used / (second.at - begin), memory, second.disk))
            begin = second.at
        self._points = halved

    def mark(self, at: float, word: str) -> None:
        """Note that something happened; of very many the first are kept."""
        if len(self._marks) < MOST_MARKS:
            self._marks.append(Mark(at, word))

    def text(self) -> str:
        """Return the line; "" without any point."""
        if not self._points:
            return ""
        parts = [(mark.at, f"{round(mark.at)} {mark.word}") for mark in self._marks]
        parts += [(point.at, point.text()) for point in self._points]
        return "; ".join(text for _, text in sorted(parts))


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def is_sound(text: str) -> bool:
    """Whether a text may be such a line: it is not too long, and has no other characters."""
    return 0 < len(text) <= MOST_TEXT and _SOUND.fullmatch(text) is not None


def read(text: str) -> tuple[list[Point], list[Mark]]:
    """Return points and marks of a line, in the order of time; what is neither is left out."""
    points: list[Point] = []
    marks: list[Mark] = []
    for words in _parts(text):
        at = _number(words[0])
        if at is None:
            continue
        if len(words) == 2 and words[1].isalpha():
            marks.append(Mark(at, words[1]))
        elif len(words) == 4:
            cores, memory = _number(words[1]), _number(words[2])
            if cores is not None and memory is not None:
                points.append(Point(at, cores, memory, _number(words[3])))
    return sorted(points, key=lambda point: point.at), sorted(marks)


def _parts(text: str) -> Iterator[list[str]]:
    for part in text[:MOST_TEXT].split(";")[: MOST_POINTS + MOST_MARKS]:
        if words := part.split():
            yield words


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0.0 <= number < _MOST else None

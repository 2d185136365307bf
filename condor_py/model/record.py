"""One record of a ClassAd log, as cores produce it and the store writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from condor_py.model.ids import JobId

NEW_AD = 101
DESTROY_AD = 102
SET = 103
DELETE = 104


class Change(NamedTuple):
    """101: name is MyType, value TargetType. 102: key only. 103: value is expression text. 104: no value.

    107: key is the number of the rewrite, name the word CreationTimestamp, value the birth date. An op of a later
    HTCondor has its body in ``value`` alone.
    """

    op: int
    key: str
    name: str = ""
    value: str = ""


class Alike(NamedTuple):
    """The same changes of many jobs, as one record: all 103 and 104 of ``changes``, whose keys are empty, for the first
    of ``jobs``, then for the next. ``applied``: the image has them already, and nobody has written since."""

    jobs: tuple[JobId, ...]
    changes: tuple[Change, ...]
    applied: bool = False

    @property
    def keys(self) -> list[str]:
        """The keys of the jobs."""
        return [f"{cluster}.{proc}" for cluster, proc in self.jobs]

    def each(self) -> Iterator[Change]:
        """What it stands for."""
        for key in self.keys:
            for op, _, name, value in self.changes:
                yield Change(op, key, name, value)


class Gone(NamedTuple):
    """Jobs that leave the queue, as one record: their 102."""

    jobs: tuple[JobId, ...]

    def each(self) -> Iterator[Change]:
        """What it stands for."""
        for cluster, proc in self.jobs:
            yield Change(DESTROY_AD, f"{cluster}.{proc}")


class NewJobs(NamedTuple):
    """Jobs that nobody had before, by cluster, as one record. ``lines``: what the log says of them and of what comes
    with them, between its marks; empty where the log has that, and the image."""

    jobs: tuple[tuple[int, tuple[int, ...]], ...]
    lines: bytes = b""

    @property
    def number(self) -> int:
        """How many they are."""
        return sum([len(procs) for _, procs in self.jobs])

    def each(self) -> Iterator[Change]:
        """The records that make their ads, without those of their attributes."""
        for cluster, procs in self.jobs:
            for proc in procs:
                yield Change(NEW_AD, f"{cluster}.{proc}", "Job", "Machine")


#: What transactions are made of.
Entry = Change | Alike | Gone | NewJobs


def anew(entries: Iterable[Entry]) -> list[Entry]:
    """``entries`` that could not be written: others may have changed the image when they are, and it gets them anew."""
    return [entry._replace(applied=False) if type(entry) is Alike else entry for entry in entries]


def one_by_one(entries: Iterable[Entry]) -> Iterator[Change]:
    """The records that ``entries`` stand for; of new jobs those that make their ads."""
    for entry in entries:
        if isinstance(entry, Change):
            yield entry
        else:
            yield from entry.each()


_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_IN_A_LINE = re.compile("[\\0\\n\ud800-\udc7f\udd00-\udfff]")


def is_attribute_name(name: str) -> bool:
    """Whether a log, and whoever reads ads as lines, can hold an attribute of this name."""
    return _ATTRIBUTE.fullmatch(name) is not None


def is_one_line(text: str) -> bool:
    """Whether a log can hold ``text`` as a value: no newline, no zero byte, nothing that is no character (bytes that
    are no UTF-8 travel as U+DC80 to U+DCFF)."""
    if text.isascii():
        return "\n" not in text and "\0" not in text
    return _NOT_IN_A_LINE.search(text) is None

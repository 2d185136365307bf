"""One record of a ClassAd log, as cores produce it and the store writes it."""

from __future__ import annotations

from functools import cache

from condor_py.model.copies import changed
from condor_py.model.ids import JobId

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

NEW_AD = 101
DESTROY_AD = 102
SET = 103
DELETE = 104


_new = tuple.__new__


class Change(tuple[int, str, str, str]):
    """101: name is MyType, value TargetType. 102: key only. 103: value is expression text. 104: no value.

    107: key is the number of the rewrite, name the word CreationTimestamp, value the birth date. An op of a later
    HTCondor has its body in ``value`` alone.
    """

    __slots__ = ()

    def __new__(cls, op: int, key: str, name: str = "", value: str = "") -> Change:
        return _new(cls, (op, key, name, value))

    @property
    def op(self) -> int:
        """Its number in the log."""
        return self[0]

    @property
    def key(self) -> str:
        """The ad that it changes."""
        return self[1]

    @property
    def name(self) -> str:
        """The attribute."""
        return self[2]

    @property
    def value(self) -> str:
        """The text of the expression."""
        return self[3]

    def of(self, key: str) -> Change:
        """Return the same change of another ad."""
        return _new(Change, (self[0], key, self[2], self[3]))

    def __repr__(self) -> str:
        return f"Change(op={self[0]!r}, key={self[1]!r}, name={self[2]!r}, value={self[3]!r})"

    def __getnewargs__(self) -> tuple[int, str, str, str]:
        return self[0], self[1], self[2], self[3]


class Alike:
    """The same changes of many jobs, as one record: all 103 and 104 of ``changes``, whose keys are empty, for the first
    of ``jobs``, then for the next. ``applied``: the image has them already, and nothing was written since."""

    __slots__ = ("applied", "changes", "jobs")

    def __init__(self, jobs: tuple[JobId, ...], changes: tuple[Change, ...], applied: bool = False) -> None:
        self.jobs = jobs
        self.changes = changes
        self.applied = applied

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike) and (self.jobs, self.changes, self.applied) == (
            other.jobs,
            other.changes,
            other.applied,
        )

    def __repr__(self) -> str:
        return f"Alike({self.jobs!r}, {self.changes!r}, {self.applied!r})"

    @property
    def keys(self) -> list[str]:
        """The keys of the jobs."""
        return [f"{cluster}.{proc}" for cluster, proc in self.jobs]

    def each(self) -> Iterator[Change]:
        """Yield the changes, one by one."""
        for key in self.keys:
            for op, _, name, value in self.changes:
                yield Change(op, key, name, value)


class Gone:
    """Jobs that leave the queue, as one record: their 102."""

    __slots__ = ("jobs",)

    def __init__(self, jobs: tuple[JobId, ...]) -> None:
        self.jobs = jobs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gone) and self.jobs == other.jobs

    def __repr__(self) -> str:
        return f"Gone({self.jobs!r})"

    def each(self) -> Iterator[Change]:
        """Yield the changes, one by one."""
        for cluster, proc in self.jobs:
            yield Change(DESTROY_AD, f"{cluster}.{proc}")


class NewJobs:
    """New jobs, by cluster, as one record. ``lines``: what the log says of them and of what comes
    with them, between its marks; empty where the log has that, and the image."""

    __slots__ = ("jobs", "lines")

    def __init__(self, jobs: tuple[tuple[int, tuple[int, ...]], ...], lines: bytes = b"") -> None:
        self.jobs = jobs
        self.lines = lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NewJobs) and (self.jobs, self.lines) == (other.jobs, other.lines)

    def __repr__(self) -> str:
        return f"NewJobs({self.jobs!r}, {self.lines!r})"

    @property
    def number(self) -> int:
        """Return the number of jobs."""
        return sum([len(procs) for _, procs in self.jobs])

    def each(self) -> Iterator[Change]:
        """The records that make their ads, without those of their attributes."""
        for cluster, procs in self.jobs:
            for proc in procs:
                yield Change(NEW_AD, f"{cluster}.{proc}", "Job", "Machine")


#: What transactions are made of.
Entry = Change | Alike | Gone | NewJobs


def anew(entries: Iterable[Entry]) -> list[Entry]:
    """``entries`` that could not be written: others may have changed the image since, and it gets them again."""
    return [changed(entry, applied=False) if type(entry) is Alike else entry for entry in entries]


def one_by_one(entries: Iterable[Entry]) -> Iterator[Change]:
    """The records that ``entries`` represent; of new jobs those that make their ads."""
    for entry in entries:
        if isinstance(entry, Change):
            yield entry
        else:
            yield from entry.each()


@cache
def _attribute() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@cache
def _not_in_a_line() -> re.Pattern[str]:
    import re

    return re.compile("[\\0\\n\ud800-\udc7f\udd00-\udfff]")


def is_attribute_name(name: str) -> bool:
    """Whether a log, and a reader of ads as lines, can hold an attribute of this name."""
    return _attribute().fullmatch(name) is not None


def is_one_line(text: str) -> bool:
    """Whether a log can hold ``text`` as a value: no newline, no zero byte, nothing that is no character (bytes that
    are no UTF-8 travel as U+DC80 to U+DCFF)."""
    if text.isascii():
        return "\n" not in text and "\0" not in text
    return _not_in_a_line().search(text) is None

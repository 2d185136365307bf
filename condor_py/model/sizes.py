"""Sizes that like jobs had, summed up in little room, and the requests that follow from them. Pure.

What is kept of like jobs is a *sketch*: counts by size, sixteen steps a doubling, so that a quantile is known to 4.5 %
from above. Old jobs count less and less: when a sketch is full, all its counts are halved. A request goes up at once,
and down only where that saves a fifth, so that jobs that wait seldom change what they ask for.

Sizes are kilobytes; requests of memory are megabytes and those of disk kilobytes, as in job ads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from condor_py.model.settings.sizing import AutoRequests

#: Steps of a sketch for each doubling, and how many jobs it counts before all counts are halved.
_STEPS, _FULL = 16, 512
#: The largest size, in kilobytes; what is larger counts as this.
_LARGEST = 1 << 50
_LAST = 50 * _STEPS
#: Kinds of jobs that are kept; the one that ended least recently leaves first.
MOST_KINDS = 1000
#: Characters of a name that are kept.
_LONGEST = 1000
#: A smaller request is taken only below this part of the present one.
_MUCH_LESS = 0.8
#: Slots have memory in steps of so many megabytes, and disk in steps of so many kilobytes, unless the pool says
#: otherwise (MODIFY_REQUEST_EXPR_REQUESTMEMORY, MODIFY_REQUEST_EXPR_REQUESTDISK).
MEMORY_STEP, DISK_STEP = 128, 1024


class Like(NamedTuple):
    """The properties in which like jobs agree."""

    owner: str
    program: str
    batch: str = ""


class Size(NamedTuple):
    """The most that a job had, in kilobytes; 0 for what was not measured."""

    memory: int
    disk: int


class Requests(NamedTuple):
    """Requests that do for like jobs (megabytes and kilobytes, 0 for none), and the number of jobs that showed it."""

    memory: int
    disk: int
    jobs: int


def memory_request(kilobytes: float, headroom: float) -> int:
    """Megabytes to ask for where jobs have had so much."""
    return _rounded_up(kilobytes / 1024 * headroom, MEMORY_STEP)


def disk_request(kilobytes: float, headroom: float) -> int:
    """Kilobytes to ask for where jobs have had so much."""
    return _rounded_up(kilobytes * headroom, DISK_STEP)


def _rounded_up(amount: float, step: int) -> int:
    return max(1, math.ceil(amount / step)) * step


class Sketch:
    """Sizes by their logarithm."""

    __slots__ = ("counts", "total")

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts: dict[int, int] = dict(counts or {})
        self.total = sum(self.counts.values())

    def add(self, kilobytes: float) -> None:
        """One more job."""
        step = math.ceil(math.log2(min(max(kilobytes, 1.0), _LARGEST)) * _STEPS)
        self.counts[step] = self.counts.get(step, 0) + 1
        self.total += 1
        if self.total >= _FULL:
            self.counts = {step: count // 2 for step, count in self.counts.items() if count > 1}
            self.total = sum(self.counts.values())

    def quantile(self, part: float) -> float:
        """The size in kilobytes that this part of the jobs did not exceed; 0 without jobs."""
        left = math.ceil(self.total * part)
        for step in sorted(self.counts):
            left -= self.counts[step]
            if left <= 0:
                return float(2.0 ** (step / _STEPS))
        return 0.0


@dataclass(slots=True)
class _Kind:
    """Jobs of one kind, and what they ask for now."""

    memory: Sketch = field(default_factory=Sketch)
    disk: Sketch = field(default_factory=Sketch)
    asked: Requests | None = None

    def follow(self, rule: AutoRequests) -> bool:
        """Whether other requests do now than before."""
        before = self.asked
        jobs = max(self.memory.total, self.disk.total)
        if jobs < rule.jobs:
            self.asked = None
            return before is not None
        memory, disk = self.memory.quantile(rule.quantile), self.disk.quantile(rule.quantile)
        wanted = Requests(
            memory_request(memory, rule.headroom) if memory else 0,
            disk_request(disk, rule.headroom) if disk else 0,
            jobs,
        )
        if before is not None and _stays(before.memory, wanted.memory) and _stays(before.disk, wanted.disk):
            return False
        self.asked = wanted
        return True


def _stays(before: int, wanted: int) -> bool:
    return _MUCH_LESS * before <= wanted <= before


class Sizes:
    """The sizes of all kinds of jobs, those of a batch and those of all batches of a program."""

    def __init__(self, rule: AutoRequests) -> None:
        self._rule = rule
        self._kinds: dict[Like, _Kind] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def configure(self, rule: AutoRequests) -> None:
        """Follow another rule."""
        self._rule = rule
        for kind in self._kinds.values():
            kind.asked = None
            kind.follow(rule)

    def learn(self, like: Like, size: Size) -> bool:
        """A job has ended; whether others ask for something else now."""
        changed = False
        for key in _keys(like):
            kind = self._kinds.pop(key, None) or _Kind()
            self._kinds[key] = kind  # behind all others
            if size.memory > 0:
                kind.memory.add(size.memory)
            if size.disk > 0:
                kind.disk.add(size.disk)
            changed |= kind.follow(self._rule)
        while len(self._kinds) > MOST_KINDS:
            del self._kinds[next(iter(self._kinds))]
        return changed

    def asked(self, like: Like) -> Requests | None:
        """Return the requests of such a job, by its batch, else by its program; None where too few have ended."""
        found = (self._kinds.get(key) for key in _keys(like))
        return next((kind.asked for kind in found if kind is not None and kind.asked is not None), None)

    # -- as values of JSON -------------------------------------------------------------------------

    def saved(self) -> list[Any]:
        """All of it as values of JSON, that which ended least recently first."""
        return [
            [*like, sorted(kind.memory.counts.items()), sorted(kind.disk.counts.items())]
            for like, kind in self._kinds.items()
        ]

    def restore(self, saved: Iterable[Any]) -> None:
        """Take back what ``saved`` has given. ValueError for anything else."""
        kinds: dict[Like, _Kind] = {}
        for entry in saved:
            if not isinstance(entry, list) or len(entry) != len(Like._fields) + 2:
                raise ValueError("a kind of jobs has five parts")
            *names, memory, disk = entry
            if not all(isinstance(name, str) and len(name) <= _LONGEST for name in names):
                raise ValueError("names are texts")
            kind = kinds[Like(*names)] = _Kind(Sketch(_counts(memory)), Sketch(_counts(disk)))
            kind.follow(self._rule)
        self._kinds = dict(list(kinds.items())[-MOST_KINDS:])


def _keys(like: Like) -> Iterator[Like]:
    """The kinds that a job is of: its batch, if it has a name, and its program."""
    owner, program, batch = (part[:_LONGEST] for part in like)
    if batch:
        yield Like(owner, program, batch)
    yield Like(owner, program)


def _counts(saved: Any) -> dict[int, int]:
    if not isinstance(saved, list):
        raise ValueError("counts are a list")
    counts: dict[int, int] = {}
    for pair in saved:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(number) is int for number in pair):
            raise ValueError("a count is a step and a number")
        step, count = pair
        if not (0 <= step <= _LAST and 0 < count <= _FULL):
            raise ValueError("a count is out of range")
        counts[step] = count
    return counts

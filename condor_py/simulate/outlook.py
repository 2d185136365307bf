"""Probable start and end of waiting jobs: the machine runs them many times, each time with other run times.

Each user's jobs wait in the order given; a job that fits nowhere does not keep those after it from starting. A slot
that becomes free is given to the next like job of its user as long as the claim lasts. Then it goes to the user with
the smallest product of use and priority. The run times come from `runtimes`. The spans hold for a share of all jobs, if
jobs continue as before.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from operator import gt
from random import Random
from typing import NamedTuple

from condor_py.simulate.runtimes import Guess, Sample

#: What a job asks for or a slot has, resource by resource in one order.
Amounts = tuple[float, ...]

#: Runs of the machine for few jobs and for many, and the steps that all runs may take together.
_MOST_RUNS, _LEAST_RUNS, _STEPS = 200, 12, 500_000

#: What a pool does otherwise than this machine (cycles, claims, limits) makes spans so much wider.
_WIDER = 1.1
#: The part of all jobs that start (and end) within their span.
_SHARE = 0.8


class Span(NamedTuple):
    """Seconds from now: an early, the middle and a late value."""

    early: float
    middle: float
    late: float


class Likely(NamedTuple):
    """Start and end of a job."""

    start: Span
    end: Span


@dataclass(frozen=True, slots=True)
class Room:
    """A slot and what is free of it; a ``whole`` one has one job at a time."""

    free: Amounts
    whole: bool = False


class User(NamedTuple):
    """Whose jobs: the name does not matter here. The smaller ``priority``, the more they get."""

    name: str
    priority: float = 1.0


class Runs(NamedTuple):
    """A job that runs: whose, in which slot (its number), what of it it holds, how long it has run, run times of like
    jobs."""

    user: User
    slot: int
    holds: Amounts
    passed: float
    times: Sample


class Waits(NamedTuple):
    """A job that waits: whose, what it asks for, run times of like jobs."""

    user: User
    asks: Amounts
    times: Sample


def outlook(
    rooms: Sequence[Room],
    running: Sequence[Runs],
    waiting: Sequence[Waits],
    *,
    worklife: float = 0.0,
) -> list[Likely | None]:
    """For each waiting job, in their order, its spans; None for one that never fitted. ``worklife`` is how many
    seconds a claim takes new jobs. Four of five jobs start (and end) within their span."""
    random = Random(0)
    count = max(_LEAST_RUNS, min(_MOST_RUNS, _STEPS // max(1, len(waiting))))
    pool = _Pool(rooms, running, waiting, worklife)
    starts, ends = [], []
    for _ in range(count):
        one, other = _Run(pool, random).go()
        starts.append(one)
        ends.append(other)
    tail = (1.0 - _SHARE) / 2
    spans = (_span(values, tail) for values in (starts, ends))
    return [None if a is None or b is None else Likely(a, b) for a, b in zip(*map(list, spans), strict=True)]


def _span(runs: list[array[float]], tail: float) -> list[Span | None]:
    """The spans of each job out of its values in all runs; -1 means never."""
    places = [tail * (len(runs) + 1) - 1, (len(runs) - 1) / 2, (1 - tail) * (len(runs) + 1) - 1]
    found: list[Span | None] = []
    for values in zip(*runs, strict=True):
        ordered = sorted(values)
        if ordered[0] < 0:
            found.append(None)
            continue
        early, middle, late = (_at(ordered, place) for place in places)
        found.append(Span(max(0.0, middle - (middle - early) * _WIDER), middle, middle + (late - middle) * _WIDER))
    return found


def _at(ordered: list[float], place: float) -> float:
    """The value between two places of a sorted list."""
    place = min(max(place, 0.0), len(ordered) - 1.0)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


class _Pool:
    """The data common to all runs. Samples are compared as objects: like jobs share one."""

    def __init__(
        self, rooms: Sequence[Room], running: Sequence[Runs], waiting: Sequence[Waits], worklife: float
    ) -> None:
        self.rooms, self.running, self.waiting, self.worklife = rooms, running, waiting, worklife
        every = [*(job.times for job in running), *(job.times for job in waiting)]
        self.samples = list({id(sample): sample for sample in every}.values())
        numbers = {id(sample): number for number, sample in enumerate(self.samples)}
        self.kind_of_running = [numbers[id(job.times)] for job in running]
        #: The waiting jobs of each sample.
        self.members: list[list[int]] = [[] for _ in self.samples]
        for job, waits in enumerate(waiting):
            self.members[numbers[id(waits.times)]].append(job)

    def drawn(self, guesses: Sequence[Guess], random: Random) -> list[float]:
        """Return the run times of the waiting jobs, in seconds."""
        lasts = [0.0] * len(self.waiting)
        for guess, jobs in zip(guesses, self.members, strict=True):
            for job, seconds in zip(jobs, guess.draw(random, len(jobs)), strict=True):
                lasts[job] = seconds
        return lasts


class _End(NamedTuple):
    """A job ends: when, in which slot, what comes free, whose claim, since when they have it."""

    when: float
    slot: int
    holds: Amounts
    user: User
    since: float


class _Run:
    """One run of the machine."""

    def __init__(self, pool: _Pool, random: Random) -> None:
        self._rooms, self._worklife = pool.rooms, pool.worklife
        self._free = [list(room.free) for room in pool.rooms]
        self._busy = [False] * len(pool.rooms)
        #: What users hold of the first resource, times their priorities.
        self._use: dict[User, float] = {}
        guesses = [sample.learnt(random) for sample in pool.samples]
        self._lasts = pool.drawn(guesses, random)
        self._ends: list[_End] = []
        for one, kind in zip(pool.running, pool.kind_of_running, strict=True):
            self._busy[one.slot] = True
            self._charge(one.user, one.holds, 1)
            rest = guesses[kind].rest(random, one.passed)
            self._ends.append(_End(rest, one.slot, one.holds, one.user, -one.passed))
        heapify(self._ends)
        self._lines: dict[tuple[User, Amounts], deque[int]] = {}
        for number, job in enumerate(pool.waiting):
            self._lines.setdefault((job.user, job.asks), deque()).append(number)
        self._starts = array("d", [-1.0]) * len(pool.waiting)
        self._stops = array("d", [-1.0]) * len(pool.waiting)

    def go(self) -> tuple[array[float], array[float]]:
        """Return when each job started and ended; -1 for never."""
        self._fill(0.0)
        while self._lines and self._ends:
            if len(self._lines) == 1 and self._only(next(iter(self._lines))[1]):
                self._stream()
                break
            self._pass_on()
        return self._starts, self._stops

    def _fill(self, now: float) -> None:
        """Start every job that fits: first jobs of who has least, each user's in the order in which they wait."""
        full: set[Amounts] = set()
        while lines := [key for key in self._lines if key[1] not in full]:
            key = min(lines, key=lambda one: (self._use.get(one[0], 0.0), self._lines[one][0]))
            slot = self._place(key[1])
            if slot is None:
                full.add(key[1])
            else:
                self._take(slot, key, now, now)

    def _place(self, asks: Amounts) -> int | None:
        for slot, free in enumerate(self._free):
            if not (self._rooms[slot].whole and self._busy[slot]) and _fits(asks, free):
                return slot
        return None

    def _take(self, slot: int, key: tuple[User, Amounts], now: float, since: float) -> None:
        """The next job of a line starts."""
        user, asks = key
        line = self._lines[key]
        job = line.popleft()
        if not line:
            del self._lines[key]
        self._busy[slot] = True
        self._change(slot, asks, -1)
        self._charge(user, asks, 1)
        self._starts[job] = now
        end = self._stops[job] = now + self._lasts[job]
        heappush(self._ends, _End(end, slot, asks, user, since))

    def _change(self, slot: int, amounts: Amounts, sign: int) -> None:
        free = self._free[slot]
        for number, amount in enumerate(amounts):
            free[number] += sign * amount

    def _charge(self, user: User, amounts: Amounts, sign: int) -> None:
        self._use[user] = self._use.get(user, 0.0) + sign * (amounts[0] if amounts else 1.0) * user.priority

    def _pass_on(self) -> None:
        """Goes to the next end of a job, and starts what may start then."""
        end = heappop(self._ends)
        self._busy[end.slot] = False
        self._change(end.slot, end.holds, 1)
        self._charge(end.user, end.holds, -1)
        key = end.user, end.holds
        if key in self._lines and end.when - end.since < self._worklife:
            self._take(end.slot, key, end.when, end.since)
        else:
            self._fill(end.when)

    def _only(self, asks: Amounts) -> bool:
        """Whether all that runs and all that waits is of one size: then each end permits one start."""
        return all(end.holds == asks for end in self._ends)

    def _stream(self) -> None:
        """The rest, one user's and of one size: the next job starts when one ends."""
        ends = [end.when for end in self._ends]
        heapify(ends)
        starts, stops, lasts = self._starts, self._stops, self._lasts
        for job in next(iter(self._lines.values())):
            now = starts[job] = ends[0]
            end = stops[job] = now + lasts[job]
            heapreplace(ends, end)


def _fits(asks: Amounts, free: Sequence[float]) -> bool:
    return not any(map(gt, asks, free))

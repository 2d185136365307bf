"""Run times of jobs, learnt from like jobs that have ended: the same owner, program and batch, or what comes next.

Many run times are drawn from unchanged, each time from another resampling of them. A few are taken for a log-normal
distribution whose two numbers are uncertain themselves (Student's posterior), so that little knowledge gives wide
intervals. Where no job is known at all, a job takes an hour, or a third of it, or three.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from condor_py.model.sizes import Like

#: Seconds that a job takes of which nothing is known, and how uncertain that is (sigma of the logarithm).
UNKNOWN, _UNKNOWN_SIGMA = 3600.0, 0.9
#: So many run times are drawn from as they are.
_MANY = 20
#: So many like jobs are enough not to use less like ones.
_ENOUGH = 5
#: Sigma of the logarithm where there is one run time, and the least there is.
_ONE_SIGMA, _LEAST_SIGMA = 0.7, 0.02
#: Logarithm of the longest run time that is drawn, a hundred years: of two run times the sigma has no upper bound.
_MOST = math.log(100 * 365 * 86400)
#: How many drawn times a running job is compared with, which has outlived some of them.
_TRIES = 30
#: More draws than that repeat the values of so many.
_DRAWN = 1000


class RunTimes:
    """The run times of ended jobs by what makes them alike. ``ended`` are (like, seconds), ``running`` the same of jobs
    that have not ended: without them, those would count most that ended soon."""

    def __init__(self, ended: Iterable[tuple[Like, float]], running: Iterable[tuple[Like, float]] = ()) -> None:
        found, longer = _by_key(ended), _by_key(running)
        self._samples = {
            key: Sample(tuple(sorted(times)), "", tuple(longer.get(key, ()))) for key, times in found.items()
        }

    def of(self, like: Like) -> Sample:
        """The run times of the most alike jobs: enough of them, else the most alike there are, else none."""
        known = [(self._samples[key], how) for key, how in _keys(like) if key in self._samples]
        best, how = next((pair for pair in known if len(pair[0].times) >= _ENOUGH), known[0] if known else (_NONE, ""))
        return best._replace(how=how)


def _by_key(runs: Iterable[tuple[Like, float]]) -> dict[tuple[str, ...], list[float]]:
    found: dict[tuple[str, ...], list[float]] = {}
    for like, seconds in runs:
        if seconds > 0:
            for key, _ in _keys(like):
                found.setdefault(key, []).append(seconds)
    return found


def _keys(like: Like) -> tuple[tuple[tuple[str, ...], str], ...]:
    """From the most alike to any user's, each with its words."""
    batch = ((like.owner, like.program, like.batch), "of this batch") if like.batch else None
    rest = (
        ((like.owner, like.program), "of this program"),
        ((like.owner,), "of this owner"),
        ((), "of anybody"),
    )
    return rest if batch is None else (batch, *rest)


class Sample(NamedTuple):
    """Run times in seconds, ascending, of which jobs they are, and how long such jobs have run that still do."""

    times: tuple[float, ...]
    how: str = ""
    longer: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        """Their mean; UNKNOWN where there are none."""
        return fmean(self.times) if self.times else UNKNOWN

    def learnt(self, random: Random) -> Guess:
        """One guess at the distribution behind them."""
        if not self.times:
            return Guess((), math.log(UNKNOWN) + random.gauss(0.0, _UNKNOWN_SIGMA), _UNKNOWN_SIGMA)
        times = self._with_those_that_run(random)
        if len(times) >= _MANY:
            return Guess(tuple(random.choices(times, k=min(len(times), _DRAWN))), 0.0, 0.0)
        logs = [math.log(seconds) for seconds in times]
        count, middle = len(logs), fmean(logs)
        if count == 1:
            return Guess((), middle + random.gauss(0.0, _ONE_SIGMA), _ONE_SIGMA)
        spread = max(_LEAST_SIGMA, stdev(logs)) * math.sqrt((count - 1) / random.gammavariate((count - 1) / 2, 2.0))
        return Guess((), middle + random.gauss(0.0, spread / math.sqrt(count)), spread)

    def _with_those_that_run(self, random: Random) -> list[float]:
        """The run times, and a guess for each job that still runs: like one that ran longer than it has."""
        times = list(self.times)
        for passed in sorted(self.longer, reverse=True):
            rest = times[bisect_right(self.times, passed) :]
            times.append(random.choice(rest) if rest else passed + _as_long_again(random, passed))
        return times


_NONE = Sample(())


def _as_long_again(random: Random, passed: float) -> float:
    """The seconds that a job still runs which has outlived all others: as likely as not as long again."""
    chance = random.random()
    return passed * chance / max(0.1, 1.0 - chance)


class Guess(NamedTuple):
    """A distribution to draw from: run times as they are, or else the middle and the sigma of their logarithm."""

    times: tuple[float, ...]
    middle: float
    sigma: float

    def draw(self, random: Random, count: int) -> list[float]:
        """The seconds that so many jobs run."""
        if count > _DRAWN:
            return random.choices(self.draw(random, _DRAWN), k=count)
        if self.times:
            return random.choices(self.times, k=count)
        middle, sigma = self.middle, self.sigma
        return [math.exp(min(_MOST, middle + sigma * random.gauss(0.0, 1.0))) for _ in range(count)]

    def rest(self, random: Random, passed: float) -> float:
        """The seconds that a job still runs which has run for ``passed`` seconds."""
        longer = [seconds for seconds in self.times or self.draw(random, _TRIES) if seconds > passed]
        return random.choice(longer) - passed if longer else _as_long_again(random, passed)

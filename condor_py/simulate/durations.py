"""Run times of jobs: distributions of seconds, drawn from the simulation's own random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol


class Duration(Protocol):
    """Draws the seconds that one job runs when nothing interrupts it."""

    def draw(self, random: Random) -> float:
        """The next value, at least 0."""


@dataclass(frozen=True, slots=True)
class Constant:
    """Every job runs ``seconds``."""

    seconds: float

    def draw(self, random: Random) -> float:
        """``seconds``."""
        return self.seconds


@dataclass(frozen=True, slots=True)
class Uniform:
    """Evenly between ``low`` and ``high`` seconds."""

    low: float
    high: float

    def draw(self, random: Random) -> float:
        """The next value."""
        return random.uniform(self.low, self.high)


@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponential with a mean of ``mean`` seconds."""

    mean: float

    def draw(self, random: Random) -> float:
        """The next value."""
        return random.expovariate(1.0 / self.mean)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Log-normal with this median (seconds) and this standard deviation of the logarithm; long tails for sigma > 1."""

    median: float
    sigma: float = 1.0

    def draw(self, random: Random) -> float:
        """The next value."""
        return random.lognormvariate(math.log(self.median), self.sigma)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of the given seconds, each as likely."""

    seconds: Sequence[float]

    def draw(self, random: Random) -> float:
        """The next value."""
        return random.choice(self.seconds)

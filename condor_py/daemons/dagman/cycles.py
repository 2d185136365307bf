"""Durations of condor_dagman's cycles: DAG_Stats of its job and a line in its log."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: What is measured, under HTCondor's names.
EVENT, SLEEP, SUBMIT, LOG = "EventCycleTime", "SleepCycleTime", "SubmitCycleTime", "LogProcessCycleTime"


class _Probe:
    """Seconds of one kind of cycle."""

    __slots__ = ("count", "least", "most", "squares", "sum")

    def __init__(self) -> None:
        self.count = 0
        self.sum = self.squares = self.most = 0.0
        self.least = math.inf

    def add(self, seconds: float) -> None:
        self.count += 1
        self.sum += seconds
        self.squares += seconds * seconds
        self.least, self.most = min(self.least, seconds), max(self.most, seconds)

    def values(self) -> list[tuple[str, float]]:
        found = [("Sum", self.sum), ("Count", float(self.count))]
        if not self.count:
            return found
        average = self.sum / self.count
        spread = self.squares - self.sum * average
        deviation = math.sqrt(max(0.0, spread) / (self.count - 1)) if self.count > 1 else self.most
        return [("Avg", average), ("Max", self.most), ("Min", self.least), ("Std", deviation), *found]


class CycleTimes:
    """The cycles of one condor_dagman."""

    def __init__(self) -> None:
        self._probes = {name: _Probe() for name in (EVENT, SLEEP, SUBMIT, LOG)}

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Take the time of one cycle."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._probes[name].add(time.perf_counter() - began)

    def expression(self) -> str:
        """DAG_Stats, a ClassAd as text."""
        return "[ " + "; ".join(f"{name} = {value!r}" for name, value in self._values()) + " ]"

    def line(self) -> str:
        """Return the line of the log about the durations."""
        return "DAGMan Runtime Statistics: [" + "".join(f"{n}={value:.3f}; " for n, value in self._values()) + "]"

    def _values(self) -> Iterator[tuple[str, float]]:
        for name, probe in self._probes.items():
            for kind, value in probe.values():
                yield f"{name}{kind}", value

"""The load that jobs make on a slot: the cpus that they kept busy in the last minute, on average.

The system's load average, with which it is compared, forgets at the same pace: what a job leaves behind in that when it
ends must not be taken for the owner's.
"""

from __future__ import annotations

SECONDS = 60.0
#: Spans that lie within one of so many seconds are kept as one: a slot may run dozens of jobs in a second.
_GRAIN = 1.0


class LoadWindow:
    """Spans of time with the cpus that were busy in each; Unix seconds."""

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        self._spans: list[tuple[float, float, float]] = []

    def add(self, begin: float, end: float, cpus: float) -> None:
        """From ``begin`` to ``end`` so many cpus were busy."""
        if end <= begin:
            return
        if self._spans and end - _GRAIN < self._spans[-1][0] <= begin:
            since, to, before = self._spans.pop()
            busy = before * (to - since) + cpus * (end - begin)
            end = max(to, end)
            self._spans.append((since, end, busy / (end - since)))
            return
        self._spans = [span for span in self._spans if span[1] > end - SECONDS]
        self._spans.append((begin, end, cpus))

    def absorb(self, other: LoadWindow, now: float) -> None:
        """Takes over what another slot remembers, which is no more."""
        begin = now - SECONDS
        self._spans = [span for span in self._spans + other._spans if span[1] > begin]

    def move(self, seconds: float) -> None:
        """The clock was set, by so many seconds."""
        self._spans = [(since + seconds, to + seconds, cpus) for since, to, cpus in self._spans]

    def average(self, now: float) -> float:
        """The cpus that were busy in the last minute."""
        if not self._spans:
            return 0.0
        begin = now - SECONDS
        return sum(cpus * max(0.0, min(to, now) - max(since, begin)) for since, to, cpus in self._spans) / SECONDS

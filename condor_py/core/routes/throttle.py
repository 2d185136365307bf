"""How many jobs a route may get while jobs fail on it (FailureRateThreshold), and how it goes on from there."""

from __future__ import annotations

#: Seconds between two looks at the counts.
INTERVAL = 600
#: A throttle of that many times the threshold stops nobody.
_NO_LIMIT = 10_000
_SAME = 0.0001


class Throttle:
    """The counts of one route since the last look, and the most jobs that it may get until the next; 0 for no limit."""

    __slots__ = ("failed", "limit", "routed", "since", "succeeded")

    def __init__(self, now: int) -> None:
        self.since = now
        self.limit = 0.0
        self.routed = self.failed = self.succeeded = 0

    def is_full(self, taken: int) -> bool:
        """Whether the route gets no more for now, beside those that are ``taken`` and not yet counted."""
        return 0 < self.limit <= self.routed + taken

    @property
    def shown(self) -> str:
        """``none``, or jobs a second."""
        return f"{self.limit / INTERVAL:g} jobs/sec" if self.limit > 0 else "none"

    def adjust(self, now: int, threshold: float, jobs: int) -> str:
        """When it is time, takes the counts into account; what has changed, in words, else "".

        ``threshold`` are failures a second, ``jobs`` are on the route now (manual, "FailureRateThreshold").
        """
        passed = now - self.since
        if passed < INTERVAL:
            return ""
        before, was = self.limit, self.shown
        if self.failed and self.failed / passed > threshold:
            share = self.failed / (self.failed + jobs + self.succeeded)
            self.limit = INTERVAL * threshold / share
        else:
            self._accelerate(threshold)
        self.since = now
        self.routed = self.failed = self.succeeded = 0
        return f"adjusting throttle from {was} to {self.shown}." if abs(self.limit - before) > _SAME else ""

    def _accelerate(self, threshold: float) -> None:
        """Five times as much when all succeed, twice when nothing happens, nothing when all fail."""
        speed = 3.0 * self.succeeded - 2.0 * self.failed
        if speed > 0:
            speed /= self.succeeded + self.failed
        speed += 2.0
        if speed > 1.0:
            self.limit *= speed
        if self.limit > INTERVAL * threshold * _NO_LIMIT:
            self.limit = 0.0
        if 0 < self.limit < 1 and not self.failed:
            self.limit = 1.0

"""Counts since the start, and of the last twenty minutes (the attributes Recent...)."""

from __future__ import annotations

from collections import deque

WINDOW = 1200
_BUCKET = 60


class Counters:
    """Named counters. Recent counts are kept by the minute."""

    __slots__ = ("_recent", "totals")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.totals = dict.fromkeys(names, 0)
        self._recent: dict[str, deque[list[int]]] = {name: deque() for name in names}

    def add(self, name: str, now: float) -> None:
        """Counts one."""
        self.totals[name] += 1
        minute = int(now) // _BUCKET
        recent = self._recent[name]
        if recent and recent[-1][0] == minute:
            recent[-1][1] += 1
        else:
            recent.append([minute, 1])

    def recent(self, name: str, now: float) -> int:
        """How many in the last twenty minutes."""
        oldest = (int(now) - WINDOW) // _BUCKET
        recent = self._recent[name]
        while recent and recent[0][0] <= oldest:
            recent.popleft()
        return sum(count for _, count in recent)

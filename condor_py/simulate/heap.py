"""Virtual time: what is to happen when, and in which order at the same moment."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


class EventHeap:
    """Deeds in the order of their times (Unix seconds); at one moment first planned, first done."""

    def __init__(self, start: float) -> None:
        self.now = start
        self._heap: list[tuple[float, int, Callable[..., object], tuple[Any, ...]]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._heap)

    def at(self, when: float, deed: Callable[..., object], *arguments: Any) -> None:
        """Plans ``deed(*arguments)``; a time that is past means now."""
        self._count += 1
        heapq.heappush(self._heap, (max(when, self.now), self._count, deed, arguments))

    def next_time(self) -> float | None:
        """Return when the next action is due; None when nothing is planned."""
        return self._heap[0][0] if self._heap else None

    def step(self) -> None:
        """Moves time to the next deed and does all that are due at that moment so far."""
        heap = self._heap
        moment, _, deed, arguments = heapq.heappop(heap)
        self.now = moment
        if not heap or heap[0][0] != moment:
            deed(*arguments)
            return
        due = [(deed, arguments)]
        while heap and heap[0][0] == moment:
            due.append(heapq.heappop(heap)[2:])
        for deed, arguments in due:
            deed(*arguments)

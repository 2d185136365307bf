"""The reasons why the jobs of a queue wait, remembered: found again from time to time, in bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from condor_py.cli.waiting.alike import Alike, alike
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.top.look import Known, LiveJobs
    from condor_py.cli.waiting import Around

#: At most this part of the time is spent on it, a larger one while nothing is known of some jobs; seconds between two
#: looks at least, and seconds that one takes.
_PART, _LARGER_PART, _EARLIEST, BUDGET = 0.01, 0.1, 1.0, 0.4
_WAITING = (JobStatus.IDLE, JobStatus.HELD)


class Judged:
    """The reasons of the idle and held jobs of a queue, by cluster. ``clock`` tells passed seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: What is known of each cluster, those first that were judged longest ago.
        self._known: dict[int, list[Alike]] = {}
        self._next = 0.0
        #: How often jobs were judged, and when they were last (Unix seconds).
        self.looks = self.made = 0
        #: Clusters with waiting jobs that there was no time for yet.
        self.left = 0

    def look(self, jobs: LiveJobs, around: Callable[[], Around], now: int) -> list[Alike]:
        """Return the waiting jobs, those that agree together: as they are, or as they were at the last look."""
        begun = self._clock()
        waiting = [number for number, counted in jobs.clusters.items() if _some_wait(counted)]
        if begun >= self._next:
            self._judge(jobs, waiting, around(), begun)
            self.looks, self.made = self.looks + 1, now
            self.left = sum(number not in self._known for number in waiting)
            part = _LARGER_PART if self.left else _PART
            self._next = begun + max(_EARLIEST, (self._clock() - begun) / part)
        self.left = sum(number not in self._known for number in waiting)
        return [one for number in waiting for one in self._known.get(number, ())]

    def took(self, seconds: float) -> None:
        """Count the time that showing the result of the last look took as that of the look."""
        self._next += seconds / _PART

    def _judge(self, jobs: LiveJobs, waiting: Sequence[int], around: Around, begun: float) -> None:
        """Judge the clusters, those of which least is known first, until the time is over."""
        for gone in self._known.keys() - set(waiting):
            del self._known[gone]
        unknown = [number for number in waiting if number not in self._known]
        order = [*unknown, *self._known]
        begun_with: list[int] = []

        def groups() -> Iterator[tuple[int, Sequence[int]]]:
            for number in order:
                if begun_with and self._clock() - begun >= BUDGET:
                    return
                begun_with.append(number)
                yield number, jobs.view.procs(number)

        found: dict[int, list[Alike]] = {}
        for one in alike(jobs.view, groups(), around):
            found.setdefault(one.cluster, []).append(one)
        for number in begun_with:
            self._known.pop(number, None)
            self._known[number] = found.get(number, [])


def _some_wait(counted: Mapping[Known, int]) -> bool:
    return any(known.status in _WAITING and count for known, count in counted.items())

"""How many jobs there are of each JobStatus, and whose the held ones are: counted as they move, not when asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs.identity import submitter_of
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

_HELD = int(JobStatus.HELD)


class Tally:
    """Everybody may look; only the methods change anything."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._holders: dict[JobId, str] = {}
        self._held: Counter[str] = Counter()
        #: Jobs by JobStatus.
        self.counts: Mapping[int, int] = self._counts
        #: Held jobs by submitter, as he was when they were held.
        self.held: Mapping[str, int] = self._held

    def enter(self, core: Books, job: JobId, status: int) -> None:
        """A job is in this state now."""
        self._counts[status] += 1
        if status == _HELD:
            ad = core.jobs.job(job)
            holder = self._holders[job] = submitter_of(ad, core.settings.submitter_domain) if ad is not None else ""
            self._held[holder] += 1

    def enter_many(self, count: int, status: int) -> None:
        """So many jobs are in this state now, which is not that of held ones."""
        self._counts[status] += count

    def leave(self, job: JobId, status: int) -> None:
        """A job that was in this state no longer is."""
        self._counts[status] -= 1
        if status == _HELD:
            holder = self._holders.pop(job)
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]

    def leave_many(self, jobs: Iterable[tuple[JobId, int]]) -> None:
        """The same of many, each with the state that it was in."""
        left: dict[int, int] = {}
        for job, status in jobs:
            if status == _HELD:
                self.leave(job, status)
            else:
                left[status] = left.get(status, 0) + 1
        for status, count in left.items():
            self._counts[status] -= count

    def move_many(self, core: Books, jobs: Sequence[JobId], before: int, after: int) -> None:
        """Jobs of one submitter that were in one state are in another now."""
        self._counts[before] -= len(jobs)
        self._counts[after] += len(jobs)
        if before == _HELD:
            for holder, count in Counter(map(self._holders.pop, jobs)).items():
                self._held[holder] -= count
                if not self._held[holder]:
                    del self._held[holder]
        if after == _HELD:
            ad = core.jobs.job(jobs[0])
            holder = submitter_of(ad, core.settings.submitter_domain) if ad is not None else ""
            self._holders.update(dict.fromkeys(jobs, holder))
            self._held[holder] += len(jobs)

    def validate(self, known: Mapping[JobId, int]) -> None:
        """AssertionError when this is not what the states of all jobs add up to."""
        assert +self._counts == Counter(known.values()), "the jobs of some state are not counted right"
        held = {job for job, status in known.items() if status == _HELD}
        assert self._holders.keys() == held, "the held jobs are others"
        assert self._held == Counter(self._holders.values()), "the held jobs of somebody are not counted right"

"""The jobs whose periodic expressions are looked at, and how far the present look has come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from condor_py.model.ids import JobId


class Watched:
    """Everybody may look; only the methods change anything."""

    def __init__(self) -> None:
        self._jobs: set[JobId] = set()
        self._left: deque[JobId] = deque()
        self._updated: dict[JobId, None] = {}
        #: Jobs that have periodic expressions.
        self.jobs: AbstractSet[JobId] = self._jobs

    @property
    def left(self) -> int:
        """How many jobs the present look at all of them has still to come to."""
        return len(self._left)

    @property
    def updated(self) -> int:
        """How many jobs are to be looked at because their starter told something."""
        return len(self._updated)

    def add(self, job: JobId) -> None:
        """A job has periodic expressions."""
        self._jobs.add(job)

    def add_many(self, jobs: Iterable[JobId]) -> None:
        """These jobs have."""
        self._jobs.update(jobs)

    def forget(self, job: JobId) -> None:
        """A job is not looked at any more."""
        self._jobs.discard(job)

    def forget_many(self, jobs: Iterable[JobId]) -> None:
        """These jobs are not."""
        self._jobs.difference_update(jobs)

    def note_update(self, job: JobId) -> None:
        """The starter of a job told something."""
        self._updated[job] = None

    def look_at(self, jobs: Iterable[JobId]) -> None:
        """A look begins, unless one goes on."""
        if not self._left:
            self._left.extend(jobs)

    def each(self) -> Iterator[JobId]:
        """The jobs of the look, until whoever asks has enough."""
        while self._left:
            yield self._left.popleft()

    def each_updated(self) -> Iterator[JobId]:
        """The jobs whose starters told something, until whoever asks has enough."""
        while self._updated:
            job = next(iter(self._updated))
            del self._updated[job]
            yield job

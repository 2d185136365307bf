"""Finished jobs on their way out: kept by leave_in_queue, being written to the history, being taken out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet

from condor_py.model.ids import JobId

_NONE: frozenset[JobId] = frozenset()


class Departing:
    """Everybody may look; only the methods change anything."""

    def __init__(self) -> None:
        self._kept: set[JobId] = set()
        self._leaving: set[JobId] = set()
        #: By cluster: their records may still wait for the commit.
        self._going: dict[int, set[JobId]] = {}
        #: Jobs that leave when their leave_in_queue lets them.
        self.kept: AbstractSet[JobId] = self._kept
        #: Jobs whose history record is being written.
        self.leaving: AbstractSet[JobId] = self._leaving

    def keep(self, job: JobId) -> None:
        """A job stays for now."""
        self._kept.add(job)

    def forget(self, job: JobId) -> None:
        """A job does not wait for its leave any more."""
        self._kept.discard(job)

    def leave(self, job: JobId) -> bool:
        """A job leaves; False when it does so already."""
        self._kept.discard(job)
        if job in self._leaving:
            return False
        self._leaving.add(job)
        return True

    def leave_many(self, jobs: Collection[JobId]) -> None:
        """Jobs leave that do not do so yet."""
        self._kept.difference_update(jobs)
        self._leaving.update(jobs)

    def recorded(self, job: JobId) -> None:
        """The history has a job."""
        self._leaving.discard(job)

    def recorded_many(self, jobs: Iterable[JobId]) -> None:
        """It has all of these."""
        self._leaving.difference_update(jobs)

    def is_going(self, job: JobId) -> bool:
        """Whether the removal of a job waits for its commit."""
        return job in self._going.get(job.cluster, _NONE)

    def go_many(self, cluster: int, jobs: Collection[JobId]) -> None:
        """The removal of jobs of a cluster is queued."""
        self._kept.difference_update(jobs)
        self._going.setdefault(cluster, set()).update(jobs)

    def still_going(self, cluster: int, there: Callable[[Collection[JobId]], Collection[JobId]]) -> int:
        """How many jobs of a cluster are ``there`` yet of those whose removal is queued; the others are forgotten."""
        going = set(there(self._going.pop(cluster, _NONE)))
        if going:
            self._going[cluster] = going
        return len(going)

    def cluster_gone(self, cluster: int) -> None:
        """The removal of a whole cluster is queued."""
        self._going.pop(cluster, None)

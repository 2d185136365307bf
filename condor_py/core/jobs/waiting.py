"""Idle jobs that are not in the index of idle jobs: those that cool down, run here, or have a schedule."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from condor_py.model.ids import JobId


class Waiting:
    """Everybody may look; only the methods change anything."""

    def __init__(self) -> None:
        self._cooling: set[JobId] = set()
        self._here: dict[JobId, None] = {}
        self._repeating: set[JobId] = set()
        #: Jobs whose JobCoolDownExpiration is ahead.
        self.cooling: Collection[JobId] = self._cooling
        #: Jobs of the local and scheduler universes that are to be started, in the order in which they came.
        self.here: Collection[JobId] = self._here.keys()
        #: Jobs with a crontab schedule, whatever they do.
        self.repeating: Collection[JobId] = self._repeating

    def cool(self, job: JobId) -> None:
        """A job is looked at again by the ticks, until its pause is over."""
        self._cooling.add(job)

    def cooled(self, job: JobId) -> None:
        """A job has no pause any more."""
        self._cooling.discard(job)

    def start_here(self, job: JobId) -> None:
        """A job is to be started on this machine, without a slot."""
        self._here[job] = None

    def started_here(self, job: JobId) -> None:
        """A job has been started, or is not to be."""
        self._here.pop(job, None)

    def repeats(self, job: JobId) -> None:
        """A job has a schedule."""
        self._repeating.add(job)

    def over(self, job: JobId) -> None:
        """A job with a schedule has left."""
        self._repeating.discard(job)

    def leave(self, job: JobId) -> None:
        """A job waits for nothing here; a schedule it keeps."""
        self._cooling.discard(job)
        self._here.pop(job, None)

    def forget_many(self, jobs: Iterable[JobId]) -> None:
        """The same of many."""
        self._cooling.difference_update(jobs)
        self._repeating.difference_update(jobs)
        for job in jobs if self._here else ():
            self._here.pop(job, None)

    def forget(self, job: JobId) -> None:
        """A job has left, or nobody is to look at it again."""
        self.leave(job)
        self.over(job)

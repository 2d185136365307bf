"""The startd within reach or not, and the runs whose fate is unknown while it is not."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from condor_py.model.ids import JobId


class Reach:
    """``up``: the startd is there; ``lost_at``: when it was last lost, or this schedd began (Unix seconds)."""

    def __init__(self, now: int) -> None:
        self.up = False
        self.lost_at = now
        self._orphans: set[JobId] = set()
        self._told: set[JobId] = set()
        self._unlogged: set[JobId] = set()
        #: Jobs that the queue says to run, and nobody has confirmed it.
        self.orphans: AbstractSet[JobId] = self._orphans

    def connected(self) -> None:
        """The startd is there."""
        self.up = True

    def lost(self, now: int) -> None:
        """The startd is out of reach."""
        self.up = False
        self.lost_at = now

    def pass_over(self, seconds: int) -> None:
        """Time that nobody had, or that comes again: the startd's side of a lease does not count it either."""
        self.lost_at += seconds

    def orphan(self, job: JobId, *, told: bool = False, unlogged: bool = False) -> None:
        """A run is out of reach. ``told``: its event log says so (022) already; ``unlogged``: it does not even say that
        the run has begun (001)."""
        self._orphans.add(job)
        if told:
            self._told.add(job)
        if unlogged:
            self._unlogged.add(job)

    def is_told(self, job: JobId) -> bool:
        """Whether the event log says that the run is out of reach."""
        return job in self._told

    def is_unlogged(self, job: JobId) -> bool:
        """Whether the event log lacks the begin of the run."""
        return job in self._unlogged

    def forget(self, job: JobId) -> None:
        """A run was found or given up, or its job has left."""
        self._orphans.discard(job)
        self._told.discard(job)
        self._unlogged.discard(job)

    def validate(self) -> None:
        """AssertionError when the books do not add up."""
        for job in self._told | self._unlogged:
            assert job in self._orphans, f"{job} is remembered as out of reach and is not"

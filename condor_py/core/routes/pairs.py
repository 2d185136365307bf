"""Which jobs of the queue are routed, which are their copies, and which may be routed: filed as the queue changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus


class Queue(Protocol):
    """What the router wants of the image of the queue."""

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job."""

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs."""


class Pairs:
    """Everybody may look; only methods change anything. ``name`` is the router's, ``owner`` whose jobs it routes."""

    def __init__(self, queue: Queue, name: str, owner: str) -> None:
        self._queue = queue
        self._name = name
        self._owner = owner
        #: Jobs that are routed, and the copies that jobs of this router have.
        self.sources: set[JobId] = set()
        self.copies: set[JobId] = set()
        #: Those of both that have to be looked at, as they or their partners are not what they were.
        self._changed: set[JobId] = set()
        self._partners: dict[JobId, JobId] = {}
        #: Idle jobs that nobody manages.
        self.waiting: set[JobId] = set()
        self.notice(job for job, _ in queue.jobs())

    def notice(self, jobs: Iterable[JobId]) -> None:
        """These jobs are new, gone or not what they were."""
        for job in list(jobs):
            ad = self._queue.job(job)
            known = job in self.sources or job in self.copies
            for place in (self.sources, self.copies, self.waiting):
                place.discard(job)
            if ad is None:
                self._file(job, self._partners.pop(job, None), known)
            elif ad.eval_str("RoutedBy", "") == self._name:
                self.copies.add(job)
                self._file(job, job_id(ad.eval_str("RoutedFromJobId", "")), True)
            elif ad.eval_str("Managed", "") == "External":
                if ad.eval_str("ManagedManager", "") == self._name:
                    self.sources.add(job)
                    self._file(job, job_id(ad.eval_str("RoutedToJobId", "")), True)
            else:
                self._file(job, self._partners.pop(job, None), known)
                if self._may_wait(ad):
                    self.waiting.add(job)

    def _file(self, job: JobId, partner: JobId | None, concerns: bool) -> None:
        """Remembers who belongs to a job, and that both are to be looked at if that ``concerns`` the router."""
        here = job in self.sources or job in self.copies
        if here and partner is not None:
            self._partners[job] = partner
        if concerns:
            self._changed.update(each for each in (job, partner) if each is not None)

    def take_changed(self) -> list[JobId]:
        """The jobs to be looked at, in the order of their ids; they are looked at then."""
        changed, self._changed = sorted(self._changed), set()
        return changed

    def look_again(self, jobs: Iterable[JobId]) -> None:
        """Whatever was to be done about these jobs, or about their partners, could not be."""
        for job in jobs:
            both = (job, self._partners.get(job))
            self._changed.update(each for each in both if each in self.sources or each in self.copies)

    def _may_wait(self, ad: ClassAd) -> bool:
        """Whether a job is idle, complete with its input, and has not been routed to its end."""
        if status_of(ad) != JobStatus.IDLE or ad.eval_str("Managed", "") == "ScheddDone":
            return False
        if ad.text("StageInStart") is not None and ad.text("StageInFinish") is None:
            return False
        owner = ad.eval_str("Owner", "")
        return bool(owner) and self._owner in ("", owner)

    def copy_of(self, job: JobId, ad: ClassAd) -> JobId | None:
        """The copy of a routed job as far as it is in the queue."""
        copy = job_id(ad.eval_str("RoutedToJobId", ""))
        if copy not in self.copies:
            return None
        found = self._queue.job(copy)
        return copy if found is not None and found.eval_str("RoutedFromJobId", "") == str(job) else None


def job_id(text: str) -> JobId | None:
    """The id of a text; None for anything else."""
    try:
        return JobId.parse(text)
    except ValueError:
        return None

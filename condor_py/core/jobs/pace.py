"""How fast jobs are started: JOB_START_COUNT at once, then JOB_START_DELAY; and next_job_start_delay of a job.

What a job says of the next start counts for the jobs of its submitter only (HTCondor: for everybody's), or one user's
jobs would keep all others waiting.
"""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.model.settings.schedd import ScheddSettings

#: Submitters whose delays are remembered; more than that have none that is over.
_MANY = 1000


class Pace:
    """Says whether one more job may start now. Times in Unix seconds."""

    def __init__(self) -> None:
        self._next = 0
        self._own: dict[str, int] = {}
        self._count = 0

    def waits(self, now: int, submitter: str) -> bool:
        """Whether the next start of a submitter has to wait for a later second."""
        return now < self._next or now < self._own.get(submitter, now)

    def set_back(self, seconds: int) -> None:
        """The clock was set, by so many seconds (less than 0): nobody waits longer for that."""
        self._next += seconds
        self._own = {name: until + seconds for name, until in self._own.items()}

    def started(self, ad: ClassAd, submitter: str, settings: ScheddSettings, now: int) -> None:
        """A job was started: its own delay counts at once, the configured one after JOB_START_COUNT of them."""
        delay = ad.eval_int("NextJobStartDelay", 0)
        if settings.max_next_job_start_delay:
            delay = min(delay, settings.max_next_job_start_delay)
        if delay > 0:
            if len(self._own) >= _MANY:
                self._own = {name: until for name, until in self._own.items() if until > now}
            self._own[submitter] = now + delay
        self._count += 1
        if self._count >= settings.job_start_count:
            self._count = 0
            if settings.job_start_delay > 0:
                self._next = now + settings.job_start_delay

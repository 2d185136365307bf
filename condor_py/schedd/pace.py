"""How fast jobs are started: JOB_START_COUNT at once, then JOB_START_DELAY; and next_job_start_delay of a job."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.model.settings.schedd import ScheddSettings


class Pace:
    """Says whether one more job may start now. Times in Unix seconds."""

    def __init__(self) -> None:
        self._next = 0
        self._count = 0

    def waits(self, now: int) -> bool:
        """Whether starts have to wait for a later second."""
        return now < self._next

    def started(self, ad: ClassAd, settings: ScheddSettings, now: int) -> None:
        """A job was started: its own delay counts at once, the configured one after JOB_START_COUNT of them."""
        delay = ad.eval_int("NextJobStartDelay", 0) or 0
        if settings.max_next_job_start_delay:
            delay = min(delay, settings.max_next_job_start_delay)
        self._count += 1
        if self._count >= settings.job_start_count:
            self._count = 0
            delay = max(delay, settings.job_start_delay)
        if delay > 0:
            self._next = now + delay

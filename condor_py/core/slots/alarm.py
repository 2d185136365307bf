"""When a machine that goes to sleep has to be awake again, and what keeps it from sleeping: asked of the jobs in the
queue. Pure: ads in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.power import SleepState
from condor_py.model.states import JobStatus, Universe

#: Seconds. No machine is put to sleep for less; nor is one written to its disk or shut down, which takes longer.
_SHORTEST, _SHORTEST_DEEP = 30, 300
_OUTSIDE_SLOTS = (Universe.SCHEDULER, Universe.LOCAL)


class Outlook(NamedTuple):
    """Unix seconds at which the next deferred job (or cron job) wants to be prepared, 0 for never; and a job that runs
    without a slot, which the machine must not sleep under."""

    wake_at: int = 0
    busy: str = ""

    def is_near(self, state: SleepState, early: int, now: int) -> bool:
        """Whether the machine, awake ``early`` seconds before that, would have no time to sleep: its clock could ring
        before it is in that state, and would not wake it then."""
        shortest = _SHORTEST_DEEP if state >= SleepState.S4 else _SHORTEST
        return 0 < self.wake_at < now + early + shortest


def outlook(jobs: Iterable[tuple[JobId, ClassAd]], now: int) -> Outlook:
    """What these jobs ask for."""
    times, busy = [], ""
    for job, ad in jobs:
        status = ad.eval_int("JobStatus", 0)
        if status == JobStatus.RUNNING and ad.eval_int("JobUniverse", 0) in _OUTSIDE_SLOTS:
            busy = busy or str(job)
        elif status == JobStatus.IDLE and ad.has("DeferralTime"):
            due = ad.eval_int("DeferralTime", 0)
            if due + max(0, ad.eval_int("DeferralWindow", 0)) > now:
                times.append(max(now, due - max(0, ad.eval_int("DeferralPrepTime", 0))))
    return Outlook(min(times, default=0), busy)

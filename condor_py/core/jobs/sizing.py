"""Requests of jobs that wait follow what like jobs have shown (``autorequests``).

A number comes when the schedd first sees a job, and again whenever the request of like jobs takes another step while it
waits: as late as it can without a cost for every start. It is one record for all jobs of a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import guard, newjobs
from condor_py.core.jobs.events import SizesFound
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from condor_py.core.jobs.state import ScheddState


def found(core: ScheddState, event: SizesFound) -> None:
    """The sizes of the jobs of the past have been read."""
    core.sizing.found(event.sizes)


def resize(core: ScheddState) -> None:
    """Jobs that wait ask for what like jobs have shown by now."""
    changed = {place.cluster for place, like in core.sizing.take_changed() if core.give_numbers(place, like)}
    if not changed:
        return
    waiting = [job for job in core.idle.jobs() if job.cluster in changed]
    for group in newjobs.in_groups(core, waiting):
        guard.take(core, group[0], _regroup, core, group)
    core.agenda.want_cycle()


def _regroup(core: ScheddState, jobs: Sequence[JobId]) -> None:
    """Waiting jobs that agree get the place among the idle ones that the first of them has now."""
    ad = core.jobs.job(jobs[0])
    if ad is None:
        return
    core.make_idle(jobs[0], ad)
    entry = core.idle.get(jobs[0])
    if entry is not None:
        core.idle.put(jobs, entry)
    core.jobs.rest(jobs[0].cluster, [job.proc for job in jobs])

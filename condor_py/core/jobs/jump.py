"""The clock and what happens here do not go together: the machine was asleep, or its clock was set.

A lease does not count the time by which the clock went on alone; what expressions ask the clock for is what it says.
Where it was set back runs began as long ago as before, and pauses are as long as before: nobody waits for an hour to
come a second time. Times that users have given (deferral_time, cron schedules) are those of the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.core.jobs.actions import set_text
from condor_py.core.jobs.events import ClockJumped
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import Change

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

#: When a run and its steps began.
_OF_RUNS = (
    "ShadowBday",
    "JobStartDate",
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "JobCurrentStartTransferInputDate",
    "JobCurrentStartTransferOutputDate",
    "EnteredCurrentStatus",
    "LastSuspensionTime",
    "LastCkptTime",
)


def on_jump(core: Books, event: ClockJumped) -> None:
    """Moves what counts time by what was left out, or taken back."""
    seconds = event.seconds
    core.reach.pass_over(seconds)
    if seconds >= 0:
        return
    core.pace.set_back(seconds)
    core.claims.set_back(seconds)
    for stage in core.stagings.stages.values():
        stage.needed_at += seconds
    for job in sorted({*core.runs, *core.reach.orphans}):
        _move(core, job, _OF_RUNS, seconds)
    for job in sorted(core.waiting.cooling):
        _move(core, job, ("JobCoolDownExpiration",), seconds)


def _move(core: Books, job: JobId, names: tuple[str, ...], seconds: int) -> None:
    ad = core.jobs.job(job)
    if ad is not None:
        core.out.apply(ad, list(_moved(job, ad, names, seconds)))


def _moved(job: JobId, ad: ClassAd, names: tuple[str, ...], seconds: int) -> Iterator[Change]:
    for name in names:
        when = ad.eval_int(name, 0)
        if when > 0:
            yield set_text(job, name, str(max(1, when + seconds)))

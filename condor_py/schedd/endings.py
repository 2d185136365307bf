"""What the end of a run counts as in the schedd's statistics. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, JobStatus, Universe
from condor_py.schedd.jobad import status_of, universe_of, was_executed

if TYPE_CHECKING:
    from condor_py.schedd.books import Books

#: Runs that were of use: what a job that is sent back has done counts as well, as HTCondor has it.
_GOOD = ("JobsCompleted", "JobsShouldRequeue")
_NEITHER = ("JobsNotStarted",)


def kind(ad: ClassAd, report: ExitReport, *, executed: bool, by_user: bool) -> tuple[str, ...]:
    """The counters of a run that is over. ``ad``: the job as it is then; ``by_user``: held or removed while it ran."""
    if by_user:
        return ("JobsKilled",)
    status = status_of(ad)
    if status == JobStatus.REMOVED:
        return "JobsShouldRemove", "JobsKilled"
    if status == JobStatus.HELD:
        missed = report.hold_code == HoldCode.MISSED_DEFERRAL_TIME
        return ("JobsMissedDeferralTime",) if missed else ("JobsShouldHold",)
    if status == JobStatus.COMPLETED:
        return ("JobsCoredumped",) if report.core_dumped else ("JobsExitedNormally", "JobsCompleted")
    return ("JobsShouldRequeue",) if executed else ("JobsNotStarted",)


def count(core: Books, ad: ClassAd, names: tuple[str, ...]) -> None:
    """Counts a run that ends now, by ``names``, and how long its steps took."""
    if universe_of(ad) == Universe.SCHEDULER:  # HTCondor counts only its starts
        return
    now, counters = core.now, core.counters
    begun = ad.eval_int("JobCurrentStartDate", now)
    ran = max(0, now - begun)
    counters.add(now, JobsExited=1, **dict.fromkeys(names, 1))
    if any(name in _NEITHER for name in names):
        counters.add(now, JobsAccumChurnTime=ran)
        return
    good = any(name in _GOOD for name in names)
    _steps(core, ad, begun, ran, good)
    counters.add(now, **{"JobsAccumRunningTime" if good else "JobsAccumBadputTime": ran})
    word = "Completed" if good else "Badput"
    counters.sample(now, f"Jobs{word}Sizes", ad.eval_int("ImageSize", 0) * 1024)
    counters.sample(now, f"Jobs{word}Runtimes", ran)


def _steps(core: Books, ad: ClassAd, begun: int, ran: int, good: bool) -> None:
    """Before the program ran, while it did, and after."""
    now, counters = core.now, core.counters
    executed = ad.eval_int("JobCurrentStartExecutingDate", 0)
    before = after = executing = 0
    if was_executed(ad):
        before, executing = executed - begun, max(0, now - executed)
    elif not good:
        counters.add(now, JobsAccumChurnTime=ran)
    over = ad.eval_int("JobCurrentStartTransferOutputDate", None)
    if over is not None and over >= begun:
        after, executing = max(0, now - over), max(0, over - max(begun, executed))
    counters.add(
        now,
        JobsAccumPreExecuteTime=before,
        JobsAccumPostExecuteTime=after,
        JobsAccumExecuteTime=executing,
        JobsAccumExecuteAltTime=max(0, ran - before - after),
    )

"""Counting of the end of a run in the schedd's statistics. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs.jobad import status_of, universe_of, was_executed
from condor_py.core.jobs.statistics import column
from condor_py.lang.classad import ClassAd
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Runs that were of use: what a job that is sent back has done counts as well, as HTCondor has it.
_GOOD = frozenset(("JobsCompleted", "JobsShouldRequeue"))
_NEITHER = frozenset(("JobsNotStarted",))


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


def count(core: ScheddState, ad: ClassAd, names: tuple[str, ...]) -> None:
    """Counts a run that ends now, by ``names``, and how long its steps took."""
    if universe_of(ad) == Universe.SCHEDULER:  # HTCondor counts only its starts
        return
    now = core.now
    begun = ad.eval_int("JobCurrentStartDate", now)
    ran = max(0, now - begun)
    if not _NEITHER.isdisjoint(names):
        core.counters.add(now, JobsExited=1, JobsAccumChurnTime=ran, **dict.fromkeys(names, 1))
        return
    good = not _GOOD.isdisjoint(names)
    word = "Completed" if good else "Badput"
    columns = column(f"Jobs{word}Sizes", ad.eval_int("ImageSize", 0) * 1024), column(f"Jobs{word}Runtimes", ran)
    counts = dict.fromkeys(("JobsExited", *names, *columns), 1)
    counts["JobsAccumRunningTime" if good else "JobsAccumBadputTime"] = ran
    counts.update(_steps(ad, begun, ran, now, good=good))
    core.counters.add_all(now, counts)


def _steps(ad: ClassAd, begun: int, ran: int, now: int, *, good: bool) -> dict[str, int]:
    """Before the program ran, while it did, and after."""
    executed = ad.eval_int("JobCurrentStartExecutingDate", 0)
    before = after = executing = 0
    counts = {}
    if was_executed(ad):
        before, executing = executed - begun, max(0, now - executed)
    elif not good:
        counts["JobsAccumChurnTime"] = ran
    over = ad.eval_int("JobCurrentStartTransferOutputDate", None)
    if over is not None and over >= begun:
        after, executing = max(0, now - over), max(0, over - max(begun, executed))
    return counts | {
        "JobsAccumPreExecuteTime": before,
        "JobsAccumPostExecuteTime": after,
        "JobsAccumExecuteTime": executing,
        "JobsAccumExecuteAltTime": max(0, ran - before - after),
    }

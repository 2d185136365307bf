"""Jobs that run as copies elsewhere: the job router moves them in the queue, and their event logs tell of it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents, notify
from condor_py.core.jobs.jobad import is_away, is_exported, status_of
from condor_py.lang.classad import ClassAd
from condor_py.model.event_types import JobEventType as Type
from condor_py.model.ids import JobId
from condor_py.model.report import Usage
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: The states of a job whose copy runs.
RUNNING = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)


def runs(core: ScheddState, job: JobId, ad: ClassAd, before: int) -> None:
    """Event 001, when the copy of a job has begun to run."""
    if before not in RUNNING and _is_routed(ad):
        _executing(core, job, ad)


def stopped(core: ScheddState, job: JobId, ad: ClassAd, before: int) -> None:
    """Event 004, when the copy of a job runs no more, or is no more."""
    if before in RUNNING and ad.text("RoutedToJobId") is not None:
        jobevents.evicted(core, job, ad, None, (0, 0, ""), table=False)


def completed(core: ScheddState, job: JobId, ad: ClassAd, before: int) -> None:
    """Event 005 and the mail to the user, when the copy of a job has completed; it may have been quick."""
    if ad.eval_str("Managed", "") != "ScheddDone" or ad.text("RoutedToJobId") is None:
        return
    if before not in RUNNING and ad.eval_int("NumJobStarts", 0):
        _executing(core, job, ad)
    core.counters.add(core.now, JobsCompleted=1)
    sent, received = (int(ad.eval_real(name, 0.0)) for name in ("BytesSent", "BytesRecvd"))
    jobevents.completed(core, ad, jobevents.terminated(core, job, ad))
    notify.completed(core, job, ad, Usage(bytes_sent=sent, bytes_received=received))


def settle(core: ScheddState, job: JobId, ad: ClassAd, last: int | None) -> None:
    """A schedd that starts finds a job that runs elsewhere: its log says so, if ``last`` is not that event."""
    if last not in (None, Type.EXECUTE) and _is_routed(ad):
        _executing(core, job, ad)


def _executing(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    when = ad.eval_int("JobCurrentStartExecutingDate", 0) or ad.eval_int("EnteredCurrentStatus", core.now)
    host = ad.eval_str("RoutedToJobId", "")
    jobevents.executing_elsewhere(core, job, ad, host, max(when, ad.eval_int("QDate", 0)))


def _is_routed(ad: ClassAd) -> bool:
    return is_away(ad) and not is_exported(ad) and status_of(ad) in RUNNING

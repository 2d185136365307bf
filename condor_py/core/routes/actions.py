"""Records that the router wants written, and the ends of copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from condor_py.core.jobs.actions import remove_records, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.core.routes.copying import Copy
from condor_py.core.routes.hooks import HookCall, Key, Kind
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import JobStatus


@dataclass(frozen=True, slots=True)
class Action:
    """Records to write about ``jobs``, if none of them has changed since; ``says`` is for the log.

    ``copy`` is to be queued in the same transaction, with ``Router.claim``. ``route`` and ``outcome`` (routed,
    succeeded, failed or "") are for the counts. ``hook`` is to run when all that is written; ``settles`` are the
    answers of hooks that have been applied then.
    """

    jobs: tuple[JobId, ...]
    changes: tuple[Change, ...] = ()
    copy: Copy | None = None
    route: str = ""
    outcome: str = ""
    says: str = ""
    hook: HookCall | None = None
    settles: tuple[Key, ...] = ()


def let_go(both: tuple[JobId, JobId], copy: ClassAd, what: str) -> Action | None:
    """A removed copy is the schedd's until nothing of it can run any more. One that has not run, and whose resource
    cannot be asked to end it, leaves at once: without its directory nothing of it runs there."""
    waited = copy.eval_int("LastJobStatus", 0) == JobStatus.IDLE
    is_down = copy.text("GridResourceUnavailableTime") is not None
    changes = ended(both[1], copy, "", 0)
    if not (waited and is_down) or copy.text("JobLeaveForced") is not None:
        return Action(both, changes, settles=((Kind.CLEANUP, both[1]),)) if changes else None
    changes = (*changes, set_text(both[1], "JobLeaveForced", "true"))
    return Action(both, changes, says=f"{what}: given up, its resource does not answer")


def ended(copy_id: JobId, copy: ClassAd, reason: str, now: int) -> tuple[Change, ...]:
    """Records that remove a copy from the queue; none when it is leaving already."""
    if status_of(copy) == JobStatus.COMPLETED:
        stays = copy.text("LeaveJobInQueue") != "false"
    elif status_of(copy) == JobStatus.REMOVED:
        stays = copy.eval_bool("LeaveJobInQueue", False) is True
    else:
        return tuple(remove_records(copy_id, copy, reason, now))
    return (set_text(copy_id, "LeaveJobInQueue", "false"),) if stays else ()


def after(ad: ClassAd, changes: Iterable[Change], key: str) -> ClassAd:
    """The ad of a job as the records will leave it."""
    changed = ad.copy()
    for change in changes:
        if change.key == key and change.value:
            changed.set_text(change.name, change.value)
    return changed

"""Actions of a user on a job, as queue records: hold, release, remove, suspend, continue, vacate, edits.

The tools (for the owner of the spool) and the schedd daemon (for all other users) call the same functions, under the
queue lock.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache

from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.classad.kernel import native
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Change
from condor_py.model.states import CODE_NAMES, HoldCode, JobStatus
from condor_py.model.texts import as_integer, one_line

#: Makes a named tuple without its Python constructor: each run of a job has some fifty of these records.
_new = tuple.__new__


class Result(IntEnum):
    """Outcome of an action on one job, with the numbers of condor_hold -long."""

    ERROR = 0
    SUCCESS = 1
    NOT_FOUND = 2
    BAD_STATUS = 3
    ALREADY_DONE = 4
    PERMISSION_DENIED = 5
    LIMIT_EXCEEDED = 6


#: Marks a job whose output is to come before it leaves (condor_rm -transfer).
REMOVED_WITH_OUTPUT = "TransferOutputOnRemove"
#: Codes of holds that condor_hold leaves as they are; of any other hold it makes the user's own.
_HELD_FOR_GOOD = (HoldCode.USER_REQUEST, HoldCode.SPOOLING_INPUT)


def perform(
    action: str, job: JobId, ad: ClassAd, *, actor: str, reason: str | None, subcode: int | None, now: int
) -> tuple[Result, list[Change]]:
    """Records of ``action`` (hold, release, remove, removex, suspend, continue, vacate, vacate-fast) on one job.

    ``actor`` is the bare user name that ends up in the reason text; ``now`` is in Unix seconds.
    """
    handler = _HANDLERS[action]
    return handler(job, ad, _Request(action, actor, reason, subcode, now))


class _Request:
    __slots__ = ("action", "actor", "now", "reason", "subcode")

    def __init__(self, action: str, actor: str, reason: str | None, subcode: int | None, now: int) -> None:
        self.action = action
        self.actor = actor
        self.reason = reason
        self.subcode = subcode
        self.now = now

    def text(self, tool: str) -> str:
        return _said(tool, self.actor, self.reason)


def _said(tool: str, actor: str, reason: str | None) -> str:
    """The reason as stored: what was said, and who said it."""
    return f"{one_line(reason or '').strip() or 'via ' + tool} (by user {actor})"


def reason_text(action: str, actor: str, reason: str | None) -> str:
    """The reason of an action on whole clusters, as ``perform`` words it."""
    return _said(f"condor_{action}", actor, reason)


@lru_cache(maxsize=1024)
def key_of(job: JobId) -> str:
    """The key of a proc's records, some fifty of which come of one run."""
    return f"{job[0]}.{job[1]}"


def _set_text(job: JobId, name: str, text: str) -> Change:
    """One 103 record of a proc."""
    return _new(Change, (SET, key_of(job), name, text))


set_text: Callable[[JobId, str, str], Change] = _set_text
if native is not None:
    native.take_change(Change)
    set_text = native.set_text


def set_string(job: JobId, name: str, value: str) -> Change:
    """One 103 record with a string value, made fit for an ad."""
    return set_text(job, name, quote_string(one_line(value)))


def delete(job: JobId, name: str) -> Change:
    """One 104 record of a proc."""
    return _new(Change, (DELETE, key_of(job), name, ""))


def plus(job: JobId, ad: ClassAd, name: str, amount: int = 1) -> Change:
    """A counter of a job higher by ``amount``."""
    return set_text(job, name, str(ad.eval_int(name, 0) + amount))


def enter_status(job: JobId, ad: ClassAd, status: JobStatus, now: int) -> list[Change]:
    """A change of JobStatus with its time and the status before."""
    return [
        set_text(job, "LastJobStatus", str(status_of(ad))),
        set_text(job, "JobStatus", str(int(status))),
        set_text(job, "EnteredCurrentStatus", str(now)),
    ]


def rejection_records(job: JobId, ad: ClassAd, reason: str, now: int) -> list[Change]:
    """Why a job was not matched, if its ad does not tell that already."""
    if ad.eval_str("LastRejMatchReason", None) == reason:
        return []
    return [set_string(job, "LastRejMatchReason", reason), set_text(job, "LastRejMatchTime", str(now))]


def hold_records(job: JobId, ad: ClassAd, code: int, subcode: int, reason: str, now: int) -> list[Change]:
    """Everything that putting a job on hold writes."""
    changes = [
        set_string(job, "HoldReason", reason),
        plus(job, ad, "NumHolds"),
        set_text(job, "NumHoldsByReason", counted(ad.text("NumHoldsByReason"), CODE_NAMES.get(code, "Unspecified"))),
        set_text(job, "HoldReasonCode", str(code)),
        set_text(job, "HoldReasonSubCode", str(subcode)),
        *enter_status(job, ad, JobStatus.HELD, now),
        set_text(job, "LastSuspensionTime", "0"),
    ]
    changes += _retire(job, ad, "ReleaseReason", "LastReleaseReason")
    return changes


def counted(text: str | None, name: str) -> str:
    """A counter ad such as ``[ UserRequest = 1 ]`` with the counter ``name`` one higher."""
    counts: dict[str, int] = {}
    for item in (text or "").strip().strip("[]").split(";"):
        key, _, value = item.partition("=")
        if value.strip().isdecimal():
            counts[key.strip()] = as_integer(value)
    counts[name] = counts.get(name, 0) + 1
    return "[ " + "; ".join(f"{key} = {value}" for key, value in counts.items()) + " ]"


def _retire(job: JobId, ad: ClassAd, name: str, last: str) -> list[Change]:
    """Moves an attribute to its Last… name."""
    text = ad.text(name)
    return [] if text is None else [set_text(job, last, text), delete(job, name)]


def unhold_records(job: JobId, ad: ClassAd) -> list[Change]:
    """Moves the hold reason to its Last… attributes."""
    return [
        *_retire(job, ad, "HoldReason", "LastHoldReason"),
        *_retire(job, ad, "HoldReasonCode", "LastHoldReasonCode"),
        *_retire(job, ad, "HoldReasonSubCode", "LastHoldReasonSubCode"),
    ]


def release_records(job: JobId, ad: ClassAd, reason: str, now: int) -> list[Change]:
    """Everything that a release writes."""
    return [
        *enter_status(job, ad, JobStatus.IDLE, now),
        set_string(job, "ReleaseReason", reason),
        *unhold_records(job, ad),
    ]


def remove_records(job: JobId, ad: ClassAd, reason: str, now: int) -> list[Change]:
    """Everything that a removal writes before the job leaves."""
    return [
        *enter_status(job, ad, JobStatus.REMOVED, now),
        set_string(job, "RemoveReason", reason),
        *unhold_records(job, ad),
        delete(job, "JobStatusOnRelease"),
    ]


def stays_in_queue(ad: ClassAd) -> bool:
    """leave_in_queue: the job waits as completed until the expression is false."""
    return ad.eval_bool("LeaveJobInQueue", False) is True


def _is_gone(ad: ClassAd) -> bool:
    """Whether the job has completed and is on its way out: it is still here only until its history is written."""
    return status_of(ad) == JobStatus.COMPLETED and never_stays(ad)


def never_stays(ad: ClassAd) -> bool:
    """Whether leave_in_queue is not set, or plainly false."""
    return (ad.text("LeaveJobInQueue") or "false").lower() == "false"


def _hold(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    status = status_of(ad)
    if status == JobStatus.HELD and ad.eval_int("HoldReasonCode", 0) in _HELD_FOR_GOOD:
        return Result.ALREADY_DONE, []
    if status in (JobStatus.REMOVED, JobStatus.COMPLETED):
        return Result.BAD_STATUS, []
    reason = request.text("condor_hold")
    return Result.SUCCESS, hold_records(job, ad, HoldCode.USER_REQUEST, request.subcode or 0, reason, request.now)


def _release(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    if status_of(ad) != JobStatus.HELD:
        return Result.BAD_STATUS, []
    if ad.eval_int("HoldReasonCode", 0) == HoldCode.SPOOLING_INPUT:
        return Result.BAD_STATUS, []
    return Result.SUCCESS, release_records(job, ad, request.text("condor_release"), request.now)


def _remove(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    if status_of(ad) == JobStatus.REMOVED:
        return Result.ALREADY_DONE, []
    if _is_gone(ad):
        return Result.NOT_FOUND, []
    return Result.SUCCESS, remove_records(job, ad, request.text("condor_rm"), request.now)


def _remove_with_output(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    if status_of(ad) == JobStatus.REMOVED:
        return Result.ALREADY_DONE, []
    if _is_gone(ad):
        return Result.NOT_FOUND, []
    changes = remove_records(job, ad, request.text("condor_rm -transfer"), request.now)
    return Result.SUCCESS, [set_text(job, REMOVED_WITH_OUTPUT, "true"), *changes]


def _remove_forced(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    if status_of(ad) != JobStatus.REMOVED:
        return Result.BAD_STATUS, []
    reason = set_string(job, "RemoveReason", request.text("condor_rm -forcex"))
    return Result.SUCCESS, [reason, set_text(job, "JobLeaveForced", "true")]


def _on_running(job: JobId, ad: ClassAd, request: _Request) -> tuple[Result, list[Change]]:
    wanted = (
        (JobStatus.SUSPENDED,) if request.action == "continue" else (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT)
    )
    if request.action.startswith("vacate"):
        wanted = (JobStatus.RUNNING, JobStatus.SUSPENDED)
    if status_of(ad) not in wanted:
        return Result.BAD_STATUS, []
    # The schedd acts on this mark and deletes it; with no schedd running nothing runs that it could apply to.
    return Result.SUCCESS, [set_string(job, "RunCommand", request.action)]


_HANDLERS = {
    "hold": _hold,
    "release": _release,
    "remove": _remove,
    "remove-transfer": _remove_with_output,
    "removex": _remove_forced,
    "suspend": _on_running,
    "continue": _on_running,
    "vacate": _on_running,
    "vacate-fast": _on_running,
}
ACTIONS = tuple(_HANDLERS)

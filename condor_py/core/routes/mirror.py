"""A job shows what becomes of its copy: status, times, what it used; and the end of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from functools import lru_cache

from condor_py.core.jobs.actions import delete, enter_status, hold_records, plus, release_records, set_string, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import JobStatus

#: What is taken over as it is.
MIRRORED = (
    "BytesSent", "BytesRecvd", "CompletionDate", "JobRunCount", "JobStartDate", "ExitBySignal", "ExitSignal",
    "ExitCode",
    "ExitReason", "JobCurrentStartDate", "JobCurrentStartExecutingDate", "JobLastStartDate", "ShadowBday",
    "RemoteSysCpu", "RemoteUserCpu", "NumCkpts", "NumJobStarts", "NumJobReconnects", "NumShadowExceptions",
    "NumShadowStarts", "NumJobMatches", "NumRestarts", "RemoteWallClockTime", "LastRemoteWallClockTime",
    "JobCoreDumped",
    "ImageSize", "MemoryUsage", "ResidentSetSize", "ProportionalSetSizeKb", "DiskUsage", "ScratchDirFileCount",
    "SpooledOutputFiles", "CpusUsage", "CpusProvisioned", "DiskProvisioned", "MemoryProvisioned", "GPUsProvisioned",
    "ImageSize_RAW", "ResidentSetSize_RAW", "DiskUsage_RAW", "CumulativeRemoteUserCpu", "CumulativeRemoteSysCpu",
    "CumulativeSlotTime", "JobFinishedHookDone",
)  # fmt: skip
_RUNNING = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)
#: Says of a hold that it is the copy's.
COPIED_HOLD = "HoldCopiedFromTargetJob"


def attributes(
    job: JobId, ad: ClassAd, copy: ClassAd, prefixes: tuple[str, ...], more: Iterable[str] = ()
) -> Iterator[Change]:
    """The attributes that differ, those that the job may set of itself while it runs (``prefixes``) and those of
    ``more`` among them."""
    is_chirped = _chirped(prefixes)
    names: list[str] = [*MIRRORED, *(name for name, _ in copy.local_items() if is_chirped(name)), *more]
    for name in names:
        text = copy.text(name)
        if text is not None and text != ad.text(name):
            yield set_text(job, name, text)


def just_made(ad: ClassAd, copy: ClassAd) -> bool:
    """Whether a copy has never run: there is nothing yet to be shown of it."""
    idle = status_of(ad) == status_of(copy) == JobStatus.IDLE
    return idle and all(ad.text(name) == copy.text(name) for name in ("NumShadowStarts", "NumJobStarts"))


@lru_cache(maxsize=8)
def _chirped(prefixes: tuple[str, ...]) -> Callable[[str], object]:
    """Return a function that says whether one of the patterns fits a name."""
    return re.compile("|".join(map(translate, prefixes)) or "(?!)", re.IGNORECASE).match


def status(job: JobId, ad: ClassAd, copy: ClassAd, now: int) -> Iterator[Change]:
    """The records by which a job goes where its copy went: idle, running, or held for the copy's reason."""
    mine, theirs = status_of(ad), status_of(copy)
    held = ad.eval_bool(COPIED_HOLD, False)
    if theirs == JobStatus.HELD:
        if mine != JobStatus.HELD:
            yield from _held(job, ad, copy, now)
        return
    wanted = JobStatus.RUNNING if theirs in _RUNNING else JobStatus.IDLE
    if theirs not in (*_RUNNING, JobStatus.IDLE) or mine == wanted:
        return
    if mine == JobStatus.HELD and held:
        yield from release_records(job, ad, copy.eval_str("ReleaseReason", ""), now)
        yield delete(job, COPIED_HOLD)
    elif mine in (JobStatus.IDLE, *_RUNNING):
        yield from enter_status(job, ad, wanted, now)


def _held(job: JobId, ad: ClassAd, copy: ClassAd, now: int) -> Iterator[Change]:
    code, subcode = (copy.eval_int(name, 0) for name in ("HoldReasonCode", "HoldReasonSubCode"))
    yield from hold_records(job, ad, code, subcode, copy.eval_str("HoldReason", "") or "Unknown reason", now)
    yield plus(job, ad, "NumSystemHolds")
    yield set_text(job, COPIED_HOLD, "true")


def claimed(job: JobId, copy: JobId, name: str) -> list[Change]:
    """A job is the router's from now on; its copy is in the queue."""
    return [*reserved(job, name), set_string(job, "RoutedToJobId", str(copy))]


def reserved(job: JobId, name: str) -> list[Change]:
    """A job is the router's from now on."""
    return [set_string(job, "Managed", "External"), set_string(job, "ManagedManager", name)]


def finished(job: JobId, ad: ClassAd, now: int) -> list[Change]:
    """The copy has completed, and so has the job, which leaves."""
    return [
        set_string(job, "Managed", "ScheddDone"),
        set_string(job, "ManagedManager", ""),
        *enter_status(job, ad, JobStatus.COMPLETED, now),
    ]


def yielded(job: JobId, ad: ClassAd, now: int, release: bool) -> list[Change]:
    """The job is the schedd's again: idle, unless it is held for a reason of its own or on its way out.

    ``release``: a hold that was the copy's ends with the copy (JOB_ROUTER_RELEASE_ON_HOLD).
    """
    changes = [set_string(job, "Managed", "Schedd"), set_string(job, "ManagedManager", "")]
    before = status_of(ad)
    if before == JobStatus.HELD and ad.eval_bool(COPIED_HOLD, False):
        changes.append(delete(job, COPIED_HOLD))
        if release:
            changes += release_records(job, ad, "The routed copy is gone", now)
    elif before == JobStatus.IDLE or before in _RUNNING:
        changes += enter_status(job, ad, JobStatus.IDLE, now)
    return changes

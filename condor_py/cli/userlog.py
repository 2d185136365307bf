"""Jobs rebuilt from an event log (``condor_q -userlog``, ``condor_history -userlog``)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from functools import lru_cache

from condor_py.client.accounts import account_name
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.states import JobStatus
from condor_py.model.texts import as_integer
from condor_py.store.event_log import EventReader, LogEvent, parse

_USER_REQUEST = 1
#: What an ad has of its start: nothing was counted yet, and the log has neither command nor priority.
_START = (
    ("MyType", '"Job"'), ("TargetType", '"Machine"'), ("JobStatus", str(JobStatus.IDLE)), ("LastJobStatus", "0"),
    ("JobPrio", "0"), ("ImageSize", "0"), ("Cmd", '"???"'), ("LastSuspensionTime", "0"), ("CompletionDate", "0"),
    ("NumJobStarts", "0"), ("TotalSuspensions", "0"), ("NumSystemHolds", "0"), ("LocalUserCpu", "0.0"),
    ("RemoteUserCpu", "0.0"), ("LocalSysCpu", "0.0"), ("RemoteSysCpu", "0.0"), ("RemoteWallClockTime", "0.0"),
)  # fmt: skip
_USAGE = re.compile(r"(?:Usr|Sys) (\d+) (\d+):(\d+):(\d+)")
#: Attributes of event 028 that are its own and not those of the job.
_OF_EVENT = frozenset({"mytype", "cluster", "proc", "subproc", "eventtypenumber", "triggereventtypenumber",
                       "triggereventtypename"})  # fmt: skip


def jobs_of_log(path: str) -> list[ClassAd]:
    """One ad for each job that the log submits, by job id. What follows damage does not count. Raises CondorError.

    The owner is that of the file, for the log does not name one.
    """
    try:
        owner_id = os.stat(path).st_uid
    except OSError as error:
        raise CondorError(f"Can't open user log: {path}: {error.strerror}") from error
    owner = account_name(owner_id)
    jobs: dict[tuple[int, int, int], _Job] = {}
    for event in EventReader(path).sound_events():
        key = (event.cluster, event.proc, event.subproc)
        if event.number == JobEventType.SUBMIT:
            jobs[key] = _Job(event, owner, path)
        elif key in jobs:
            jobs[key].take(event)
    return [jobs[key].ad for key in sorted(jobs)]


def event_ad(event: LogEvent) -> ClassAd:
    """Return an event as an ad, which is empty for an event that cannot be read."""
    try:
        return ClassAd.from_text_items(parse(event))
    except ClassAdParseError:
        return ClassAd()


def used_seconds(event: ClassAd, attribute: str) -> list[int]:
    """Return the seconds of user and of system time in a usage attribute of an event; none if it has no usage."""
    found = _USAGE.findall(event.eval_str(attribute, ""))
    parts = (map(as_integer, each) for each in found)
    return [((days * 24 + hours) * 60 + minutes) * 60 + seconds for days, hours, minutes, seconds in parts]


def _names(ad: ClassAd) -> frozenset[str]:
    """Return the names of attributes in lower case. Many jobs share one set."""
    return _shared(tuple([name.lower() for name, _ in ad.text_items()]))


@lru_cache
def _shared(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(names)


class _Job:
    """A job in the making: its ad, and the attributes of the event before."""

    __slots__ = ("_before", "ad")

    def __init__(self, event: LogEvent, owner: str, path: str) -> None:
        self.ad = ClassAd.from_text_items(list(_START))
        submit = event_ad(event)
        self._before = _names(submit)
        when = int(event.time)
        numbers = (
            ("ClusterId", event.cluster), ("ProcId", event.proc), ("QDate", when), ("EnteredCurrentStatus", when),
            ("ServerTime", int(time.time())),
        )  # fmt: skip
        for name, number in numbers:
            self.ad.set_int(name, number)
        texts = (("GlobalJobId", f"localhost#{event.cluster}.{event.proc}#{when}"), ("Owner", owner), ("UserLog", path),
                 ("SubmitHost", submit.eval_str("SubmitHost", "")))  # fmt: skip
        for name, text in texts:
            self.ad.set_str(name, text)

    def take(self, event: LogEvent) -> None:
        """Bring the ad up to date with an event of the job."""
        ad = event_ad(event)
        change = _CHANGES.get(event.number)
        if change is not None:
            change(self, ad, int(event.time))
        self._before = _names(ad)

    def _becomes(self, status: int, when: int) -> int:
        """The state changes; the one before."""
        before = self.ad.eval_int("JobStatus", 0)
        self.ad.set_int("LastJobStatus", before)
        self.ad.set_int("JobStatus", status)
        self.ad.set_int("EnteredCurrentStatus", when)
        return before

    def _count(self, name: str) -> None:
        self.ad.set_int(name, self.ad.eval_int(name, 0) + 1)

    def _copy(self, source: ClassAd, attribute: str, name: str) -> None:
        text = source.text(attribute)
        if text is not None:
            self.ad.set_text(name, text)

    def _execute(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.RUNNING, when)
        self.ad.set_int("JobCurrentStartDate", when)
        self._count("NumJobStarts")
        for name in ("StartdIpAddr", "RemoteHost"):
            self._copy(event, "ExecuteHost", name)

    def _terminated(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.COMPLETED, when)
        self._copy(self.ad, "RemoteHost", "LastRemoteHost")
        self.ad.remove("RemoteHost")
        self.ad.set_int("CompletionDate", when)
        normal = bool(event.eval_bool("TerminatedNormally"))
        self.ad.set_bool("ExitBySignal", not normal)
        self._copy(event, *(("ReturnValue", "ExitCode") if normal else ("TerminatedBySignal", "ExitSignal")))
        for prefix, kind in (("Last", "Run"), ("", "Total")):
            for side in ("Local", "Remote"):
                used = used_seconds(event, f"{kind}{side}Usage")
                for name, seconds in zip(("User", "Sys"), used, strict=False):
                    self.ad.set_real(f"{prefix}{side}{name}Cpu", float(seconds))
        started = self.ad.eval_int("JobCurrentStartDate", None)
        if started is not None:
            self.ad.set_real("LastRemoteWallClockTime", float(when - started))
        last = self.ad.eval_real("LastRemoteWallClockTime", None)
        if last is not None:
            self.ad.set_real("RemoteWallClockTime", self.ad.eval_real("RemoteWallClockTime", 0.0) + last)

    def _evicted(self, event: ClassAd, when: int) -> None:
        self.ad.set_str("LastVacateReason", "")
        self._vacated(event, when)

    def _vacated(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.IDLE, when)
        self.ad.set_int("LastVacateTime", when)
        self._copy(event, "Reason", "LastVacateReason")

    def _shadow_exception(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.IDLE, when)
        self._copy(event, "Message", "LastVacateReason")

    def _suspended(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.SUSPENDED, when)
        self.ad.set_int("LastSuspensionTime", when)
        self._count("TotalSuspensions")

    def _unsuspended(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.RUNNING, when)

    def _held(self, event: ClassAd, when: int) -> None:
        if self._becomes(JobStatus.HELD, when) != JobStatus.IDLE:
            self.ad.set_int("LastVacateTime", when)
            self._copy(event, "HoldReason", "LastVacateReason")
        for name in ("HoldReason", "HoldReasonCode", "HoldReasonSubCode"):
            self._copy(event, name, name)
        if event.eval_int("HoldReasonCode", 0) != _USER_REQUEST:
            self._count("NumSystemHolds")

    def _released(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.IDLE, when)
        self._copy(event, "Reason", "ReleaseReason")

    def _aborted(self, event: ClassAd, when: int) -> None:
        self._becomes(JobStatus.REMOVED, when)
        self._copy(event, "Reason", "RemoveReason")

    def _sized(self, event: ClassAd, when: int) -> None:
        self._copy(event, "Size", "ImageSize")
        for name, unknown in (("ResidentSetSize", 0), ("ProportionalSetSize", -1)):
            self.ad.set_int(name, event.eval_int(name, unknown))

    def _informed(self, event: ClassAd, when: int) -> None:
        """028: its attributes are the job's, but for those of the event before it."""
        for name, text in event.text_items():
            if name.lower() not in _OF_EVENT and name.lower() not in self._before:
                self.ad.set_text(name, text)


_CHANGES: dict[int, Callable[[_Job, ClassAd, int], None]] = {
    JobEventType.EXECUTE: _Job._execute,
    JobEventType.JOB_EVICTED: _Job._evicted,
    JobEventType.JOB_TERMINATED: _Job._terminated,
    JobEventType.IMAGE_SIZE: _Job._sized,
    JobEventType.SHADOW_EXCEPTION: _Job._shadow_exception,
    JobEventType.JOB_ABORTED: _Job._aborted,
    JobEventType.JOB_SUSPENDED: _Job._suspended,
    JobEventType.JOB_UNSUSPENDED: _Job._unsuspended,
    JobEventType.JOB_HELD: _Job._held,
    JobEventType.JOB_RELEASED: _Job._released,
    JobEventType.JOB_RECONNECT_FAILED: _Job._vacated,
    JobEventType.JOB_AD_INFORMATION: _Job._informed,
}

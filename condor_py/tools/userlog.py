"""Jobs rebuilt from an event log (``condor_q -userlog``, ``condor_history -userlog``)."""

from __future__ import annotations

import os
import re
import time

from condor_py.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.store.event_log import EventReader, LogEvent

_IDLE, _RUNNING, _REMOVED, _COMPLETED, _HELD, _SUSPENDED = 1, 2, 3, 4, 5, 7
#: Event number -> the JobStatus that it leaves the job in.
_STATUS = {1: _RUNNING, 4: _IDLE, 5: _COMPLETED, 9: _REMOVED, 10: _SUSPENDED, 11: _RUNNING, 12: _HELD, 13: _IDLE}
_VANILLA = 5


def jobs_of_log(path: str) -> list[ClassAd]:
    """One ad for each job that the log submits, in the order of submission. Raises CondorError.

    The owner is that of the file, for the log does not name one.
    """
    try:
        owner_id = os.stat(path).st_uid
    except OSError as error:
        raise CondorError(f"Can't open user log: {path}: {error.strerror}") from error
    owner = _name(owner_id)
    jobs: dict[tuple[int, int], ClassAd] = {}
    for event in EventReader(path).read():
        key = (event.cluster, event.proc)
        if event.number == 0:
            jobs[key] = _submitted(event, owner, path)
        elif key in jobs:
            _apply(jobs[key], event)
    return list(jobs.values())


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _submitted(event: LogEvent, owner: str, path: str) -> ClassAd:
    ad = ClassAd()
    ad.set_int("ClusterId", event.cluster)
    ad.set_int("ProcId", event.proc)
    ad.set_str("Owner", owner)
    ad.set_int("QDate", int(event.time))
    ad.set_int("JobStatus", _IDLE)
    ad.set_int("JobUniverse", _VANILLA)
    ad.set_int("EnteredCurrentStatus", int(event.time))
    ad.set_text("RemoteUserCpu", "0.0")
    ad.set_int("JobPrio", 0)
    ad.set_int("ImageSize", 0)
    ad.set_int("ServerTime", int(time.time()))
    ad.set_str("UserLog", path)
    ad.set_str("Cmd", "???")  # the log does not tell
    return ad


def _apply(ad: ClassAd, event: LogEvent) -> None:
    status = _STATUS.get(event.number)
    if event.number == 6:
        size = re.search(r"Image size of job updated: (\d+)", event.text)
        if size:
            ad.set_int("ImageSize", int(size[1]))
    if status is None:
        return
    ad.set_int("JobStatus", status)
    ad.set_int("EnteredCurrentStatus", int(event.time))
    if event.number == 1:
        host = re.search(r"\n\tSlotName: (.*)", event.text) or re.search(r"host: (.*)", event.text)
        ad.set_str("RemoteHost", host[1] if host else "")
        ad.set_int("ShadowBday", int(event.time))
    elif event.number == 5:
        ad.set_int("CompletionDate", int(event.time))
        start = ad.eval_int("ShadowBday", None)
        if start is not None:
            ad.set_int("RemoteWallClockTime", int(event.time) - start)
        code = re.search(r"return value (-?\d+)", event.text)
        if code:
            ad.set_int("ExitCode", int(code[1]))
    elif event.number == 12:
        _held(ad, event)


def _held(ad: ClassAd, event: LogEvent) -> None:
    lines = [line.strip() for line in event.lines[1:]]
    if lines:
        ad.set_str("HoldReason", lines[0])
    codes = re.search(r"Code (\d+) Subcode (-?\d+)", event.text)
    if codes:
        ad.set_int("HoldReasonCode", int(codes[1]))
        ad.set_int("HoldReasonSubCode", int(codes[2]))

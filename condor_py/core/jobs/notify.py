"""E-mail to the owner of a job, and notices for their URL or desktop: ``notification``, ``notify_user``, ``notify_url``
and ``email_attributes`` of submit."""

from __future__ import annotations

import json
from enum import IntEnum
from time import localtime, strftime
from typing import TYPE_CHECKING

from condor_py.core.jobs.effects import Mail, Notify
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.notices import MOST_OF_TEXT, MOST_OF_URL, Notice
from condor_py.model.report import Usage
from condor_py.model.states import HoldCode
from condor_py.model.texts import one_line

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


class Notification(IntEnum):
    """Job attribute JobNotification."""

    NEVER = 0
    ALWAYS = 1
    COMPLETE = 2
    ERROR = 3
    START = 4


_BY_REQUEST = (HoldCode.USER_REQUEST, HoldCode.JOB_POLICY, HoldCode.SUBMITTED_ON_HOLD)


def _wish(ad: ClassAd) -> int:
    """Notification that the job requests; without the attribute none (Notification.NEVER)."""
    return ad.eval_int("JobNotification", 0)


def started(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """The job's program runs."""
    if _wish(ad) == Notification.START:
        host = ad.eval_str("RemoteHost", "")
        _send(core, job, ad, "has started", f"{_job_lines(job, ad)}\nhas started on {host}\n\n")
        _notify(core, job, ad, "started", "has started")


def held(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Something other than its owner put a job that ran on hold."""
    wish = _wish(ad)
    by_request = ad.eval_int("HoldReasonCode", 0) in _BY_REQUEST
    if wish == Notification.ALWAYS or (wish == Notification.ERROR and not by_request):
        reason = ad.eval_str("HoldReason", "")
        _send(core, job, ad, "put on hold", f"{_job_lines(job, ad)}\nis being put on hold.\n\n{reason}")
        _notify(core, job, ad, "held", "was put on hold", reason)


def removed(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """A policy removed a job that ran."""
    if _wish(ad) == Notification.ALWAYS:
        reason = ad.eval_str("RemoveReason", "")
        _send(core, job, ad, "removed", f"{_job_lines(job, ad)}\nis being removed.\n\n{reason}")
        _notify(core, job, ad, "removed", "was removed", reason)


def completed(core: ScheddState, job: JobId, ad: ClassAd, usage: Usage) -> None:
    """The job ended by itself and leaves. ``usage`` is that of its last run."""
    wish = _wish(ad)
    failed = ad.eval_bool("ExitBySignal", False) or ad.eval_bool("JobCoreDumped", False)
    failed = failed or ad.eval_int("ExitCode", 0) != ad.eval_int("JobSuccessExitCode", 0)
    if wish in (Notification.ALWAYS, Notification.COMPLETE) or (wish == Notification.ERROR and failed):
        text = _job_lines(job, ad) + _exit_lines(ad, core.now) + _network(ad, usage) + _custom(ad)
        _send(core, job, ad, "", text)
        _notify(core, job, ad, "completed", _ending(ad))


def _send(core: ScheddState, job: JobId, ad: ClassAd, subject: str, text: str) -> None:
    """Send a mail, unless the job has a URL for its notices and names no one to write to."""
    if ad.has("NotifyUrl") and not ad.has("NotifyUser"):
        return
    to = ad.eval_str("NotifyUser", None) or ad.eval_str("Owner", "")
    if "@" not in to:
        domain = core.settings.email_domain or ad.eval_str("UidDomain", None) or core.settings.uid_domain
        to = f"{to}@{domain}"
    core.out.emit(Mail(to, f"Condor Job {job} {subject}".rstrip(), text))


#: The version of the document that is posted.
_VERSION = 1


def _notify(core: ScheddState, job: JobId, ad: ClassAd, event: str, what: str, reason: str = "") -> None:
    """Post a notice to the URL of a job, and show it on the desktop of its owner, as far as these are wanted."""
    url = ad.eval_str("NotifyUrl", "")
    if not url and not core.settings.notify_desktop:
        return
    batch, owner = _short(ad.eval_str("JobBatchName", "")), ad.eval_str("Owner", "")
    line = f"Job {job}{f' ({batch})' if batch else ''} of {_short(owner)} {what}"
    line = f"{line}: {_short(reason)}" if reason else line
    ended = event == "completed"
    by_signal = ended and ad.eval_bool("ExitBySignal", False)
    document = {
        "version": _VERSION,
        "id": f"{ad.eval_str('GlobalJobId', '') or job}#{event}#{core.now}",
        "event": event,
        "text": line,
        "pool": core.settings.schedd_name,
        "job": str(job),
        "owner": _short(owner),
        "batch": batch,
        "command": _short(ad.eval_str("Cmd", "").rpartition("/")[2]),
        "submitted": ad.eval_int("QDate", 0),
        "started": ad.eval_int("JobCurrentStartDate", 0),
        "time": core.now,
        "exit_code": ad.eval_int("ExitCode", 0) if ended and not by_signal else None,
        "exit_signal": ad.eval_int("ExitSignal", 0) if by_signal else None,
        "reason": _short(reason),
        "reason_code": ad.eval_int("HoldReasonCode", 0) if event == "held" else 0,
        "wall_seconds": ad.eval_int("RemoteWallClockTime", 0),
        "memory_mb": ad.eval_int("MemoryUsage", 0),
    }
    core.out.emit(Notify(Notice(owner, str(job), url[: MOST_OF_URL + 1], line, json.dumps(document))))


def _short(text: str) -> str:
    """Return a text as one line that any JSON reader takes, cut to what a notice may have."""
    return one_line(text[:MOST_OF_TEXT]).encode("utf-8", "replace").decode("utf-8", "replace")


def _ending(ad: ClassAd) -> str:
    if ad.eval_bool("ExitBySignal", False):
        return ad.eval_str("ExitReason", None) or f"died on signal {ad.eval_int('ExitSignal', 0)}"
    return f"exited normally with status {ad.eval_int('ExitCode', 0)}"


def _job_lines(job: JobId, ad: ClassAd) -> str:
    lines = f"Condor job {job}\n"
    command = ad.eval_str("Cmd", "")
    if command:
        arguments = ad.eval_str("Arguments", None) or ad.eval_str("Args", None)
        lines += f"\t{command} {arguments}\n" if arguments else f"\t{command}\n"
    if batch := ad.eval_str("JobBatchName", None):
        lines += f"\tfrom batch {batch}\n"
    if directory := ad.eval_str("Iwd", None):
        lines += f"\tsubmitted from directory {directory}\n"
    return lines


def _exit_lines(ad: ClassAd, now: int) -> str:
    ending = _ending(ad)
    if ad.eval_bool("JobCoreDumped", False):
        ending += "\nCore file generated"
    queued = ad.eval_int("QDate", now) or now
    user, system = ad.eval_real("RemoteUserCpu", 0.0), ad.eval_real("RemoteSysCpu", 0.0)
    last = ad.eval_real("LastRemoteWallClockTime", 0.0)
    total = ad.eval_real("RemoteWallClockTime", 0.0)
    return (
        f"{ending}\n\n\nSubmitted at:        {_moment(queued)}\nCompleted at:        {_moment(now)}\n"
        f"Real Time:           {_duration(now - queued)}\n\n"
        f"Virtual Image Size:  {ad.eval_int('ImageSize', 0)} Kilobytes\n\nStatistics from last run:\n"
        f"Allocation/Run time:     {_duration(last)}\nRemote User CPU Time:    {_duration(user)}\n"
        f"Remote System CPU Time:  {_duration(system)}\nTotal Remote CPU Time:   {_duration(user + system)}\n\n"
        f"Statistics totaled from all runs:\nAllocation/Run time:     {_duration(total)}\n"
    )


def _network(ad: ClassAd, usage: Usage) -> str:
    amounts = (
        ("Run", "Received", usage.bytes_received),
        ("Run", "Sent", usage.bytes_sent),
        ("Total", "Received", ad.eval_real("BytesRecvd", 0.0)),
        ("Total", "Sent", ad.eval_real("BytesSent", 0.0)),
    )
    rows = [f"{_metric(amount):>10} {which} Bytes {way} By Job\n" for which, way, amount in amounts]
    return "\nNetwork:\n" + "".join(rows)


def _custom(ad: ClassAd) -> str:
    names = ad.eval_str("EmailAttributes", "").replace(",", " ").split()
    lines = [f"{name} = {text}\n" for name in names if (text := ad.text(name)) is not None]
    return "\n\n" + "".join(lines) if lines else ""


def _moment(when: int) -> str:
    return strftime("%a %b %e %H:%M:%S %Y", localtime(when))


def _duration(seconds: float) -> str:
    """``DAYS+HH:MM:SS``, the days in three columns."""
    days, rest = divmod(int(seconds), 86400)
    return f"{days:3d}+{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"


def _metric(amount: float) -> str:
    """Bytes with one digit and a unit, ``0.0 B ``."""
    for unit in ("B ", "KB", "MB", "GB"):
        if amount < 1024:
            return f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TB"

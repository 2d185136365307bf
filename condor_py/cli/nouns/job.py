"""``htcondor job``: one job, from its submit description to its output."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.bindings.enums import SubmitMethod
from condor_py.bindings.schedd import Schedd
from condor_py.bindings.submit import Submit
from condor_py.cli.nouns.words import duration, ending, size
from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd

_KIB, _MIB = 1024, 1024**2
#: Kinds of resources that HTCondor's command can ask others for, and what it says when the time is missing.
_ELSEWHERE = {
    "slurm": "Slurm resources must specify a runtime argument",
    "ec2": "Error: EC2 resources must specify a --runtime argument",
}


def submit(
    say: Say, submit_file: str, resource: str | None, runtime: int | None, email: str | None, annex_name: str | None
) -> None:
    """Queue the one job of a submit description. Raises CondorError, HTCondorException and OSError."""
    text = _read(submit_file)
    _refuse_elsewhere(resource, runtime)
    if annex_name is not None:
        raise CondorError("HPC Annex functionality has not been enabled by your HTCondor administrator.")
    description = Submit(text)
    description.setSubmitMethod(SubmitMethod.HTCondorJobSubmit, True)
    if description.getQArgs() not in ("", "1"):
        raise CondorError("Can only submit one job at a time")
    if runtime is not None or email is not None:
        say.warning("Warning: --runtime and --email do nothing without a --resource other than htcondor")
    description.issue_credentials()
    say(f"Job {Schedd().submit(description, count=1).cluster()} was submitted.")


def _read(path: str) -> str:
    if not os.path.exists(path):
        raise CondorError(f"Could not find file: {path}")
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise CondorError(f"Could not access file: {path}: {error.strerror}") from None


def _refuse_elsewhere(resource: str | None, runtime: int | None) -> None:
    kind = (resource or "htcondor").casefold()
    if kind == "htcondor":
        return
    if kind in _ELSEWHERE and runtime is None:
        raise CondorError(_ELSEWHERE[kind])
    raise CondorError(f"Error: {resource} resources are not supported: jobs run on this machine")


def status(say: Say, job_id: str, resource: str | None, skip_history: bool) -> None:
    """Tell in words what a job is doing."""
    ad = _find(say, job_id, resource, skip_history)
    number = ad.eval_int("JobStatus", 0)
    for line in _STATUS.get(number, _unknown)(_Sentences(job_id, ad)):
        say(line)
    if number in _STATUS:
        say(_goodput(ad))


def _find(say: Say, job_id: str, resource: str | None, skip_history: bool) -> ClassAd:
    """Return the ad of a job. CondorError when it does not exist, or could only exist elsewhere."""
    _refuse_elsewhere(resource, 0)
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?", job_id)
    if found is None:
        raise CondorError(f"{job_id} is not a job: CLUSTER.PROC is wanted")
    constraint = f"ClusterId == {found[1]} && ProcId == {found[2] or 0}"
    ads = Schedd().query(constraint, limit=1)
    if not ads and not skip_history:
        say(f"Job {job_id} was not found in the active queue, checking history...")
        say("(This may take a while, Ctrl-C to cancel.)")
        ads = Schedd().history(constraint, match=1)
    if not ads:
        raise CondorError(f"No job found for ID {job_id}.")
    ad: ClassAd = ads[0]
    return ad


class _Sentences:
    """The sentences about a job that several states share."""

    def __init__(self, job_id: str, ad: ClassAd) -> None:
        self.job = f"Job {job_id}"
        self.ad = ad

    def since(self, words: str, attribute: str) -> list[str]:
        """Return a sentence with the time since the time in an attribute; none where the job has no such time."""
        when = self.ad.eval_int(attribute, 0)
        return [words.format(duration(max(0.0, time.time() - when)))] if when > 0 else []

    def submitted(self) -> list[str]:
        return self.since("It was submitted {} ago.", "QDate")

    def usage(self, word: str) -> list[str]:
        """Return sentences on how much memory and disk the job used of what it requested."""
        lines = []
        for kind, unit in (("Memory", _MIB), ("Disk", _KIB)):
            used, asked = (self.ad.eval_real(name, None) for name in (f"{kind}Usage", f"Request{kind}"))
            if used is not None:
                share = "" if asked is None else f" out of {size(asked * unit)} requested"
                verb = "is" if word == "current" else "was"
                lines.append(f"Its {word} {kind.lower()} usage {verb} {size(used * unit)}{share}.")
        return lines

    def times(self, attribute: str, words: str, least: int = 1) -> list[str]:
        """Return a sentence on how often something happened; none below ``least``."""
        count = self.ad.eval_int(attribute, 0)
        return [words.format(n=count, s=ending(count))] if count >= least else []

    def attempts(self, least: int) -> list[str]:
        """Return sentences on how often the job was started."""
        tried = self.times("NumShadowStarts", "HTCondor has attempted to start the job {n} time{s}.", least)
        return tried + self.times("NumJobStarts", "The job has started {n} time{s}.", 0) if tried else []

    def input_transfer(self, unfinished: str) -> list[str]:
        """Return a sentence on how long the input transfer took; none where it has not begun."""
        begun, done = self.ad.eval_int("TransferInStarted", 0), self.ad.eval_int("TransferInFinished", 0)
        if not begun:
            return []
        return [f"Input file transfer took {duration(done - begun)}." if done >= begun else unfinished]


_HELD = "It has been held {n} time{s}."


def _idle(sentences: _Sentences) -> list[str]:
    ad = sentences.ad
    lines = [f"{sentences.job} is currently idle.", *sentences.submitted()]
    for kind, unit, word in (("Memory", _MIB, "memory"), ("Disk", _KIB, "disk space")):
        asked = ad.eval_real(f"Request{kind}", None)
        lines += [] if asked is None else [f"It requested {size(asked * unit)} of {word}."]
    lines += sentences.times("NumHolds", _HELD) + sentences.attempts(1)
    left = ad.eval_int("JobCoolDownExpiration", 0) - time.time()
    return lines + ([f"The job is in cool down and will be retried in {duration(left)}."] if left > 0 else [])


def _running(sentences: _Sentences) -> list[str]:
    return [
        f"{sentences.job} is currently running.",
        *sentences.since("It started running {} ago.", "JobStartDate"),
        *sentences.submitted(),
        *sentences.usage("current"),
        *sentences.times("TotalSuspensions", "It has been suspended {n} time{s}."),
        *sentences.times("NumHolds", _HELD),
        *sentences.attempts(2),
        *sentences.input_transfer("Input file transfer is in progress."),
    ]


def _suspended(sentences: _Sentences) -> list[str]:
    return [
        f"{sentences.job} is currently suspended.",
        *sentences.since("It has been suspended for {}.", "EnteredCurrentStatus"),
        *sentences.times("TotalSuspensions", "It has been suspended {n} time{s}."),
        *sentences.submitted(),
        *sentences.usage("last"),
    ]


def _transferring(sentences: _Sentences) -> list[str]:
    return [
        f"{sentences.job} is currently transferring output.",
        *sentences.since("It started transferring output {} ago.", "JobCurrentStartTransferOutputDate"),
        *sentences.submitted(),
        *sentences.usage("last"),
    ]


def _held(sentences: _Sentences) -> list[str]:
    started, reason = sentences.ad.eval_int("NumJobStarts", 0) > 0, sentences.ad.eval_str("HoldReason", "")
    return [
        f"{sentences.job} is currently held.",
        *sentences.since("It has been held for {}.", "EnteredCurrentStatus"),
        *([f'It was held because "{reason}".'] if reason else []),
        *sentences.times("NumHolds", _HELD),
        *sentences.submitted(),
        *(sentences.usage("last") if started else []),
        *sentences.attempts(1),
        *sentences.input_transfer("Input file transfer was in progress when the job was held."),
    ]


def _removed(sentences: _Sentences) -> list[str]:
    gone = sentences.since("It was removed {} ago.", "EnteredCurrentStatus")
    return [f"{sentences.job} was removed.", *gone, *sentences.submitted(), *sentences.usage("last")]


def _completed(sentences: _Sentences) -> list[str]:
    done = sentences.since("It completed {} ago.", "CompletionDate")
    return [f"{sentences.job} has completed.", *done, *sentences.submitted(), *sentences.usage("last")]


def _unknown(sentences: _Sentences) -> list[str]:
    return [f"{sentences.job} is in an unknown state (JobStatus = {sentences.ad.eval_int('JobStatus', 0)})."]


_STATUS: dict[int, Callable[[_Sentences], list[str]]] = {
    JobStatus.IDLE: _idle,
    JobStatus.RUNNING: _running,
    JobStatus.REMOVED: _removed,
    JobStatus.COMPLETED: _completed,
    JobStatus.HELD: _held,
    JobStatus.TRANSFERRING_OUTPUT: _transferring,
    JobStatus.SUSPENDED: _suspended,
}


def _goodput(ad: ClassAd) -> str:
    wall = ad.eval_real("RemoteWallClockTime", 0.0)
    share = 100 * ad.eval_real("CommittedTime", 0.0) / wall if wall > 0 else 0.0
    tense = "had" if ad.eval_int("JobStatus", 0) == JobStatus.COMPLETED else "has"
    return f"Job {tense} {share:.1f}% goodput for {duration(wall)} of wall clock time."


def out(say: Say, job_id: str, resource: str | None, skip_history: bool) -> None:
    """Print what a job wrote to its standard output."""
    _print_file(_find(say, job_id, resource, skip_history), "Out", "standard output")


def err(say: Say, job_id: str, resource: str | None, skip_history: bool) -> None:
    """Print what a job wrote to its standard error."""
    _print_file(_find(say, job_id, resource, skip_history), "Err", "standard error")


def log(say: Say, job_id: str, resource: str | None, skip_history: bool) -> None:
    """Print the event log of a job."""
    _print_file(_find(say, job_id, resource, skip_history), "UserLog", "event log")


def _print_file(ad: ClassAd, attribute: str, what: str) -> None:
    name = ad.eval_str(attribute, None)
    if not name:
        raise CondorError(f"The job has no {what}.")
    path = os.path.join(ad.eval_str("Iwd", ""), name)
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            sys.stdout.write(line)


def resources(say: Say, job_id: str, resource: str | None) -> None:
    """Tell the slot that a job runs on."""
    _refuse_elsewhere(resource, 0)
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?", job_id)
    if found is None:
        raise CondorError(f"{job_id} is not a job: CLUSTER.PROC is wanted")
    proc = f" && ProcId == {found[2]}" if found[2] else ""
    ads = Schedd().query(f"ClusterId == {found[1]}{proc}", ["RemoteHost"])
    if not ads:
        raise CondorError(f"No jobs found for ID {job_id}.")
    host = ads[0].eval_str("RemoteHost", None)
    if host is None:
        raise CondorError(f"Job {job_id} is not running yet.")
    say(f"Job is using resource {host}")

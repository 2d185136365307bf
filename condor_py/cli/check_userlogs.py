"""condor_check_userlogs: whether the events of logs fit together (manual, condor_check_userlogs)."""

from __future__ import annotations

import heapq
import os
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.cli.suggest import hint
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.store.event_log import EVENT_NAMES, EventReader, LogEvent

_CLUSTER_EVENTS = (JobEventType.CLUSTER_SUBMIT, JobEventType.CLUSTER_REMOVE)
#: The text of all complaints about how jobs ended is cut once it is longer than this.
_LONGEST = 1024

_SPEC = ToolSpec(
    name="condor_check_userlogs",
    usage="<log file 1> [log file 2] ... [log file n]",
    summary="Check job event logs for errors.",
    description=(
        "It prints the events of all the logs in the order of time and says where they contradict one another: a job "
        "that runs or ends without having been submitted, that ends twice, or that never ended."
    ),
    positional="<log file> ...",
    positional_help="job event logs",
    options=(
        Opt("help", 1, help="this text"),
        Opt("usage", 1, same_as="help", help="this text"),
    ),
    examples=(("condor_check_userlogs run.log", "are all jobs of run.log done, and did each run properly?"),),
    exit_status="0 when the logs are in order, 1 when they are not.",
    unknown="condor_check_userlogs: unknown option {arg}",
    see_also=("condor_wait", "condor_userlog"),
)
SPECS = (_SPEC,)


class _Seen:
    """Counts of the events of one job."""

    def __init__(self) -> None:
        self.submits = 0
        self.errors = 0
        self.aborts = 0
        self.terminations = 0
        self.scripts = 0

    @property
    def ends(self) -> int:
        """Ends of any kind."""
        return self.aborts + self.terminations


class _Job(NamedTuple):
    cluster: int
    proc: int
    subproc: int

    @property
    def complaint(self) -> str:
        """Return the beginning of a line about this job."""
        return f"BAD EVENT: job ({self.cluster}.{self.proc}.{self.subproc})"


class EventCheck:
    """Takes the events of all logs in order and says what is wrong with them."""

    def __init__(self) -> None:
        self._jobs: dict[_Job, _Seen] = {}

    def add(self, event: LogEvent) -> str:
        """Return the error in this event, given those before it; empty when there is none."""
        if event.number in _CLUSTER_EVENTS:
            return ""
        job = _Job(event.cluster, event.proc, event.subproc)
        seen = self._jobs.setdefault(job, _Seen())
        if event.number == JobEventType.SUBMIT:
            seen.submits += 1
            return self._submitted(job, seen)
        if event.number == JobEventType.EXECUTE:
            return self._executing(job, seen)
        if event.number == JobEventType.EXECUTABLE_ERROR:
            seen.errors += 1
        elif event.number == JobEventType.JOB_ABORTED:
            seen.aborts += 1
            return self._ended(job, seen)
        elif event.number == JobEventType.JOB_TERMINATED:
            seen.terminations += 1
            return self._ended(job, seen)
        elif event.number == JobEventType.POST_SCRIPT_TERMINATED:
            seen.scripts += 1
            return self._script_ended(job, seen)
        return ""

    def at_end(self) -> str:
        """Return the errors in the jobs as a whole; empty when there are none."""
        text = ""
        for job in sorted(self._jobs):
            if len(text) > _LONGEST:
                return text + " ..."
            wrong = self._final(job, self._jobs[job])
            if wrong:
                text += ("; " if text else "") + wrong
        return text

    def _submitted(self, job: _Job, seen: _Seen) -> str:
        if seen.ends != 0:
            return f"{job.complaint} submitted, total end count != 0 ({seen.ends})"
        if seen.submits != 1:
            return f"{job.complaint} submitted, submit count != 1 ({seen.submits})"
        return ""

    def _executing(self, job: _Job, seen: _Seen) -> str:
        if seen.ends != 0:
            return f"{job.complaint} executing, total end count != 0 ({seen.ends})"
        if seen.submits < 1:
            return f"{job.complaint} executing, submit count < 1 ({seen.submits})"
        return ""

    def _ended(self, job: _Job, seen: _Seen) -> str:
        if seen.scripts != 0:
            return f"{job.complaint} ended, post script count != 0 ({seen.scripts})"
        if seen.ends != 1:
            return f"{job.complaint} ended, total end count != 1 ({seen.ends})"
        if seen.submits < 1:
            return f"{job.complaint} ended, submit count < 1 ({seen.submits})"
        return ""

    def _script_ended(self, job: _Job, seen: _Seen) -> str:
        if _never_submitted(job, seen):
            return ""
        if seen.scripts > 1:
            return f"{job.complaint} post script ended, post script count > 1 ({seen.scripts})"
        if seen.ends < 1:
            return f"{job.complaint} post script ended, total end count < 1 ({seen.ends})"
        if seen.submits < 1:
            return f"{job.complaint} post script ended, submit count < 1 ({seen.submits})"
        return ""

    def _final(self, job: _Job, seen: _Seen) -> str:
        if _never_submitted(job, seen) or job.subproc != 0:
            return ""
        if seen.scripts > 1:
            return f"{job.complaint} ended, post script count > 1 ({seen.scripts})"
        if seen.ends != 1:
            return f"{job.complaint} ended, total end count != 1 ({seen.ends})"
        if seen.submits != 1:
            return f"{job.complaint} ended, submit count != 1 ({seen.submits})"
        return ""


def _never_submitted(job: _Job, seen: _Seen) -> bool:
    """A DAG node's script after a submit that failed belongs to no job."""
    return job == _Job(-1, 0, 0) and seen.submits == 0 and seen.terminations == 0 and seen.scripts > 0


class _Report:
    """Prints the events and counts the jobs."""

    def __init__(self) -> None:
        self.check = EventCheck()
        self.is_wrong = False
        self._submitted = 0
        self._left = 0

    def event(self, event: LogEvent) -> None:
        """One event, on a line of its own; what is wrong with it on stderr."""
        name = EVENT_NAMES.get(event.number, "FUTURE_EVENT")
        line = f"Log event: ULOG_{name} ({event.cluster}.{event.proc}.{event.subproc})"
        wrong = self.check.add(event)
        if wrong:
            self.complain(wrong)
        if event.number == JobEventType.SUBMIT:
            self._submitted += 1
            line += f' ("{_notes(event)}")' + self._totals(1)
        elif event.number == JobEventType.JOB_HELD:
            code = re.search(r"^[^\S\n]*Code (-?\d+) Subcode (-?\d+)", event.text, re.MULTILINE)
            line += f" (code={code[1] if code else 0} subcode={code[2] if code else 0})"
        elif event.number in (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED, JobEventType.EXECUTABLE_ERROR):
            line += self._totals(-1)
        sys.stdout.write(line + "\n")

    def complain(self, text: str) -> None:
        """A line on stderr; the logs are not in order."""
        self.is_wrong = True
        sys.stdout.flush()
        sys.stderr.write(text + "\n")

    def _totals(self, change: int) -> str:
        self._left += change
        return f"\n Total submitted: {self._submitted}; net submitted: {self._left}\n"


def _events(path: str) -> Iterator[LogEvent]:
    """Yield the events of a log, which may be larger than the memory."""
    return EventReader(path).events()


def _is_sound(path: str) -> bool:
    """Read all of a log; whether it has an event. Raises CondorError for damage: nothing of such a log counts."""
    is_empty = True
    for _ in _events(path):
        is_empty = False
    return not is_empty


def _notes(event: LogEvent) -> str:
    lines = event.lines
    return lines[1].strip() if len(lines) > 1 and event.text[:1] not in "<{" else ""


def main(argv: list[str]) -> int:
    """Run condor_check_userlogs."""
    args = parse(_SPEC, argv)
    if args.has("help") or not argv:
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    report = _Report()
    outcome = "ULOG_NO_EVENT"
    logs: list[str] = []
    known: set[tuple[int, int]] = set()
    for path in args.positional:
        try:
            file = os.stat(path)
            if (file.st_dev, file.st_ino) not in known:
                known.add((file.st_dev, file.st_ino))
                if not _is_sound(path):
                    hint(f"condor_check_userlogs: no event in {path}")
                logs.append(path)
        except OSError as error:
            report.complain(f"Error monitoring log file {path}: {error.strerror}")
        except CondorError as error:
            report.complain(f"ReadMultipleUserLogs: read error on log {path}: {error}")
            outcome = "ULOG_RD_ERROR"
    try:
        for event in heapq.merge(*map(_events, logs), key=lambda event: event.time):
            report.event(event)
    except CondorError as error:  # damaged since it was checked
        report.complain(f"ReadMultipleUserLogs: read error: {error}")
        outcome = "ULOG_RD_ERROR"
    sys.stdout.write(f"Log outcome: {outcome} \n")
    wrong = report.check.at_end()
    if wrong:
        report.complain(wrong)
        report.complain("CheckAllJobs() result: EVENT_ERROR")
    sys.stdout.write("Log(s) have error(s)\n" if report.is_wrong else "Log(s) are okay\n")
    return 1 if report.is_wrong else 0

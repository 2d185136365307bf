"""``htcondor eventlog``: a row for each job of event logs: where it ran, how often it was evicted, what it used."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from condor_py.cli.userlog import event_ad, used_seconds
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.store.event_log import EventReader, LogEvent

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say

_COLUMNS = ("Host", "Start Time", "Evict Time", "Evictions", "Wall Time", "Good Time", "CPU Usage")
_SITE_COLUMNS = ("Evictions", "Wall Time", "Good Time", "CPU Usage", "Job Starts", "Job Successes", "Job Failures")
_TIMES = frozenset(("Wall Time", "Good Time", "CPU Usage"))
_LEAST_TIME = 13
_HEADER_EVERY = 50
_POLL = 0.5
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")


@dataclass(slots=True)
class _Job:
    """The state of a job according to the log so far; times are Unix times, durations seconds."""

    host: str = ""
    starts: int = 0
    evictions: int = 0
    first_start: float | None = None
    last_start: float | None = None
    ended: float | None = None
    cpu: int | None = None
    good: float | None = None
    returned: int | None = None
    group: str = ""

    def values(self) -> dict[str, Any]:
        """The columns; durations as seconds."""
        wall = None
        if self.ended is not None and self.first_start is not None:
            wall = max(0, self.ended - self.first_start)
        shown = (self.host, _date(self.first_start), _date(self.ended), self.evictions, wall, self.good, self.cpu)
        return dict(zip(_COLUMNS, shown, strict=True))

    def numbers(self) -> dict[str, Any]:
        """The columns for a program: durations in whole seconds, 0 where not known."""
        return {name: int(value or 0) if name in _TIMES else value for name, value in self.values().items()}

    def facts(self) -> dict[str, Any]:
        """All that is known, by the names that HTCondor's JSON has for it; a time that has not come is left out."""
        found = {"Submitted": True, "Executed": self.starts > 0, "starts": self.starts, **self.numbers()}
        found["last_exec_time"] = _date(self.last_start)
        if self.ended is not None:
            found["Return Value"] = self.returned
        return {name: value for name, value in found.items() if value != ""}


def read(say: Say, log_files: list[str], json: bool, csv: bool, groupby: str | None) -> None:
    """Print a row for each job of the logs. Raises CondorError and OSError."""
    jobs: dict[str, _Job] = {}
    for path in log_files:
        _read(path, groupby, jobs)
    _print(jobs, json, csv, groupby)


def follow(say: Say, log_file: str, json: bool, csv: bool, groupby: str | None) -> None:
    """As ``read``, again whenever the log has grown, until it is interrupted, which is how it ends well."""
    seen = -1
    try:
        while True:
            size = os.stat(log_file).st_size
            if size != seen:
                seen = size
                read(say, [log_file], json, csv, groupby)
                sys.stdout.flush()
            time.sleep(_POLL)
    except KeyboardInterrupt:
        sys.stdout.write(" Exiting...\n")


def histogram(say: Say, log_file: str, instant: bool) -> None:
    """Draw the states of the jobs of a log over time. Raises CondorError and OSError."""
    from condor_py.cli.nouns.histogram import show

    show(log_file, instant)


def _read(path: str, groupby: str | None, jobs: dict[str, _Job]) -> None:
    if not os.path.exists(path):
        raise CondorError(f"Could not find file: {path}")
    for event in EventReader(path).sound_events():
        key = f"{event.cluster}.{event.proc}"
        if event.number == JobEventType.SUBMIT:
            jobs.setdefault(key, _Job())
        job = jobs.get(key)
        if job is None:
            continue  # a job whose beginning is not in the log
        if event.number == JobEventType.JOB_ABORTED and not job.starts:
            del jobs[key]
        else:
            _take(job, event, groupby)


def _take(job: _Job, event: LogEvent, groupby: str | None) -> None:
    ad = event_ad(event)
    if event.number == JobEventType.SUBMIT:
        found = _ADDRESS.search(ad.eval_str("SubmitHost", None) or "")
        job.host = found[0] if found else ""
    elif event.number == JobEventType.EXECUTE:
        job.host = ad.eval_str("SlotName", None) or job.host
        if groupby is not None:
            props = ad.eval("ExecuteProps") if ad.has("ExecuteProps") else None
            job.group = str(props.get(groupby, "")) if isinstance(props, ClassAd) else job.group
        job.starts += 1
        job.first_start = event.time if job.first_start is None else job.first_start
        job.last_start = event.time
    elif event.number in (JobEventType.JOB_EVICTED, JobEventType.JOB_TERMINATED):
        _ended(job, event, ad)


def _ended(job: _Job, event: LogEvent, ad: ClassAd) -> None:
    evicted = event.number == JobEventType.JOB_EVICTED
    job.cpu = sum(used_seconds(ad, "RunRemoteUsage" if evicted else "TotalRemoteUsage"))
    job.ended = event.time
    job.evictions += evicted
    # The clock may have been set back, or the log come from another time zone.
    job.good = 0 if evicted or job.last_start is None else max(0, event.time - job.last_start)
    job.returned = ad.eval_int("ReturnValue", None)


def _date(moment: float | None) -> str:
    if moment is None:
        return ""
    at = time.localtime(moment)
    return f"{at.tm_mon}/{at.tm_mday}/{at.tm_year % 100:02d} {at.tm_hour:02d}:{at.tm_min:02d}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    days, rest = divmod(int(seconds), 86400)
    return f"{days}+{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


def _shown(values: dict[str, Any]) -> list[str]:
    return [_duration(value) if name in _TIMES else str(value) for name, value in values.items()]


def _print(jobs: dict[str, _Job], as_json: bool, as_csv: bool, groupby: str | None) -> None:
    if as_json:
        found: object = [{"Job ID": key, **job.facts()} for key, job in jobs.items()]
        if groupby is not None:
            found = {site: _values_of_site(sums) for site, sums in _by_group(jobs.values()).items()}
        sys.stdout.write(json.dumps(found, indent=4) + "\n")
        return
    if groupby is not None:
        rows = _by_group(jobs.values())
        title, columns = "Site", _SITE_COLUMNS
    else:
        columns = _COLUMNS
        rows = {key: job.numbers() if as_csv else job.values() for key, job in jobs.items()}
        title = "Job ID" if as_csv else "Job"
    names = list(next(iter(rows.values()), dict.fromkeys(columns)))
    in_seconds = as_csv and groupby is None
    table = [[key, *(map(str, values.values()) if in_seconds else _shown(values))] for key, values in rows.items()]
    if as_csv:
        sys.stdout.writelines(",".join(row) + "\n" for row in [[title, *names], *table])
    else:
        _columns([title, *names], table)


def _values_of_site(sums: dict[str, Any]) -> dict[str, Any]:
    """The sums of a site by the names of HTCondor's JSON, which has them as the table shows them."""
    return {name.removeprefix("Job "): _duration(value) if name in _TIMES else value for name, value in sums.items()}


def _columns(header: list[str], rows: list[list[str]]) -> None:
    """The rows below their header, which comes again for every page."""
    widths = [max(len(row[at]) for row in [header, *rows]) + 2 for at in range(len(header))]
    widths = [max(width, _LEAST_TIME) if name in _TIMES else width for name, width in zip(header, widths, strict=True)]
    for number, row in enumerate(rows or [[]]):
        if number % _HEADER_EVERY == 0:
            sys.stdout.write(" ".join(map(str.ljust, header, widths)).rstrip() + "\n")
        if row:
            sys.stdout.write(" ".join(map(str.ljust, row, widths)).rstrip() + "\n")


def _by_group(jobs: Iterable[_Job]) -> dict[str, dict[str, Any]]:
    """Sums over the jobs that ran in one place."""
    groups: dict[str, dict[str, Any]] = {}
    for job in jobs:
        if not job.group:
            continue
        sums = groups.setdefault(job.group, dict.fromkeys(_SITE_COLUMNS, 0))
        values = job.values()
        for name in _SITE_COLUMNS[:4]:
            sums[name] += values[name] or 0
        sums["Job Starts"] += job.starts
        if job.returned is not None:
            sums["Job Failures" if job.returned else "Job Successes"] += 1
    return groups

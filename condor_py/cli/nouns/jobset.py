"""``htcondor jobset``: jobs that were submitted as one set."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.bindings import session
from condor_py.bindings.enums import JobAction, QueryOpt, SubmitMethod
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.schedd import Schedd
from condor_py.bindings.submit import Submit
from condor_py.cli.nouns.words import ending
from condor_py.lang.classad import quote_string
from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd


_STATES = ("Idle", "Running", "Held", "Completed", "Suspended", "Removed")
_ALWAYS = frozenset(("Idle", "Running", "Completed"))
#: Before the names of the counts of jobs that run next to the schedd, as condor_dagman does.
_SCHEDULER = "Scheduler"


def submit(say: Say, job_set_file: str) -> None:
    """Queue the jobs of a set, all or none. Raises CondorError, HTCondorException and OSError."""
    described = read_set(job_set_file)
    if not session.pool().config.boolean("USE_JOBSETS"):
        raise CondorError(
            "Job sets not enabled on this schedd by an administrator, because USE_JOBSETS is false in the "
            "configuration.  Skipping submit."
        )
    if not described.jobs:
        say.warning(f"Warning: No jobs found in {job_set_file}")
    schedd = Schedd()
    clusters: list[int] = []
    try:
        for description in [_description(described, text) for text in described.jobs]:
            clusters.append(schedd.submit(description, itemdata=iter(described.items)).cluster())
    except BaseException:
        _take_back(schedd, clusters, described.name)
        raise
    say(f"Submitted job set {described.name} containing {len(clusters)} job clusters.")


def _description(described: JobSetFile, text: str) -> Submit:
    description = Submit(text)
    description.setSubmitMethod(SubmitMethod.HTCondorJobSetSubmit, True)
    description["MY.JobSetName"] = quote_string(described.name)
    description["MY.InJobSet"] = "True"
    return description


def _take_back(schedd: Schedd, clusters: list[int], name: str) -> None:
    """The jobs that were queued before one could not be."""
    for cluster in clusters:
        with contextlib.suppress(HTCondorException):
            schedd.act(JobAction.Remove, f"ClusterId == {cluster}", f"Aborted job set {name} submission.")


def list_sets(say: Say, allusers: bool) -> None:
    """Print the names of the sets that have jobs in the queue."""
    found = sorted({(ad["Owner"], ad["JobSetName"]) for ad in _sets(None if allusers else _me())})
    if not found:
        say.error("No active job sets found.")
        return
    width = max(len(owner) for owner, _ in found) if allusers else 0
    rows = [("OWNER", "JOB_SET_NAME"), *found]
    for owner, name in rows:
        sys.stdout.write(f"{owner:<{width}}  {name}\n" if allusers else f"{name}\n")


def _me() -> str:
    return session.pool().owner


def _sets(owner: str | None, name: str | None = None) -> list[ClassAd]:
    wanted = ['MyType == "JobSet"']
    if owner is not None:
        wanted.append(f"Owner == {quote_string(owner)}")
    if name is not None:
        wanted.append(f"JobSetName == {quote_string(name)}")
    return Schedd().query(" && ".join(wanted), opts=QueryOpt.IncludeJobsetAds)


def status(say: Say, job_set_name: str, owner: str | None, nobatch: bool, skip_history: bool) -> None:
    """Tell how many jobs of a set are in which state, and what clusters it has."""
    owner = owner or _me()
    ads = _sets(owner, job_set_name)
    if not ads:
        raise CondorError(f'No active job sets found matching "{job_set_name}" for user {owner}.')
    name = ads[0]["JobSetName"]
    wanted = ["ClusterId", "ProcId", "JobStatus", "JobUniverse"]
    jobs = Schedd().query(_members(name, owner), wanted)
    gone: list[ClassAd] = []
    if not skip_history:
        here = {_id(job) for job in jobs}  # a job leaves the queue a moment after it was recorded
        past = Schedd().history(_members(name, owner), wanted)
        gone = [job for job in past if _id(job) not in here]
    parts = [_counted(*count) for count in _counts(ads[0], gone).items()]
    say(f"{name} currently has {', '.join(parts[:-1])}, and {parts[-1]}.")
    say(f"{name} contains:")
    for line in _rows([*jobs, *gone]) if nobatch else _clusters([*jobs, *gone]):
        say(line)


def _id(job: ClassAd) -> tuple[int, int]:
    return job["ClusterId"], job["ProcId"]


def _members(name: str, owner: str) -> str:
    return f"JobSetName == {quote_string(name)} && Owner == {quote_string(owner)}"


def _counts(ad: ClassAd, gone: list[ClassAd]) -> dict[str, int]:
    """State, after ``Scheduler`` for such jobs -> jobs in it; those that left the queue count as they were then."""
    names = [kind + state for kind in ("", _SCHEDULER) for state in _STATES]
    counts = {name: ad.eval_int(f"Num{name}", 0) for name in names}
    for job in gone:
        kind = _SCHEDULER if job.eval_int("JobUniverse", 0) == Universe.SCHEDULER else ""
        counts[kind + ("Completed" if job.eval_int("JobStatus", 0) == JobStatus.COMPLETED else "Removed")] += 1
    return {name: count for name, count in counts.items() if count or name in _ALWAYS}


def _counted(name: str, count: int) -> str:
    kind = "DAGMan scheduler " if name.startswith(_SCHEDULER) else ""
    return f"{count} {kind}job{ending(count)} {name.removeprefix(_SCHEDULER).lower()}"


def _clusters(jobs: list[ClassAd]) -> list[str]:
    counts: dict[int, int] = {}
    for job in jobs:
        counts[job["ClusterId"]] = counts.get(job["ClusterId"], 0) + 1
    return [f"\tJob cluster {cluster} with {n} total job{ending(n)}" for cluster, n in sorted(counts.items())]


def _rows(jobs: list[ClassAd]) -> list[str]:
    found = sorted((job["ClusterId"], job["ProcId"], job["JobStatus"]) for job in jobs)
    return [f"\tJob {cluster}.{proc} {JobStatus(state).name.lower()}" for cluster, proc, state in found]


def remove(say: Say, job_set_name: str, owner: str | None) -> None:
    """Remove the jobs of a set."""
    owner = owner or _me()
    reason = f"via htcondor jobset remove (by user {_me()})"
    totals = Schedd().act(JobAction.Remove, _members(job_set_name, owner), reason)
    say(f"Removed {totals['TotalSuccess']} jobs matching job set {job_set_name} for user {owner}.")
    if totals["TotalPermissionDenied"] or totals["TotalError"]:
        refused = totals["TotalPermissionDenied"] + totals["TotalError"]
        say.warning(f"Warning: Could not remove {refused} matching jobs.")


class JobSetFile(NamedTuple):
    """The content of a description: ``items`` as column -> value, ``jobs`` as submit descriptions without queue."""

    name: str
    items: list[dict[str, str]]
    jobs: list[str]


def read_set(path: str) -> JobSetFile:
    """The set that a file describes. Raises CondorError naming file and line, and OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return _Reader(path, file.read().split("\n")).read()


class _Reader:
    def __init__(self, path: str, lines: list[str]) -> None:
        self._path = path
        self._lines: Iterator[tuple[int, str]] = enumerate(lines, 1)
        self._number = 0
        self._name: str | None = None
        self._items: list[dict[str, str]] | None = None
        self._jobs: list[str] = []

    def read(self) -> JobSetFile:
        for number, line in self._lines:
            self._number = number
            text = line.partition("#")[0].strip()
            if text:
                self._statement(text)
        if self._name is None:
            raise CondorError(f"Required name not found in {self._path}")
        if self._items is None:
            raise CondorError(f"Required iterator not found in {self._path}")
        return JobSetFile(self._name, self._items, self._jobs)

    def _statement(self, text: str) -> None:
        command = re.split(r"[\s={]", text, maxsplit=1)[0].casefold()
        if command == "name":
            self._set_name(self._value(command, text))
        elif command == "iterator":
            self._set_items(self._value(command, text))
        elif command == "job":
            self._add_job(text[len(command) :].strip())
        else:
            raise self._fail(f'Unrecognized command "{command}" in {{place}}.')

    def _fail(self, words: str) -> CondorError:
        return CondorError(words.replace("{place}", f"{self._path} at line {self._number}"))

    def _value(self, command: str, text: str) -> str:
        _, equals, value = text.partition("=")
        if not equals:
            raise self._fail(f"Malformed {command} command in {{place}}.")
        return value.strip()

    def _set_name(self, value: str) -> None:
        if self._name is not None:
            raise self._fail("Job set name can only be set once, second name found in {place}.")
        if not value:
            raise self._fail("Blank job set name found in {place}.")
        self._name = value

    def _set_items(self, value: str) -> None:
        if self._items is not None:
            raise self._fail("Job set iterator can only be set once, second iterator found in {place}.")
        words = value.replace(",", " ").split()
        if len(words) < 3:
            raise self._fail(f'Unparseable iterator "{value}" in {{place}}.')
        if words[0] != "table":
            raise self._fail(f'Unknown iterator type "{words[0]}" in {{place}}.')
        start, source = self._number, self._path
        if words[-1] == "{":
            lines = self._block()
        else:
            start, source = 0, words[-1]
            lines = self._file("table file", source)
        self._items = _items(words[1:-1], lines, source, start)

    def _add_job(self, text: str) -> None:
        words = text.split()
        if not words:
            raise self._fail("Malformed job command in {place}.")
        names = self._mappings(",".join(words[:-1]))
        lines = self._block() if words[-1] == "{" else self._file("submit description file", words[-1])
        description = "\n".join(line.lstrip() for line in lines)
        for name, column in names.items():
            description = _renamed(description, name, column)
        self._jobs.append(description)

    def _mappings(self, text: str) -> dict[str, str]:
        """Names that a description uses for columns of the table: ``A=To``."""
        pairs = [part.split("=") for part in text.split(",") if part]
        for pair in pairs:
            if len(pair) != 2:
                raise self._fail(f'Unsupported mapping "{text}" in {{place}}.')
        return {name.strip(): column.strip() for name, column in pairs}

    def _block(self) -> list[str]:
        """The lines up to the bracket that closes."""
        start = self._number
        lines: list[str] = []
        for number, line in self._lines:
            text = line.partition("#")[0].strip()
            if text == "}":
                self._number = number
                return lines
            if text.endswith(" {") or text == "{":
                break
            lines.append(line)
        self._number = start
        raise CondorError(f"Unclosed bracket in {self._path} starting at line {start}.")

    def _file(self, what: str, name: str) -> list[str]:
        try:
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                return file.read().split("\n")
        except OSError as error:
            raise CondorError(
                f"Error opening {what} {name} in {self._path} at line {self._number}:\n{error.strerror}"
            ) from None


def _renamed(text: str, name: str, column: str) -> str:
    """Return ``text`` with ``$(name)`` as ``$(column)``."""
    return re.sub(rf"\$\({re.escape(name)}\)", lambda _: f"$({column})", text, flags=re.IGNORECASE)


def _items(names: list[str], lines: list[str], source: str, start: int) -> list[dict[str, str]]:
    items = []
    for number, line in enumerate(lines, start + 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        values = [value.strip() for value in text.split(",")]
        if len(values) != len(names):
            raise CondorError(
                f"Mismatch between number of iterator names ({len(names)}) and values ({len(values)}) in {source} "
                f"at line {number}."
            )
        items.append(dict(zip(names, values, strict=True)))
    return items

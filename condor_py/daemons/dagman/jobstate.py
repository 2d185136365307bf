"""The jobstate log: one line for whatever happens to a node, for programs that watch a DAG."""

from __future__ import annotations

import os
import time

from condor_py.core.dag.actions import Noted
from condor_py.core.dag.progress import Progress
from condor_py.daemons.dagman.nodeslog import NOOP_PROC, Read
from condor_py.daemons.dagman.outlog import append
from condor_py.lang.config.loader import read_text
from condor_py.model.texts import as_integer

# The tags of nodes in the jobstate log: a command of the submit file, for programs that plan DAGs.

_NAMED_BY, _DEFAULT, _NONE = "+job_tag_name", "+pegasus_site", "-"


class JobTags:
    """Reads each submit file once."""

    def __init__(self, p: Progress) -> None:
        self._p = p
        self._known: dict[tuple[str, str], str] = {}

    def of(self, node: int) -> str:
        """The value of the command that ``+job_tag_name`` names, else of ``+pegasus_site``; "-" without one."""
        dag = self._p.dag
        key = (dag.directories[node], dag.submits[node])
        if key not in self._known:
            self._known[key] = _tag(os.path.join(*key) if key[0] else key[1])
        return self._known[key]


def _tag(path: str) -> str:
    try:
        commands = _commands(read_text(path))
    except (OSError, ValueError):
        return _NONE
    return commands.get(commands.get(_NAMED_BY, "").lower() or _DEFAULT) or _NONE


def _commands(text: str) -> dict[str, str]:
    """Return what is before ``=`` in lower case, mapped to what is after it without quotes; the last one counts."""
    found = {}
    for line in text.replace("\\\n", "").split("\n"):
        name, equals, value = line.partition("=")
        if equals:
            found[name.strip().lower()] = value.strip().removeprefix('"').removesuffix('"')
    return found


_INTERNAL = "INTERNAL"
_WITH_CODE = ("JOB_SUCCESS", "JOB_FAILURE")
_OF_POST = "POST_SCRIPT_"


class JobstateLog:
    """Appends to the file that JOBSTATE_LOG names; "" for none."""

    def __init__(self, p: Progress, path: str, dagman: str) -> None:
        self._p = p
        self._tags = JobTags(p)
        self._path = path
        self._dagman = dagman
        self._lines: list[str] = []
        #: What found no room.
        self._late = b""
        #: The number of each try of a node: (node, retry).
        self._numbers: dict[tuple[int, int], int] = {}
        self._next = 1
        #: When something last happened to each node.
        self._last: dict[int, int] = {}
        self._written: set[str] = set()

    def begin(self, recovery: bool, rescue: bool) -> None:
        """The DAG starts. In recovery lines that are there already are not written again: with a rescue file their
        numbers follow those from before the run that is recovered."""
        if not self._path:
            return
        before = self._old_lines() if recovery or rescue else []
        if rescue:
            earlier = before[: _start_of_run(before)] if recovery else before
            self._next = 1 + max((_sequence(line) for line in earlier), default=0)
        self.internal(f"DAGMAN_STARTED {self._dagman}")
        if recovery:
            self._written = {line for line in before if f" {_INTERNAL} " not in line}
            self.internal("RECOVERY_STARTED")

    def recovered(self) -> None:
        """Recovery is over."""
        self.internal("RECOVERY_FINISHED")
        self.flush()
        self._written.clear()

    def internal(self, what: str) -> None:
        """A line about condor_dagman itself."""
        if self._path:
            self._lines.append(f"{int(time.time())} {_INTERNAL} *** {what} ***")

    def event(self, node: int, read: Read) -> None:
        """An event of the nodes log."""
        if self._path:
            event = read.event
            job = f"{event.cluster}.{event.proc}" if event.cluster != -1 else "-"
            self._last[node] = int(read.time)
            self._write(node, read.title.removeprefix("ULOG_"), job, self._p.tries.retries.get(node, 0))

    def noted(self, action: Noted) -> None:
        """Write a line for a transition that no event of the nodes log represents."""
        if not self._path or action.what.startswith("HOLD"):
            return
        third = "-"
        if action.what in _WITH_CODE:
            third = str(action.code or 0)
        elif action.what.startswith(_OF_POST) and action.job is not None:
            cluster, subproc = action.job
            third = f"{cluster}.{NOOP_PROC if subproc else 0}"
        self._write(action.node, action.what, third, action.retry)

    def _write(self, node: int, what: str, third: str, retry: int) -> None:
        key = (node, retry)
        if key not in self._numbers:
            self._numbers[key] = self._next
            self._next += 1
        when = self._last.get(node) or int(time.time())
        line = f"{when} {self._p.dag.names[node]} {what} {third} {self._tags.of(node)} - {self._numbers[key]}"
        if line not in self._written:
            self._lines.append(line)

    def flush(self) -> None:
        """Write what is to be written. On a full disk it waits for room; what cannot be written otherwise is lost."""
        lines, self._lines = self._lines, []
        data = self._late + "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        if data:
            self._late = append(self._path, data)

    def _old_lines(self) -> list[str]:
        if not os.path.exists(self._path):
            return []
        try:
            with open(self._path, encoding="utf-8", errors="surrogateescape") as file:
                return file.read().splitlines()
        except OSError:
            return []


def _start_of_run(lines: list[str]) -> int:
    """Return where the last run begins: with a start of condor_dagman that recovered nothing."""
    for at in range(len(lines) - 1, -1, -1):
        recovers = at + 1 < len(lines) and lines[at + 1].endswith("*** RECOVERY_STARTED ***")
        if " *** DAGMAN_STARTED " in lines[at] and not recovers:
            return at
    return 0


def _sequence(line: str) -> int:
    last = line.rpartition(" ")[2]
    return as_integer(last) if last.isdecimal() else 0

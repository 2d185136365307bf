"""The nodes log: what it says, as the core understands it, and the events that condor_dagman adds to it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.dag.actions import JobEvent
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.lang.classad.lexer import unescape
from condor_py.model.errors import NoSpace, StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.later import Later
from condor_py.model.texts import as_integer
from condor_py.store.event_log import EVENT_NAMES, EventReader, LogEvent, append, event_text, typed

if TYPE_CHECKING:
    from condor_py.lang import events
else:
    events = Later("condor_py.lang.events")  # all kinds of events: most DAGs need none of them

#: The job of an empty node is (0.NOOP_PROC.N), as in DAGMan.
NOOP_PROC = 2147483647
_NOOP_HOST = "<dummy-submit-for-noop-job>"
SUBMITS = (JobEventType.SUBMIT, JobEventType.CLUSTER_SUBMIT)
#: Events with content that counts, besides their job.
_READ = frozenset(
    (JobEventType.JOB_TERMINATED, JobEventType.POST_SCRIPT_TERMINATED, JobEventType.PRESKIP, JobEventType.JOB_HELD)
)
_NORMAL = re.compile(r"^\t\(1\) Normal termination \(return value (-?\d+)\)$", re.M)
_NOTES = ("DAG Node: ", 'DAGNodeName = "')
_STRING = re.compile(r'((?:[^"\\]|\\.)*)"')


class Read(NamedTuple):
    """An event for the core, and when it was written (Unix seconds)."""

    event: JobEvent
    time: float

    @property
    def title(self) -> str:
        """HTCondor's name of the event."""
        return f"ULOG_{EVENT_NAMES.get(self.event.number, 'NONE')}"


class NodesLog:
    """Follows the log at ``path`` and appends to it, when there is room (``patience``)."""

    def __init__(self, path: str, patience: Patience | None = None) -> None:
        self.path = path
        self._patience = patience
        self._reader = EventReader(path)

    def create(self, keep: bool) -> None:
        """Make sure that it is there; what an earlier run left is cut unless ``keep``. Raises OSError."""
        how = 0 if keep else os.O_TRUNC
        os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o644))

    def read(self) -> Iterator[Read]:
        """Yield the events that have come since, up to damage. Raises StoreError for a log that is damaged there."""
        for found in self._reader.sound_events():
            yield Read(_understand(found), found.time if found.time > 0 else time.time())

    def size(self) -> int:
        """Bytes; -1 when it is not there."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return -1

    def append(self, made: Iterable[events.JobEvent]) -> None:
        """Write events, which are on the medium on return. Raises StoreError."""
        texts = [event_text(event) for event in made]

        def write() -> None:
            try:
                append(self.path, texts, durable=True)
            except NoSpace as error:
                del texts[: error.done]
                raise

        if self._patience is None:
            write()
        else:
            self._patience.write(write)


def _understand(found: LogEvent) -> JobEvent:
    number = found.number
    event = JobEvent(number, found.cluster, found.proc, max(found.subproc, 0))
    if number in SUBMITS:
        return event._replace(name=_node_of(found.text))
    if number == JobEventType.JOB_TERMINATED and (plain := _NORMAL.search(found.text)):
        return event._replace(code=as_integer(plain[1]))  # most events of most DAGs: the rest of it is not looked at
    if number not in _READ:
        return event
    read = typed(found)
    if isinstance(read, events.JobTerminated):
        return event._replace(code=read.return_value, signal=None if read.return_value is not None else read.signal)
    if isinstance(read, events.PostScriptTerminated):
        return event._replace(name=read.node, code=read.return_value, signal=read.signal)
    if isinstance(read, events.PreSkip):
        return event._replace(name=read.node)
    if isinstance(read, events.JobHeld):
        return event._replace(reason=read.reason)
    return event


def _node_of(text: str) -> str:
    """The node that a submit event names, in one of the two forms that HTCondor has written."""
    plain, structured = _NOTES
    for line in text.split("\n")[1:]:
        line = line.strip()
        if line.startswith(plain):
            return line[len(plain) :]
        begin = line.find(structured)
        if begin >= 0:
            found = _STRING.match(line, begin + len(structured))
            return unescape(found[1]) or "" if found is not None else ""
    return ""


def noop_events(name: str, number: int, now: float) -> list[events.JobEvent]:
    """Submit and end of an empty node."""
    ids = {"cluster": 0, "proc": NOOP_PROC, "subproc": number, "time": now}
    submit = events.Submit(host=_NOOP_HOST, log_notes=f"DAG Node: {name}", **ids)  # type: ignore[arg-type]
    return [submit, events.JobTerminated(return_value=0, **ids)]  # type: ignore[arg-type]


def post_event(
    name: str, job: tuple[int, int, int], now: float, code: int | None, signal: int | None
) -> events.JobEvent:
    """The end of a POST script."""
    cluster, proc, subproc = job
    return events.PostScriptTerminated(
        cluster=cluster, proc=proc, subproc=subproc, time=now, node=name, return_value=code, signal=signal
    )


def pre_skip_event(name: str, number: int, now: float) -> events.JobEvent:
    """A node that its PRE script has made unnecessary."""
    return events.PreSkip(cluster=0, proc=NOOP_PROC, subproc=number, time=now, notes=f"DAG Node: {name}")


__all__ = ["NodesLog", "Read", "StoreError", "noop_events", "post_event", "pre_skip_event"]

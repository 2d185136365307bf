"""The states that jobs go through, as condor_watch_q names them, and the event logs that tell them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from enum import Enum

from condor_py.model.errors import StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.store.event_log import EventReader, LogEvent


class State(Enum):
    """A job's state; the value heads its column. The order is that of the columns."""

    REMOVED = "REMOVED"
    HELD = "HELD"
    SUSPENDED = "SUSPENDED"
    IDLE = "IDLE"
    INPUT = "INPUT"
    RUNNING = "RUN"
    OUTPUT = "OUTPUT"
    DONE = "DONE"


ACTIVE = frozenset((State.IDLE, State.INPUT, State.RUNNING, State.OUTPUT, State.HELD, State.SUSPENDED))
#: Words of -exit.
CONDITIONS = {
    "active": ACTIVE,
    "done": frozenset((State.DONE,)),
    "idle": frozenset((State.IDLE,)),
    "held": frozenset((State.HELD,)),
}
_SUBMITS = (JobEventType.SUBMIT, JobEventType.CLUSTER_SUBMIT)
_STATE_AFTER: dict[int, State] = {
    JobEventType.SUBMIT: State.IDLE,
    JobEventType.EXECUTE: State.RUNNING,
    JobEventType.JOB_EVICTED: State.IDLE,
    JobEventType.JOB_TERMINATED: State.DONE,
    JobEventType.SHADOW_EXCEPTION: State.IDLE,
    JobEventType.JOB_ABORTED: State.REMOVED,
    JobEventType.JOB_SUSPENDED: State.SUSPENDED,
    JobEventType.JOB_UNSUSPENDED: State.IDLE,
    JobEventType.JOB_HELD: State.HELD,
    JobEventType.JOB_RELEASED: State.IDLE,
    JobEventType.JOB_RECONNECT_FAILED: State.IDLE,
}


#: The proc of empty nodes of DAGs, which differ in their subproc.
_NOOP = 2147483647


class Grouper(Enum):
    """The share of the jobs that a condition of -exit must hold for: all, any or none."""

    ALL = "all"
    ANY = "any"
    NONE = "none"

    def holds(self, matching: int, total: int) -> bool:
        """Whether ``matching`` of ``total`` jobs are enough."""
        if self is Grouper.ALL:
            return matching == total
        return (matching > 0) == (self is Grouper.ANY)


class Cluster:
    """The jobs of one cluster. ``log`` is the event log that named it first."""

    def __init__(self, number: int, log: str, batch: str | None, procs: int | None) -> None:
        self.number = number
        self.log = log
        self.batch = batch if batch else f"ID: {number}"
        self.counts: Counter[State] = Counter()
        #: Unix time at which its last job left the queue.
        self.ended: float | None = None
        self._procs = procs
        self._states: dict[int, State] = {}
        self._ends: tuple[JobId, ...] | None = ()

    @property
    def size(self) -> int:
        """Return how many jobs it has: by the queue, else by the log so far."""
        return len(self._states) if self._procs is None else self._procs

    @property
    def is_done(self) -> bool:
        """Whether all jobs that are known have left the queue."""
        return not any(self.counts[state] for state in ACTIVE)

    def set(self, proc: int, state: State) -> None:
        """A job's new state."""
        before = self._states.get(proc)
        if before is not None:
            self.counts[before] -= 1
        self.counts[state] += 1
        self._states[proc] = state
        if (before in ACTIVE) != (state in ACTIVE):
            self._ends = None

    def active_jobs(self) -> tuple[JobId, ...]:
        """Its active jobs if there are not more than two, else the first, a middle one and the last."""
        if self._ends is None:
            procs = sorted(proc for proc, state in self._states.items() if state in ACTIVE)
            chosen = procs if len(procs) < 3 else [procs[0], procs[1], procs[-1]]
            self._ends = tuple(JobId(self.number, proc) for proc in chosen)
        return self._ends


class Tracker:
    """Reads event logs and keeps the clusters that they describe.

    ``batches`` and ``procs`` are what the queue knows by cluster; ``wanted`` restricts the clusters (None: all) of logs
    that are not those of whole DAGs, and so does ``least``, the smallest one.
    """

    def __init__(
        self,
        logs: Iterable[str],
        batches: Mapping[int, str | None],
        procs: Mapping[int, int],
        wanted: frozenset[int] | None,
        least: int | None,
        ends_when_read: bool,
        whole: Container[str] = (),
    ) -> None:
        self.clusters: dict[int, Cluster] = {}
        self._readers = {path: EventReader(path) for path in logs}
        self._batches = batches
        self._procs = procs
        self._wanted = wanted
        self._whole = whole
        self._least = least
        self._ends_when_read = ends_when_read
        self._broken: set[str] = set()

    def read(self) -> list[str]:
        """Take in what is new; complaints about logs, each once."""
        complaints = []
        for path, reader in self._readers.items():
            try:
                for event in reader.sound_events():
                    self._apply(path, event)
            except StoreError as error:
                if path not in self._broken:
                    self._broken.add(path)
                    complaints.append(f"ERROR: Failed to parse event from {path}. Reason: {error}")
        return complaints

    def matching(self, states: frozenset[State]) -> tuple[int, int]:
        """Return how many jobs are in one of ``states``, and how many there are."""
        counts = [cluster.counts for cluster in self.clusters.values()]
        return sum(each[state] for each in counts for state in states), sum(each.total() for each in counts)

    def _apply(self, path: str, event: LogEvent) -> None:
        number = event.cluster
        if self._wanted is not None and number not in self._wanted and path not in self._whole:
            return
        if self._least is not None and number < self._least:
            return
        state = _transfer(event) if event.number == JobEventType.FILE_TRANSFER else _STATE_AFTER.get(event.number)
        if state is None:
            return
        cluster = self.clusters.get(number)
        if cluster is None:
            batch = self._batches.get(number) or _batch_of(event)
            cluster = Cluster(number, path, batch, self._procs.get(number))
            self.clusters[number] = cluster
        cluster.set(event.subproc if event.proc == _NOOP else event.proc, state)
        if state not in ACTIVE and cluster.is_done:
            cluster.ended = time.time() if self._ends_when_read else event.time


def _batch_of(event: LogEvent) -> str | None:
    """The batch name that a submit event tells in its notes."""
    if event.number not in _SUBMITS:
        return None
    from condor_py.lang.classad import ClassAd
    from condor_py.store.event_log import typed

    for _, notes in typed(event).structured_notes():
        return ClassAd(notes).eval_str("JobBatchName", None)
    return None


def _transfer(event: LogEvent) -> State | None:
    text = event.text.lower()
    if "started" not in text:
        return None
    return State.INPUT if "input" in text else State.OUTPUT if "output" in text else None

"""The snapshot of a pool that condor_top shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

#: The order in which jobs are shown: those that use something first.
STATES = (
    JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED, JobStatus.BLOCKED, JobStatus.HELD,
    JobStatus.IDLE, JobStatus.REMOVED, JobStatus.COMPLETED,
)  # fmt: skip
LETTERS = {
    JobStatus.IDLE: "I", JobStatus.RUNNING: "R", JobStatus.REMOVED: "X", JobStatus.COMPLETED: "C", JobStatus.HELD: "H",
    JobStatus.TRANSFERRING_OUTPUT: ">", JobStatus.SUSPENDED: "S", JobStatus.BLOCKED: "B",
}  # fmt: skip


class UserRow(NamedTuple):
    """A submitter. ``share`` and ``entitled`` are parts of the pool (None: not known); slots are weighted."""

    name: str
    priority: float | None
    slots: float
    share: float | None
    entitled: float | None
    running: int
    idle: int
    held: int


class SlotRow(NamedTuple):
    """A slot; a partitionable one has what is left of it. ``seconds``: for how long it has done what it does."""

    name: str
    state: str
    activity: str
    cpus: float
    memory: int
    gpus: int
    load: float
    user: str
    job: str
    seconds: int


class JobRow(NamedTuple):
    """A job. ``seconds`` of its run, or since it was submitted; ``memory`` in MB, used or asked for; ``note``: why."""

    id: JobId
    owner: str
    status: int
    seconds: int
    cpus: int
    memory: int
    slot: str
    command: str
    note: str


class Part(NamedTuple):
    """An amount in use and its total."""

    used: float
    total: float


class Wanted(NamedTuple):
    """The jobs to show, and their order: ``text`` in id, submitter or command, ``owner`` ("" for any user)."""

    column: str = "ST"
    backwards: bool = False
    text: str = ""
    owner: str = ""


class JobList(Protocol):
    """The jobs of a queue, which may be very many: only those that are shown are read."""

    def ordered(self, wanted: Wanted) -> Sequence[JobId]:
        """The jobs that are wanted in the order that is wanted."""
        ...

    def row(self, job: JobId) -> JobRow | None:
        """Return the row of a job; None when it has left the queue."""
        ...

    def owner(self, job: JobId) -> str | None:
        """Whose it is; None when it is gone."""
        ...

    def counts(self) -> dict[int, int]:
        """Return how many jobs are in each state."""
        ...


class Snapshot(NamedTuple):
    """The pool at one moment. ``now`` in Unix seconds; ``problem`` is what keeps us from knowing more, ``failed``
    whether that is everything there is to say."""

    host: str
    now: float
    load: tuple[float, ...]
    cpus: Part
    memory: Part
    gpus: Part
    users: Sequence[UserRow]
    slots: Sequence[SlotRow]
    jobs: JobList
    me: str
    superuser: bool = False
    problem: str = ""
    failed: bool = False

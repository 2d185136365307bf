"""Progress of a DAG: everything that changes while it runs."""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.core.dag.actions import Action, Noted, Say
from condor_py.core.dag.states import DagStatus, NodeState
from condor_py.lang.dag.graph import NONE, Dag, Kind
from condor_py.lang.dag.messages import NORMAL, VERBOSE
from condor_py.model.settings.dagman import DagmanSettings


@dataclass(slots=True)
class NodeJobs:
    """The jobs of one try of a node. ``codes`` are their exit codes by proc, None for one that was aborted."""

    cluster: int = -1
    proc: int = 0
    subproc: int = 0
    count: int = 0
    seen: int = 0
    ended: set[int] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)
    held: set[int] = field(default_factory=set)
    codes: dict[int, int | None] = field(default_factory=dict)
    failed: int = 0
    is_factory: bool = False

    @property
    def are_over(self) -> bool:
        """Whether no job is in the queue any more."""
        return not self.is_factory and len(self.ended) >= max(self.count, self.seen)


@dataclass(slots=True)
class ScriptQueue:
    """The scripts of one kind: how many are at work, who waits, and since when deferred ones may start."""

    most: int
    running: set[int] = field(default_factory=set)
    waiting: list[int] = field(default_factory=list)
    not_before: dict[int, int] = field(default_factory=dict)
    deferrals: int = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may start."""
        return self.most <= 0 or len(self.running) < self.most


@dataclass(slots=True)
class Counts:
    """Numbers of nodes and jobs, as log, job ad and scripts show them."""

    done: int = 0
    failed: int = 0
    futile: int = 0
    prerun: int = 0
    postrun: int = 0
    holdrun: int = 0
    submitted: int = 0
    service_submitted: int = 0
    idle_jobs: int = 0
    held_jobs: int = 0
    jobs_submitted: int = 0
    jobs_succeeded: int = 0
    jobs_completed: int = 0
    deferred_by_jobs: int = 0
    deferred_by_idle: int = 0
    deferred_by_category: int = 0


class ScriptResult(NamedTuple):
    """End of a script: by exit code, or by signal."""

    code: int | None
    signal: int | None = None

    @property
    def is_success(self) -> bool:
        """Whether that was well."""
        return self.code == 0

    @property
    def value(self) -> int:
        """The value of the node: the exit code, minus the signal."""
        return -self.signal if self.signal is not None else self.code or 0


@dataclass(slots=True)
class Replays:
    """Ends of PRE scripts that no event tells of, and nodes that are to go on from one: see ``replay``."""

    ends: dict[int, deque[ScriptResult]] = field(default_factory=dict)
    due: deque[tuple[int, ScriptResult]] = field(default_factory=deque)


class Progress:
    """The state of one DAG at work. ``out`` collects the actions."""

    def __init__(self, dag: Dag, settings: DagmanSettings, dagman_id: int, priority: int, always_post: bool) -> None:
        count = len(dag)
        limits = settings.throttles
        self.dag = dag
        self.settings = settings
        self.limits = limits
        self.dagman_id = dagman_id
        self.always_post = always_post
        self.out: list[Action] = []
        self.states = bytearray([NodeState.READY]) * count
        #: Nodes whose end has been counted, and told to their children.
        self.counted = bytearray(count)
        #: Parents that are not done yet.
        self.waits = array("i", [dag.parent_start[n + 1] - dag.parent_start[n] for n in range(count)])
        self.priorities = {node: value + priority for node, value in dag.priorities.items()}
        self.priority = priority
        self.results: dict[int, int] = {}
        self.errors: dict[int, str] = {}
        self.retries: dict[int, int] = {}
        #: Retries that are allowed beyond those of the DAG, after a hold of failed jobs or a lowered limit.
        self.more_retries: dict[int, int] = {}
        self.submit_tries: dict[int, int] = {}
        self.jobs: dict[int, NodeJobs] = {}
        self.by_cluster: dict[tuple[int, int], int] = {}
        self.held_nodes: set[int] = set()
        self.unsuccessful: set[int] = set()
        self.job_value: dict[int, int] = {}
        self.script_value: dict[int, int] = {}
        self.in_category: dict[str, int] = {}
        self.counts = Counts()
        self.scripts = {
            "PRE": ScriptQueue(limits.max_pre),
            "POST": ScriptQueue(limits.max_post),
            "HOLD": ScriptQueue(limits.max_hold),
        }
        #: Heaps of (minus priority, order, node): nodes that wait for their submit, and of these, by category, those
        #: whose category had no room when their turn came.
        self.ready: list[tuple[int, int, int]] = []
        self.parked: dict[str, list[tuple[int, int, int]]] = {}
        #: How many nodes are in both, service nodes apart.
        self.ready_count = 0
        self.generation = 0
        self.next_submit = 0
        self.submit_delay = 1
        #: DAGMAN_SUBMIT_DELAY lets nothing be submitted before.
        self.pause_until = 0
        self.recovering = False
        self.replays = Replays()
        self.max_noop_id = 0
        self.status = DagStatus.OK
        self.status_behind_halt = DagStatus.OK
        self.is_halted = False
        self.is_aborted = False
        self.is_over = False
        self.final_started = False
        self.provisioned = dag.provisioner == NONE
        self.now = 0
        if dag.final != NONE:
            self.states[dag.final] = NodeState.NOT_READY

    # ---- looking -------------------------------------------------------------------------------------------------

    def state(self, node: int) -> NodeState:
        """The state of a node."""
        return NodeState(self.states[node])

    def can_start(self, node: int) -> bool:
        """Whether a node is ready and waits for nothing."""
        return self.states[node] == NodeState.READY and self.waits[node] <= 0

    def is_service(self, node: int) -> bool:
        """Whether it is a service node, which does not count."""
        return self.dag.kinds[node] == Kind.SERVICE

    def most_retries(self, node: int) -> int:
        """Number of times a node may be tried again."""
        retry = self.dag.retries.get(node)
        return (retry.most if retry else 0) + self.more_retries.get(node, 0)

    @property
    def total(self) -> int:
        """Number of nodes, without service nodes."""
        return len(self.dag.order)

    @property
    def unready_count(self) -> int:
        """Number of nodes that cannot start yet."""
        counts = self.counts
        known = counts.done + counts.prerun + counts.submitted + counts.postrun + counts.failed + counts.futile
        return self.total - known - self.ready_count

    # ---- saying --------------------------------------------------------------------------------------------------

    def say(self, text: str, level: int = NORMAL) -> None:
        """A line for the log."""
        self.out.append(Say(text, level))

    def verbose(self, text: str) -> None:
        """A line for the log from DAGMAN_VERBOSITY 3 on."""
        self.out.append(Say(text, VERBOSE))

    def note(self, node: int, what: str, code: int | None = None) -> None:
        """A line for the jobstate log, of the present try of a node."""
        jobs = self.jobs.get(node)
        job = None if jobs is None else (jobs.cluster, jobs.subproc)
        self.out.append(Noted(node, what, code, self.retries.get(node, 0), job))

    def set_status(self, status: DagStatus, force: bool = False) -> None:
        """The status of the DAG; without ``force`` the first one that is not OK stays."""
        if force:
            self.status = status
            self.is_halted = status == DagStatus.HALTED
        elif self.is_halted and self.status_behind_halt == DagStatus.OK:
            self.status_behind_halt = status
        elif self.status == DagStatus.OK:
            self.status = status

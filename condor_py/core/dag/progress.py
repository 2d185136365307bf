"""Progress of a DAG: everything that changes while it runs. Facts that change together have one owner (a class of this
file), and are changed by its methods only; the rest of the core reads them.
"""

from __future__ import annotations

import heapq
from array import array
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.core.dag.actions import Action, Noted, Say
from condor_py.core.dag.states import JOB_SKIPPED, DagStatus, NodeState
from condor_py.lang.dag.graph import NONE, Dag, Kind
from condor_py.lang.dag.messages import NORMAL, VERBOSE
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings


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
    def total(self) -> int:
        """Number of jobs. After recovery it is known from the nodes log alone."""
        return max(self.count, self.seen)

    @property
    def are_over(self) -> bool:
        """Whether all jobs have left the queue."""
        return not self.is_factory and len(self.ended) >= self.total

    def failed_with(self, proc: int, code: int | None) -> bool:
        """Note a failed job and its exit code, None if it was aborted. Return whether it is the first of the node."""
        self.codes[proc] = code
        self.failed += 1
        return self.failed == 1

    def make_later(self) -> None:
        """A factory makes the jobs (late materialization)."""
        self.is_factory = True

    def all_made(self) -> None:
        """The factory has made all jobs that there will be."""
        self.is_factory = False
        self.count = self.seen


@dataclass(slots=True)
class ScriptQueue:
    """The scripts of one kind, by node: those that run, those that wait, and (Unix seconds) when deferred ones may
    start. ``most`` may run at once; 0 for any number. ``deferrals`` counts starts that were put off."""

    most: int
    running: set[int] = field(default_factory=set)
    waiting: list[int] = field(default_factory=list)
    not_before: dict[int, int] = field(default_factory=dict)
    deferrals: int = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may start."""
        return self.most <= 0 or len(self.running) < self.most

    def limit(self, most: int) -> None:
        """Takes a new limit."""
        self.most = most

    def wait(self, node: int) -> None:
        """The script of a node waits."""
        self.waiting.append(node)

    def keep(self, waiting: list[int]) -> None:
        """Only these nodes still wait."""
        self.waiting = waiting

    def start(self, node: int) -> None:
        """The script of a node runs."""
        self.not_before.pop(node, None)
        self.running.add(node)

    def end(self, node: int) -> None:
        """The script of a node is over."""
        self.running.discard(node)

    def refuse(self) -> None:
        """A script could not start yet."""
        self.deferrals += 1

    def defer(self, node: int, until: int) -> None:
        """The script of a node is to run again, not before ``until`` (Unix seconds)."""
        self.deferrals += 1
        self.not_before[node] = until
        self.waiting.append(node)

    def forget_waiting(self) -> list[int]:
        """Let no script wait any more; return the nodes that did."""
        self.not_before.clear()
        found, self.waiting = self.waiting, []
        return found


@dataclass(slots=True)
class Counts:
    """Numbers of nodes and jobs, as log, job ad and scripts show them; each is changed by the owner of what it counts:
    ``NodeStates``, ``ReadyQueue`` and ``JobTable``."""

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
        """Whether the script has succeeded."""
        return self.code == 0

    @property
    def value(self) -> int:
        """The value of the node: the exit code, or the negated signal."""
        return -self.signal if self.signal is not None else self.code or 0


@dataclass(slots=True)
class Replays:
    """Ends of PRE scripts that no event records, and nodes that are to continue from one: see ``outcomes``."""

    ends: dict[int, deque[ScriptResult]] = field(default_factory=dict)
    due: deque[tuple[int, ScriptResult]] = field(default_factory=deque)

    def expect(self, ends: Iterable[tuple[int, ScriptResult]]) -> None:
        """Takes the ends that there were, in their order."""
        for node, end in ends:
            self.ends.setdefault(node, deque()).append(end)

    def take(self, node: int) -> ScriptResult | None:
        """Take out the next end of a node; None if there is none."""
        ends = self.ends.get(node)
        return ends.popleft() if ends else None

    def take_due(self) -> tuple[int, ScriptResult]:
        """Take out the next node that is to continue, with the end that it continues from."""
        return self.due.popleft()

    def starts(self, node: int) -> bool:
        """A node begins with its PRE script. Return whether that has ended before, so that the node continues from its
        end."""
        end = self.take(node)
        if end is not None:
            self.due.append((node, end))
        return end is not None


_SERVICE = int(Kind.SERVICE)


class NodeStates:
    """The state of each node; ``waits`` are the parents that are not done yet."""

    def __init__(self, dag: Dag, counts: Counts) -> None:
        count = len(dag)
        self._kinds = dag.kinds
        self._counts = counts
        self._states = bytearray([NodeState.READY]) * count
        #: Nodes whose end has been counted, also for their children.
        self._counted = bytearray(count)
        self.waits = array("i", [dag.parent_start[n + 1] - dag.parent_start[n] for n in range(count)])
        if dag.final != NONE:
            self._states[dag.final] = NodeState.NOT_READY

    def __getitem__(self, node: int) -> int:
        return self._states[node]

    def raw(self) -> bytes:
        """The states of all nodes, a byte each."""
        return bytes(self._states)

    def is_counted(self, node: int) -> bool:
        """Whether a node has succeeded, and its children know."""
        return bool(self._counted[node])

    def become(self, node: int, state: NodeState) -> None:
        """Give a node another state, without a change of the counts."""
        self._states[node] = state

    def begin_pre(self, node: int) -> None:
        """Its PRE script runs, or waits for its turn."""
        self._states[node] = NodeState.PRERUN
        self._counts.prerun += 1

    def count_pre(self, change: int) -> None:
        """More or fewer nodes have a PRE script that runs, waits, or has a skip to be written."""
        self._counts.prerun += change

    def begin_post(self, node: int, counts: bool = True) -> None:
        """Its POST script runs, or waits for its turn. Without ``counts`` it has been counted already."""
        self._states[node] = NodeState.POSTRUN
        if counts:
            self._counts.postrun += 1

    def end_post(self, node: int) -> None:
        """Its POST script is over, if there was one."""
        if self._states[node] == NodeState.POSTRUN:
            self._counts.postrun -= 1

    def count_hold(self, change: int) -> None:
        """More or fewer HOLD scripts run or wait."""
        self._counts.holdrun += change

    def succeed(self, node: int) -> bool:
        """A node is done. Return False if it has been counted already."""
        self._states[node] = NodeState.DONE
        if self._counted[node]:
            return False
        if self._kinds[node] != _SERVICE:
            self._counted[node] = 1
            self._counts.done += 1
        return True

    def fail(self, node: int) -> None:
        """A node has failed for good."""
        self._states[node] = NodeState.ERROR
        if self._kinds[node] != _SERVICE:
            self._counts.failed += 1

    def give_up(self, node: int) -> None:
        """A node can never run."""
        self._states[node] = NodeState.FUTILE
        self._counts.futile += 1

    def parent_over(self, node: int) -> bool:
        """A parent of a node is over. Return whether it was the last."""
        self.waits[node] -= 1
        return self.waits[node] == 0


class ReadyQueue:
    """Nodes that wait for their submit, by priority; and the number of submitted nodes of each category.

    ``count`` is the number of nodes that wait, without service nodes.
    """

    def __init__(self, dag: Dag, counts: Counts, priority: int) -> None:
        self._dag = dag
        self._kinds = dag.kinds
        self._counts = counts
        self._priorities = {node: value + priority for node, value in dag.priorities.items()}
        self._priority = priority
        #: Heaps of (negated priority, order, node): nodes that wait, and by category those that were set aside because
        #: their category was full.
        self._heap: list[tuple[int, int, int]] = []
        self._parked: dict[str, list[tuple[int, int, int]]] = {}
        self._in_category: dict[str, int] = {}
        self._generation = 0
        self.count = 0

    def __bool__(self) -> bool:
        return bool(self._heap)

    def priority(self, node: int) -> int:
        """The priority of a node, and of its jobs."""
        return self._priorities.get(node, self._priority)

    def push(self, node: int, first: bool) -> None:
        """A node waits, after those of its priority or before them."""
        self._generation += 1
        order = -self._generation if first else self._generation
        heapq.heappush(self._heap, (-self.priority(node), order, node))
        if self._kinds[node] != _SERVICE:
            self.count += 1

    def pop(self) -> int | None:
        """Take out the first node whose category has room; those in front of it are set aside. None without such a
        node."""
        while self._heap:
            entry = heapq.heappop(self._heap)
            node = entry[2]
            category = self._dag.categories.get(node, "")
            limit = self._dag.throttles.get(category, NONE)
            if limit < 0 or self._in_category.get(category, 0) < limit:
                if self._kinds[node] != _SERVICE:
                    self.count -= 1
                return node
            self._counts.deferred_by_category += 1
            heapq.heappush(self._parked.setdefault(category, []), entry)
        return None

    def forget(self) -> list[int]:
        """Empty the queue; return the nodes that were in it."""
        found = [node for heap in (self._heap, *self._parked.values()) for _, _, node in heap]
        self._heap.clear()
        self._parked.clear()
        self.count = 0
        return found

    def count_submitted(self, node: int, change: int) -> None:
        """More or fewer nodes with jobs in the queue."""
        if self._kinds[node] == _SERVICE:
            self._counts.service_submitted += change
            return
        self._counts.submitted += change
        category = self._dag.categories.get(node)
        if category is not None:
            self._in_category[category] = self._in_category.get(category, 0) + change
            if change < 0 and self._parked.get(category):
                heapq.heappush(self._heap, heapq.heappop(self._parked[category]))

    def defer_by_jobs(self) -> None:
        """All waiting nodes keep waiting because of MaxJobs."""
        self._counts.deferred_by_jobs += self.count

    def defer_by_idle(self) -> None:
        """All waiting nodes keep waiting because of MaxIdle."""
        self._counts.deferred_by_idle += self.count


class SubmitPace:
    """The time of the next submit (Unix seconds), 0 for at once."""

    def __init__(self) -> None:
        self._next = 0
        self._delay = 1
        self._pause_until = 0

    @property
    def next_at(self) -> int:
        """Nothing is submitted before."""
        return max(self._next, self._pause_until)

    def worked(self) -> None:
        """A submit has worked, or is not tried again."""
        self._next, self._delay = 0, 1

    def failed(self, now: int) -> int:
        """A submit has failed. Return the seconds until the next try, twice as many each time."""
        delay = self._delay
        self._next, self._delay = now + delay, delay * 2
        return delay

    def pause(self, until: int) -> None:
        """DAGMAN_SUBMIT_DELAY lets nothing be submitted before."""
        self._pause_until = until


class JobTable:
    """The jobs of nodes that have been submitted, by node: those of the last try."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._jobs: dict[int, NodeJobs] = {}
        self._by_cluster: dict[tuple[int, int], int] = {}
        #: The highest job number of an empty node that the nodes log has.
        self.max_noop_id = 0

    def __getitem__(self, node: int) -> NodeJobs:
        return self._jobs[node]

    def __contains__(self, node: int) -> bool:
        return node in self._jobs

    def get(self, node: int) -> NodeJobs | None:
        """The jobs of a node, if it has been submitted."""
        return self._jobs.get(node)

    def values(self) -> Collection[NodeJobs]:
        """The jobs of each node."""
        return self._jobs.values()

    def items(self) -> Collection[tuple[int, NodeJobs]]:
        """Each node, and its jobs."""
        return self._jobs.items()

    def node_of(self, cluster: int, subproc: int) -> int | None:
        """The node that a job belongs to."""
        return self._by_cluster.get((cluster, subproc))

    def begin(self, node: int) -> None:
        """A node is on its way to the queue."""
        self._jobs[node] = NodeJobs()

    def submitted(self, node: int, cluster: int, count: int, proc: int, subproc: int) -> None:
        """The ``count`` jobs of a node are in the queue, the first with this id."""
        jobs = self._jobs[node]
        jobs.cluster, jobs.proc, jobs.subproc, jobs.count = cluster, proc, subproc, count
        self._by_cluster[cluster, subproc] = node

    def found(self, node: int, cluster: int, proc: int, subproc: int) -> None:
        """The nodes log has the submit of a node, in recovery."""
        self._jobs[node] = NodeJobs(cluster, proc, subproc)
        self._by_cluster[cluster, subproc] = node
        self.max_noop_id = max(self.max_noop_id, subproc)

    def forget(self, node: int) -> None:
        """The last try of a node counts no more."""
        jobs = self._jobs.pop(node, None)
        if jobs is not None:
            self._counts.held_jobs -= len(jobs.held)
            self._by_cluster.pop((jobs.cluster, jobs.subproc), None)

    def saw_submit(self, node: int, proc: int) -> None:
        """The nodes log has the submit of a job."""
        jobs = self._jobs[node]
        jobs.seen += 1
        jobs.proc = proc  # $JOBID is that of the last one
        self._counts.jobs_submitted += 1

    def becomes_factory(self, node: int) -> None:
        """Corrects, in recovery, what looked like the submit of a job: it was a factory's, which has made none."""
        jobs = self._jobs[node]
        jobs.seen = 0
        self._counts.idle_jobs -= len(jobs.idle)
        jobs.idle.clear()
        self._counts.jobs_submitted -= 1

    def idles(self, node: int, proc: int) -> None:
        """A job waits in the queue."""
        idle = self._jobs[node].idle
        if proc not in idle:
            idle.add(proc)
            self._counts.idle_jobs += 1

    def idles_no_more(self, node: int, proc: int) -> None:
        """A job runs, or has left the queue."""
        idle = self._jobs[node].idle
        if proc in idle:
            idle.discard(proc)
            self._counts.idle_jobs -= 1

    def hold(self, node: int, proc: int, is_held: bool) -> None:
        """A job is held, or not any more."""
        held = self._jobs[node].held
        if is_held and proc not in held:
            held.add(proc)
            self._counts.held_jobs += 1
        elif not is_held and proc in held:
            held.discard(proc)
            self._counts.held_jobs -= 1

    def ended(self, node: int, proc: int) -> None:
        """A job has left the queue."""
        self._jobs[node].ended.add(proc)
        self.idles_no_more(node, proc)
        self.hold(node, proc, False)
        self._counts.jobs_completed += 1

    def succeeded(self, node: int, proc: int) -> None:
        """A job that has ended did so with exit code 0."""
        self._jobs[node].codes[proc] = 0
        self._counts.jobs_succeeded += 1


class Tries:
    """The tries of each node that are over, and of its submit."""

    def __init__(self, dag: Dag) -> None:
        self._dag = dag
        self.retries: dict[int, int] = {}
        #: Retries that are allowed beyond those of the DAG, after a hold of failed jobs or a lowered limit.
        self._more: dict[int, int] = {}
        self.submits: dict[int, int] = {}
        #: Nodes whose jobs are to be submitted on hold.
        self.held: set[int] = set()

    def most(self, node: int) -> int:
        """Number of times a node may be tried again."""
        retry = self._dag.retries.get(node)
        return (retry.most if retry else 0) + self._more.get(node, 0)

    def retry(self, node: int) -> None:
        """A node is tried again."""
        self.retries[node] = self.retries.get(node, 0) + 1

    def use_up(self, node: int) -> None:
        """A node is not tried again."""
        self.retries[node] = self.most(node)

    def allow_one_more(self, node: int) -> None:
        """A node may be tried once more."""
        self._more[node] = self._more.get(node, 0) + 1

    def submitted(self, node: int) -> None:
        """The jobs of a node are in the queue, on hold if they were to be."""
        self.held.discard(node)

    def allow_on_hold(self, node: int) -> None:
        """A node may be tried once more, with its jobs on hold."""
        self.held.add(node)
        self.allow_one_more(node)

    def submit(self, node: int) -> None:
        """The submit of a node is tried."""
        self.submits[node] = self.submits.get(node, 0) + 1

    def submit_undone(self, node: int) -> None:
        """The submit of a node has not been tried."""
        self.submits[node] -= 1


class Results:
    """The results of the last try of each node: its value, that of its job and of its PRE script, and why it failed."""

    def __init__(self) -> None:
        self.values: dict[int, int] = {}
        self.job_values: dict[int, int] = {}
        self.script_values: dict[int, int] = {}
        self.errors: dict[int, str] = {}
        self.unsuccessful: set[int] = set()

    def set(self, node: int, value: int) -> None:
        """The value of a node."""
        self.values[node] = value

    def set_by_job(self, node: int, value: int) -> None:
        """The value of a node is that of its job."""
        self.values[node] = self.job_values[node] = value

    def set_by_script(self, node: int, value: int) -> None:
        """The value of a PRE script."""
        self.script_values[node] = value

    def skip_job(self, node: int) -> None:
        """A node has no job, as its PRE script has failed."""
        self.script_values[node] = self.values[node]
        self.job_values[node] = JOB_SKIPPED
        self.unsuccessful.add(node)

    def set_error(self, node: int, error: str) -> None:
        """Why a node failed."""
        self.errors[node] = error

    def has_failed(self, node: int) -> None:
        """The jobs of a node have failed."""
        self.unsuccessful.add(node)

    def forget(self, node: int) -> None:
        """A node is tried again."""
        self.errors.pop(node, None)
        self.unsuccessful.discard(node)


class Course:
    """The course of a DAG: its status, and how far it has come from recovery to its end."""

    def __init__(self, provisioned: bool) -> None:
        self.status = DagStatus.OK
        self._status_behind_halt = DagStatus.OK
        self.is_recovering = False
        self.is_provisioned = provisioned
        self.is_halted = False
        self.is_aborted = False
        self.has_final = False
        self.is_over = False
        #: The nodes log cannot be read any more: no node can be followed, not even the FINAL one.
        self.has_lost_log = False
        #: The exit code and the status of an abort that recovery has found, and with which the DAG still has to end.
        self.found_abort: tuple[int, DagStatus] | None = None

    def recover(self, recovering: bool) -> None:
        """Recovery begins or is over."""
        self.is_recovering = recovering

    def provision(self) -> None:
        """The provisioner lets the DAG begin."""
        self.is_provisioned = True

    def start_final(self) -> None:
        """The FINAL node has started: no other starts."""
        self.has_final = True

    def halt(self) -> None:
        """Nothing more is started."""
        if self.status != DagStatus.HALTED:
            self._status_behind_halt = self.status
        self.status = DagStatus.HALTED
        self.is_halted = True

    def resume(self) -> None:
        """The DAG continues after ``halt``."""
        if self.status == DagStatus.HALTED:
            self.status = self._status_behind_halt
        self.is_halted = False

    def set_status(self, status: DagStatus) -> None:
        """The status of the DAG, if it is OK so far."""
        if self.is_halted and self._status_behind_halt == DagStatus.OK:
            self._status_behind_halt = status
        elif self.status == DagStatus.OK:
            self.status = status

    def break_off(self, status: DagStatus) -> None:
        """The DAG ends before it is done."""
        self.status = status
        self.is_halted = status == DagStatus.HALTED

    def find_abort(self, code: int, status: DagStatus) -> None:
        """Recovery has come to where the DAG was broken off."""
        self.found_abort = self.found_abort or (code, status)

    def abort(self) -> None:
        """A node has returned its ABORT-DAG-ON code."""
        self.is_aborted = True

    def lose_log(self) -> None:
        """The nodes log cannot be read any more."""
        self.has_lost_log = True

    def finish(self) -> None:
        """The DAG is over."""
        self.is_over = True


class Progress:
    """The state of one DAG at work: the owners of its facts, and the actions that are to be carried out."""

    def __init__(self, dag: Dag, settings: DagmanSettings, dagman_id: int, priority: int, always_post: bool) -> None:
        self.dag = dag
        self.settings = settings
        self.limits = settings.throttles
        self.dagman_id = dagman_id
        self.always_post = always_post
        #: Unix seconds, as last given.
        self.now = 0
        self.counts = Counts()
        self.course = Course(provisioned=dag.provisioner == NONE)
        self.states = NodeStates(dag, self.counts)
        self.ready = ReadyQueue(dag, self.counts, priority)
        self.pace = SubmitPace()
        self.jobs = JobTable(self.counts)
        self.tries = Tries(dag)
        self.results = Results()
        self.scripts = {
            "PRE": ScriptQueue(self.limits.max_pre),
            "POST": ScriptQueue(self.limits.max_post),
            "HOLD": ScriptQueue(self.limits.max_hold),
        }
        self.replays = Replays()
        self._out: list[Action] = []

    # ---- changes -------------------------------------------------------------------------------------------------

    def at(self, now: int) -> None:
        """Takes the time, in Unix seconds."""
        self.now = now

    def limit(self, limits: ThrottleSettings) -> None:
        """Takes new limits."""
        self.limits = limits
        self.scripts["PRE"].limit(limits.max_pre)
        self.scripts["POST"].limit(limits.max_post)
        self.scripts["HOLD"].limit(limits.max_hold)

    def act(self, action: Action) -> None:
        """Queue an action, to be carried out after those before it."""
        self._out.append(action)

    def take(self) -> list[Action]:
        """Take out all actions."""
        found, self._out = self._out, []
        return found

    def take_first_lines(self) -> list[Say]:
        """Take out the lines for the log that come before all other actions."""
        lines: list[Say] = []
        for action in self._out:
            if not isinstance(action, Say):
                break
            lines.append(action)
        del self._out[: len(lines)]
        return lines

    def take_last_lines(self) -> list[Say]:
        """Take out the lines for the log that follow all other actions."""
        lines: list[Say] = []
        for action in reversed(self._out):
            if not isinstance(action, Say):
                break
            lines.append(action)
        del self._out[len(self._out) - len(lines) :]
        lines.reverse()
        return lines

    # ---- questions -----------------------------------------------------------------------------------------------

    def state(self, node: int) -> NodeState:
        """The state of a node."""
        return NodeState(self.states[node])

    def can_start(self, node: int) -> bool:
        """Whether a node is ready and waits for nothing."""
        return self.states[node] == NodeState.READY and self.states.waits[node] <= 0

    def is_service(self, node: int) -> bool:
        """Whether it is a service node, which does not count."""
        return self.dag.kinds[node] == Kind.SERVICE

    @property
    def total(self) -> int:
        """Number of nodes, without service nodes."""
        return len(self.dag.order)

    @property
    def unready_count(self) -> int:
        """Number of nodes that cannot start yet."""
        counts = self.counts
        known = counts.done + counts.prerun + counts.submitted + counts.postrun + counts.failed + counts.futile
        return self.total - known - self.ready.count

    # ---- logs ----------------------------------------------------------------------------------------------------

    def say(self, text: str, level: int = NORMAL) -> None:
        """A line for the log."""
        self.act(Say(text, level))

    def verbose(self, text: str) -> None:
        """A line for the log from DAGMAN_VERBOSITY 3 on."""
        self.act(Say(text, VERBOSE))

    def note(self, node: int, what: str, code: int | None = None) -> None:
        """A line for the jobstate log, of the present try of a node."""
        jobs = self.jobs.get(node)
        job = None if jobs is None else (jobs.cluster, jobs.subproc)
        self.act(Noted(node, what, code, self.tries.retries.get(node, 0), job))

"""DAGs in virtual time: the core that condor_dagman runs, on a machine whose jobs last as long as is foreseen.

`DagSimulation` runs one DAG with the DAGs inside it. Every job succeeds, every script takes no time; the
result is when each node began and ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, ClassVar, NamedTuple

from condor_py.core.dag import actions as a
from condor_py.core.dag.paths import LATENCY, Times
from condor_py.core.dag.run import Run
from condor_py.lang.dag.graph import NOOP, Dag, Kind
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.simulate.dagmachine import Machine, Need, Slot

#: The proc of empty nodes, as in the nodes log.
_NOOP_PROC = 2147483647
_REMOVED = 2
_SUBMIT, _EXECUTE, _TERMINATED, _ABORTED = 0, 1, 5, 9


class Job(NamedTuple):
    """A job as it is foreseen: what it asks for, and for how many seconds it runs."""

    need: Need
    seconds: float


class Stuck(Exception):
    """A node asks for more than the machine has; ``need`` is what it asks for."""

    def __init__(self, node: str, need: Need) -> None:
        super().__init__(node)
        self.node = node
        self.need = need


@dataclass(slots=True)
class Plan:
    """A DAG and what is foreseen for its nodes: ``jobs`` gives those of a node, ``inner`` the plans of sub-DAGs."""

    dag: Dag
    jobs: Callable[[int], Sequence[Job]]
    inner: dict[int, Plan] = field(default_factory=dict)
    priority: int = 0


@dataclass(slots=True)
class Outcome:
    """The result of a run: exit code, seconds, times of the nodes, seconds of work of all cores."""

    code: int
    seconds: float
    times: Times
    core_seconds: float
    most_running: int


class _OneDag:
    """One DAG at work; ``parent`` is the DAG and the node that it represents."""

    def __init__(self, plan: Plan, settings: DagmanSettings, parent: tuple[_OneDag, int] | None) -> None:
        self.plan = plan
        self.parent = parent
        self.run = Run(plan.dag, settings, 1, plan.priority, settings.always_run_post)
        self.times = Times(len(plan.dag))
        self.noops = 0
        self.code: int | None = None
        #: Jobs in the queue by node, and how many of them have not ended; sub-DAGs at work.
        self.jobs: dict[int, list[int]] = {}
        self.left: dict[int, int] = {}
        self.inner: dict[int, _OneDag] = {}


class DagSimulation:
    """One machine and one DAG. ``start`` is Unix seconds."""

    def __init__(self, slots: Sequence[Slot], settings: DagmanSettings, start: int = 0) -> None:
        self.now = 0.0
        self._machine = Machine(slots)
        self._settings = settings
        self._start = start
        self._ends: list[tuple[float, int]] = []
        self._of_job: dict[int, tuple[_OneDag, int, int, Job]] = {}
        self._next_job = self._next_cluster = 1
        self._stirred: dict[_OneDag, None] = {}
        self._core_seconds = 0.0
        self._most = 0

    def go(self, plan: Plan) -> Outcome:
        """Run the DAG to its end. Raises Stuck."""
        top = self._begin(plan, None)
        while top.code is None:
            self._settle()
            if top.code is not None:
                break
            if not self._ends:
                raise AssertionError("the DAG waits for nothing")
            self.now, job = heappop(self._ends)
            self._ended(job)
            while self._ends and self._ends[0][0] <= self.now:
                self._ended(heappop(self._ends)[1])
        return Outcome(top.code, self.now, top.times, self._core_seconds, self._most)

    @property
    def _clock(self) -> int:
        return self._start + int(self.now)

    # ---- DAGs ----------------------------------------------------------------------------------------------------

    def _begin(self, plan: Plan, parent: tuple[_OneDag, int] | None) -> _OneDag:
        one = _OneDag(plan, self._settings, parent)
        one.run.begin(self._clock)
        self._stirred[one] = None
        return one

    def _settle(self) -> None:
        """Let every DAG for which something happened continue, then start what fits."""
        while self._stirred:
            while self._stirred:
                self._let_go_on(self._stirred.popitem()[0])
            for job in self._machine.start():
                self._start_job(job)
        self._most = max(self._most, self._machine.running)

    def _let_go_on(self, one: _OneDag) -> None:
        self._carry_out(one)
        while one.code is None:
            before = one.run.progress.counts.submitted, one.run.progress.ready.count
            one.run.turn(self._clock)
            self._carry_out(one)
            if (one.run.progress.counts.submitted, one.run.progress.ready.count) == before:
                break

    def _start_job(self, job: int) -> None:
        one, node, proc, foreseen = self._of_job[job]
        if one.times.begun[node] < 0:
            one.times.begun[node] = self.now + LATENCY
        self._core_seconds += foreseen.need.cpus * foreseen.seconds
        heappush(self._ends, (self.now + LATENCY + foreseen.seconds, job))
        self._event(one, node, _EXECUTE, proc)
        if one.plan.dag.kinds[node] == Kind.PROVISIONER:
            one.run.provisioned(self._clock)

    def _carry_out(self, one: _OneDag) -> None:
        while one.code is None and (wanted := one.run.take()):
            for action in wanted:
                deed = self._DEEDS.get(type(action))
                if deed is not None:
                    deed(self, one, action)

    def _finish(self, one: _OneDag, action: a.Finish) -> None:
        self._leave(one, action.code)
        if one.parent is not None:
            above, node = one.parent
            above.inner.pop(node, None)
            above.times.ended[node] = self.now
            self._event(above, node, _TERMINATED, 0, action.code)

    def _leave(self, one: _OneDag, code: int) -> None:
        """A DAG is over: what is left of it goes without a word."""
        one.code = code
        for node in [*one.jobs, *one.inner]:
            self._remove(one, node)

    # ---- jobs ----------------------------------------------------------------------------------------------------

    def _event(self, one: _OneDag, node: int, number: int, proc: int, code: int | None = None) -> None:
        jobs = one.run.progress.jobs.get(node)
        if jobs is None:
            return
        name = one.plan.dag.names[node] if number == _SUBMIT else ""
        one.run.job_event(a.JobEvent(number, jobs.cluster, proc, jobs.subproc, name, code=code), self._clock)
        self._stirred[one] = None

    def _submit(self, one: _OneDag, action: a.Submit) -> None:
        dag = one.plan.dag
        for node in action.nodes:
            if dag.flags[node] & NOOP:
                one.noops += 1
                one.run.submitted(node, 0, 1, _NOOP_PROC, one.noops)
                one.times.begun[node] = one.times.ended[node] = self.now
                self._event(one, node, _SUBMIT, _NOOP_PROC)
                self._event(one, node, _TERMINATED, _NOOP_PROC, 0)
                continue
            self._next_cluster += 1
            inner = one.plan.inner.get(node)
            if inner is not None:
                self._submit_inner(one, node, inner)
            else:
                self._queue(one, node)

    def _submit_inner(self, one: _OneDag, node: int, inner: Plan) -> None:
        one.run.submitted(node, self._next_cluster, 1)
        one.times.begun[node] = self.now
        self._event(one, node, _SUBMIT, 0)
        self._event(one, node, _EXECUTE, 0)
        one.inner[node] = self._begin(inner, (one, node))

    def _queue(self, one: _OneDag, node: int) -> None:
        progress, name = one.run.progress, one.plan.dag.names[node]
        jobs = one.plan.jobs(node)
        one.run.submitted(node, self._next_cluster, len(jobs))
        one.jobs[node], one.left[node] = [], len(jobs)
        priority = progress.ready.priority(node)
        for proc, job in enumerate(jobs):
            if not self._machine.could_ever(job.need):
                raise Stuck(name, job.need)
            number = self._next_job
            self._next_job += 1
            self._of_job[number] = (one, node, proc, job)
            one.jobs[node].append(number)
            self._event(one, node, _SUBMIT, proc)
            self._machine.queue(number, job.need, priority)

    def _ended(self, job: int) -> None:
        found = self._of_job.pop(job, None)
        if found is None:
            return  # it was removed
        one, node, proc, _ = found
        self._machine.end(job)
        one.left[node] -= 1
        if not one.left[node]:
            one.times.ended[node] = self.now
            del one.jobs[node], one.left[node]
        self._event(one, node, _TERMINATED, proc, 0)

    def _remove(self, one: _OneDag, node: int) -> None:
        """Take the jobs of a node away."""
        inside = one.inner.pop(node, None)
        if inside is not None:
            self._leave(inside, _REMOVED)
        for job in one.jobs.pop(node, ()):
            if self._of_job.pop(job, None) is not None:
                self._machine.end(job)
        one.left.pop(node, None)
        one.times.ended[node] = self.now

    def _remove_jobs(self, one: _OneDag, action: a.RemoveJobs) -> None:
        procs = len(one.plan.jobs(action.node)) if action.node in one.jobs else 1
        self._remove(one, action.node)
        for proc in range(procs):
            self._event(one, action.node, _ABORTED, proc)

    def _remove_all(self, one: _OneDag, action: a.RemoveAll) -> None:
        for node in [*one.jobs, *one.inner]:
            if not (action.keep_lifetime and one.plan.dag.kinds[node] == Kind.SERVICE):
                self._remove_jobs(one, a.RemoveJobs(node, 0, ""))

    # ---- scripts -------------------------------------------------------------------------------------------------

    def _script(self, one: _OneDag, action: a.RunScript) -> None:
        one.run.script_ended(action.node, action.kind, self._clock, 0)
        self._stirred[one] = None

    def _write_event(self, one: _OneDag, action: a.WriteEvent) -> None:
        jobs = one.run.progress.jobs.get(action.node)
        cluster, name = (jobs.cluster if jobs else -1), one.plan.dag.names[action.node]
        one.run.job_event(a.JobEvent(action.number, cluster, 0, 0, name, code=action.code), self._clock)
        self._stirred[one] = None

    _DEEDS: ClassVar[dict[type, Callable[[DagSimulation, _OneDag, Any], None]]] = {
        a.Submit: _submit,
        a.RunScript: _script,
        a.WriteEvent: _write_event,
        a.RemoveJobs: _remove_jobs,
        a.RemoveAll: _remove_all,
        a.Finish: _finish,
    }


__all__ = ["LATENCY", "DagSimulation", "Job", "Need", "Outcome", "Plan", "Slot", "Stuck", "Times"]

"""Conditions that must hold for a DAG that has run, checked against its nodes log: the last line of defence of
condor_dagman's tests, and an answer for users who ask about their nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from condor_py.core.dag.actions import JobEvent
from condor_py.lang.dag.graph import DONE, Dag, Kind
from condor_py.model.event_types import JobEventType


@dataclass(slots=True)
class Try:
    """One try of a node. ``codes`` are what its jobs ended with, None for one that was removed; a job that died by a
    signal has minus that. ``post`` is what its POST script returned."""

    cluster: int
    subproc: int
    procs: set[int] = field(default_factory=set)
    codes: dict[int, int | None] = field(default_factory=dict)
    is_factory: bool = False
    post: int | None = None
    is_skipped: bool = False

    @property
    def is_over(self) -> bool:
        """Whether its jobs have left the queue."""
        return not self.is_factory and len(self.codes) >= len(self.procs)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of condor_dagman: its exit code (None: it is still running), and the nodes that its rescue file calls
    done (None without a rescue file). ``done_before`` were done when it began."""

    code: int | None
    rescued: frozenset[str] | None = None
    done_before: frozenset[str] = frozenset()


class Audit:
    """Takes the events of the nodes log one by one; ``problems`` are sentences about what cannot be."""

    def __init__(self, dag: Dag, ending: Ending, tolerance: int = 0) -> None:
        self.dag, self.ending = dag, ending
        self.problems: list[str] = []
        self._tolerance = tolerance
        self._tries: dict[int, list[Try]] = {}
        #: By parent: its children over weak edges.
        self._weak: dict[int, set[int]] = {}
        self._by_job: dict[tuple[int, int], tuple[int, Try]] = {}
        before = ending.done_before
        self._done = {node for node in range(len(dag)) if dag.flags[node] & DONE or dag.names[node] in before}

    def take(self, event: JobEvent) -> None:
        """The next event."""
        if event.number in (JobEventType.SUBMIT, JobEventType.CLUSTER_SUBMIT):
            self._submitted(event)
        elif event.number in (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED):
            self._ended(event)
        elif event.number == JobEventType.CLUSTER_REMOVE:
            found = self._by_job.get((event.cluster, event.subproc))
            if found is not None:
                found[1].is_factory = False
        elif event.number in (JobEventType.POST_SCRIPT_TERMINATED, JobEventType.PRESKIP):
            self._without_job(event)

    def finish(self) -> list[str]:
        """After the last event: all that cannot be."""
        ending = self.ending
        if ending.code is None:
            self.problems.append("condor_dagman has not come to its end")
            return self.problems
        succeeded = {node for node in self.dag.order if self._succeeded(node)}
        if ending.code == 0 and self.dag.final < 0 and not self._may_abort_with_0():
            for node in self.dag.order:
                if node not in succeeded:
                    self._say(node, "has not succeeded, and condor_dagman ended with 0")
        for node, tries in self._tries.items():
            if ending.code == 0 and self.dag.kinds[node] != Kind.SERVICE and tries and not tries[-1].is_over:
                self._say(node, "has jobs that have not ended, and condor_dagman ended with 0")
        if ending.rescued is not None:
            self._check_rescue(succeeded)
        return self.problems

    # ---- events --------------------------------------------------------------------------------------------------

    def _say(self, node: int, text: str) -> None:
        self.problems.append(f"node {self.dag.names[node]} {text}")

    def _submitted(self, event: JobEvent) -> None:
        key = (event.cluster, event.subproc)
        known = self._by_job.get(key)
        if known is None:
            node = self.dag.numbers.get(event.name)
            if node is None:
                self.problems.append(f"job {event.cluster} is of a node {event.name!r} that does not exist")
                return
            known = self._by_job[key] = (node, self._begin(node, event))
        node, one = known
        if event.number == JobEventType.CLUSTER_SUBMIT:
            one.is_factory = True
        elif event.proc in one.procs:
            self._say(node, f"has two submit events of job {event.cluster}.{event.proc}")
        else:
            one.procs.add(event.proc)

    def _begin(self, node: int, event: JobEvent) -> Try:
        tries = self._tries.setdefault(node, [])
        if node in self._done:
            self._say(node, "was done before the DAG began, and was submitted")
        if tries:
            self._check_retry(node, tries)
        self._check_parents(node)
        tries.append(Try(event.cluster, event.subproc))
        return tries[-1]

    def _check_retry(self, node: int, tries: list[Try]) -> None:
        last, retry = tries[-1], self.dag.retries.get(node)
        if not last.is_over:
            self._say(node, f"was submitted again while its job {last.cluster} was in the queue")
        elif self._is_good(node, last):
            self._say(node, f"was submitted again after its job {last.cluster} had succeeded")
        most = retry.most if retry else 0
        if len(tries) > most:
            self._say(node, f"was submitted {len(tries) + 1} times, and may be tried {most + 1} times")
        if retry and retry.unless and retry.unless == self._value(last):
            self._say(node, f"was tried again after it had returned {retry.unless}")

    def _check_parents(self, node: int) -> None:
        dag = self.dag
        for parent in dag.parents_of(node):
            weak = self._is_weak(parent, node)
            tries = self._tries.get(parent, [])
            if weak:
                if tries and not tries[-1].is_over:
                    self._say(node, f"was submitted before its parent {dag.names[parent]} was over")
            elif not self._succeeded(parent):
                self._say(node, f"was submitted although its parent {dag.names[parent]} had not succeeded")

    def _is_weak(self, parent: int, node: int) -> bool:
        if parent not in self._weak:
            pairs = zip(self.dag.children_of(parent), self.dag.weak_of(parent), strict=True)
            self._weak[parent] = {child for child, weak in pairs if weak}
        return node in self._weak[parent]

    def _ended(self, event: JobEvent) -> None:
        found = self._by_job.get((event.cluster, event.subproc))
        if found is None:
            return  # of another program that uses the same log
        node, one = found
        job = f"{event.cluster}.{event.proc}"
        if event.proc not in one.procs and event.number == JobEventType.JOB_ABORTED:
            return  # a proc behind proc 0 of a parallel job
        if event.proc not in one.procs:
            self._say(node, f"has an end of job {job} without its submit event")
        elif event.proc in one.codes:
            self._say(node, f"has two ends of job {job}")
        code = -event.signal if event.signal is not None else event.code
        one.codes[event.proc] = None if event.number == JobEventType.JOB_ABORTED else code or 0

    def _without_job(self, event: JobEvent) -> None:
        node = self.dag.numbers.get(event.name)
        if node is None:
            return
        tries = self._tries.setdefault(node, [])
        if event.number == JobEventType.PRESKIP:
            tries.append(Try(-1, 0, is_skipped=True))
            return
        if not tries or tries[-1].post is not None:
            tries.append(Try(-1, 0))  # the PRE script or the submit had failed
        elif not tries[-1].is_over:
            self._say(node, f"ran its POST script while its job {tries[-1].cluster} was in the queue")
        tries[-1].post = -event.signal if event.signal is not None else event.code or 0

    # ---- judging -------------------------------------------------------------------------------------------------

    def _value(self, one: Try) -> int:
        if one.post is not None:
            return one.post
        return next((code for code in one.codes.values() if code), 0)

    def _is_good(self, node: int, one: Try) -> bool:
        if one.is_skipped:
            return True
        if node in self.dag.scripts["POST"]:
            return one.post == 0
        own = self.dag.tolerances.get(node)
        allowed = self._tolerance
        if own is not None:
            allowed = len(one.procs) * own.value // 100 if own.percent else own.value
        return one.is_over and sum(code != 0 for code in one.codes.values()) <= allowed

    def _succeeded(self, node: int) -> bool:
        tries = self._tries.get(node)
        return node in self._done or bool(tries and self._is_good(node, tries[-1]))

    def _may_abort_with_0(self) -> bool:
        return any(abort.returns == 0 for abort in self.dag.aborts.values())

    def _check_rescue(self, succeeded: Iterable[int]) -> None:
        dag, rescued = self.dag, self.ending.rescued or frozenset()
        good = {dag.names[node] for node in succeeded if dag.kinds[node] != Kind.FINAL}
        # What ends when a DAG is broken off ends after its rescue file was written: that is no problem.
        for name in sorted(good - rescued) if self.ending.code == 1 and not dag.aborts else ():
            self.problems.append(f"node {name} has succeeded, and the rescue file does not say so")
        for name in sorted(rescued - good):
            node = dag.numbers.get(name)
            if node is None or not _is_passed_over(dag, node):
                self.problems.append(f"node {name} has not succeeded, and the rescue file calls it done")


def _is_passed_over(dag: Dag, node: int) -> bool:
    weak = dag.weak_of(node)
    return bool(weak) and all(weak)


def audit(dag: Dag, ending: Ending, events: Iterable[JobEvent], tolerance: int = 0) -> list[str]:
    """Contradictions in the log of a DAG; ``tolerance`` is DAGMAN_NODE_JOB_FAILURE_TOLERANCE."""
    found = Audit(dag, ending, tolerance)
    for event in events:
        found.take(event)
    return found.finish()

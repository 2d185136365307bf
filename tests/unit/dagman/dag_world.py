"""A world for a `Run`: it does at once what the run wants, and keeps the nodes log, as condor_dagman and a pool do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from condor_py.core.dag import actions as a
from condor_py.core.dag.progress import ScriptResult
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import NodeState
from condor_py.lang.dag.build import build
from condor_py.lang.dag.graph import NOOP, Dag
from condor_py.lang.dag.reader import FileProblem
from condor_py.model.settings.dagman import DagmanSettings

#: What a job, or a script, of a node ends with, by node name and how often it has run before.
Result = Callable[[str, int], int]


class Text:
    """One .dag file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, path: str) -> str:
        if path != "/t.dag":
            raise FileProblem("Provided file path does not exist")
        return self._text

    def enter(self, path: str) -> None:
        raise FileProblem(path)


def dag_of(text: str) -> Dag:
    return build(["t.dag"], Text(text), "/", DagmanSettings().language)[0]


class Killed(Exception):
    """The world ends here: condor_dagman was killed."""


class World:
    """Carries out actions. ``jobs`` and ``scripts`` tell what ends how; ``jobs_of`` how many jobs a node has."""

    def __init__(
        self,
        text: str,
        jobs: Result = lambda name, run: 0,
        scripts: Callable[[str, str, int], int] = lambda name, kind, run: 0,
        settings: DagmanSettings | None = None,
        jobs_of: Callable[[str], int] = lambda name: 1,
        **options: object,
    ) -> None:
        self.text = text
        self.jobs, self.scripts, self.jobs_of = jobs, scripts, jobs_of
        self.settings = settings or DagmanSettings()
        self.options = options
        self.log: list[a.JobEvent] = []
        self.pre_ends: list[tuple[int, ScriptResult]] = []
        self.runs: Counter[str] = Counter()
        self.script_runs: Counter[tuple[str, str]] = Counter()
        self.commands: list[tuple[str, str, tuple[str, ...]]] = []
        self.in_queue: dict[int, str] = {}
        self.waiting: list[tuple[str, int]] = []
        self.said: list[str] = []
        self.rescues = 0
        self.saved: list[str] = []
        self.removed: list[str] = []
        self.noted: list[str] = []
        self.most_in_queue = 0
        self.cluster = 0
        self.noops = 0
        self.now = 1000
        self.code: int | None = None
        self.steps_left = -1
        self.refused: dict[str, int] = {}
        self.run = self.new_run()

    def new_run(self) -> Run:
        return Run(dag_of(self.text), self.settings, 7, **self.options)  # type: ignore[arg-type]

    def go(self, until: Callable[[], bool] = lambda: False) -> int:
        """Run to the end, or until a condition holds; the exit code."""
        self.run.begin(self.now)
        return self.on(until)

    def recover(self) -> int:
        """condor_dagman starts again, after it was killed."""
        self.run = self.new_run()
        self.waiting = []
        self.run.begin(self.now, recovery=True, pre_ends=self.pre_ends)
        for event in list(self.log):
            self.run.job_event(event, self.now)
        self.run.recovered(self.now)
        return self.on()

    def on(self, until: Callable[[], bool] = lambda: False) -> int:
        for _ in range(100_000):
            self.now += 1
            self.run.turn(self.now)
            self.do()
            if self.code is not None or until():
                return -1 if self.code is None else self.code
            self._end_one()
            self.do()
            if self.code is not None:
                return self.code
        raise AssertionError("the DAG does not come to its end")

    def do(self) -> None:
        while wanted := self.run.take():
            for action in wanted:
                self._step()
                self._one(action)

    def _step(self) -> None:
        if self.steps_left == 0:
            raise Killed
        self.steps_left -= 1

    def _end_one(self) -> None:
        """One job, or else one script, ends."""
        if self.in_queue and (not self.waiting or self.now % 2):
            cluster = min(self.in_queue)
            name = self.in_queue.pop(cluster)
            self.runs[name] += 1
            code = self.jobs(name, self.runs[name] - 1)
            procs = range(self.jobs_of(name))
            events = [a.JobEvent(number, cluster, proc, code=code) for proc in procs for number in (1, 5)]
            self.log += events  # the schedd writes them, whatever becomes of condor_dagman
            for event in events:
                self._step()
                self.run.job_event(event, self.now)
        elif self.waiting:
            name, kind_number = self.waiting.pop(0)
            kind = ("PRE", "POST", "HOLD")[kind_number]
            self.script_runs[name, kind] += 1
            code = self.scripts(name, kind, self.script_runs[name, kind] - 1)
            if kind == "PRE":
                self.pre_ends.append((self.run.progress.dag.numbers[name], ScriptResult(code)))
                self._step()
            self.run.script_ended(self.run.progress.dag.numbers[name], kind, self.now, code)

    def event(self, event: a.JobEvent) -> None:
        self.log.append(event)
        self.run.job_event(event, self.now)

    def _one(self, action: a.Action) -> None:
        names = self.run.progress.dag.names
        if isinstance(action, a.Submit):
            self._submit(action)
        elif isinstance(action, a.RunScript):
            self.commands.append((names[action.node], action.kind, action.words))
            self.waiting.append((names[action.node], ("PRE", "POST", "HOLD").index(action.kind)))
        elif isinstance(action, a.WriteEvent):
            jobs = self.run.progress.jobs.get(action.node)
            cluster = jobs.cluster if jobs else -1
            self.event(
                a.JobEvent(action.number, cluster, 0, 0, names[action.node], code=action.code, signal=action.signal)
            )
        elif isinstance(action, a.RemoveAll | a.RemoveJobs):
            self.removed.append(action.reason)
            only = action.cluster if isinstance(action, a.RemoveJobs) else None
            for cluster in [one for one in self.in_queue if only in (None, one)]:
                name = self.in_queue.pop(cluster)
                for proc in range(self.jobs_of(name)):
                    self.event(a.JobEvent(9, cluster, proc))
        elif isinstance(action, a.WriteRescue):
            self.rescues += 1
        elif isinstance(action, a.WriteSavePoint):
            self.saved.append(names[action.node])
        elif isinstance(action, a.Noted):
            self.noted.append(action.what)
        elif isinstance(action, a.Say):
            self.said.append(action.text)
        elif isinstance(action, a.Finish):
            self.code = action.code

    def _submit(self, action: a.Submit) -> None:
        dag = self.run.progress.dag
        for at, node in enumerate(action.nodes):
            name = dag.names[node]
            if self.refused.get(name, 0):
                self.refused[name] -= 1
                for later in reversed(action.nodes[at + 1 :]):
                    self.run.not_submitted(later)
                self.run.submit_failed(node, self.now)
                return
            if dag.flags[node] & NOOP:
                self.noops += 1
                self.run.submitted(node, 0, 1, 2147483647, self.noops)
                self.event(a.JobEvent(0, 0, 2147483647, self.noops, name))
                self.event(a.JobEvent(5, 0, 2147483647, self.noops, code=0))
                continue
            self.cluster += 1
            self.in_queue[self.cluster] = name
            for proc in range(self.jobs_of(name)):
                self.log.append(a.JobEvent(0, self.cluster, proc, 0, name))
            self.most_in_queue = max(self.most_in_queue, len(self.in_queue))
            cluster, seen = self.cluster, self.log[-self.jobs_of(name) :]
            self._step()
            self.run.submitted(node, cluster, self.jobs_of(name))
            for event in seen:
                self.run.job_event(event, self.now)

    def states(self) -> dict[str, NodeState]:
        """The state of every node by name."""
        progress = self.run.progress
        return {name: progress.state(node) for node, name in enumerate(progress.dag.names)}

"""Program that reads the files of one DAG with the rights of its owner, and says what it finds as lines of JSON.

Its order comes as a line of JSON on standard input (`Order`). The first line of the answer has the graph
(``{"graph": ...}``) or why there is none (``{"problem": ...}``); a line follows for each change (``{"nodes": ...}``).
The states come from the core of condor_dagman, which replays the nodes log as it does after a restart. The program ends
when its standard input closes.
"""

from __future__ import annotations

import json
import os
import select
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from condor_py.cli.web.dag.estimate import Estimate, concurrency, estimate
from condor_py.cli.web.dag.layout import Layout, place
from condor_py.client.dag.files import DagFiles
from condor_py.client.watch import FileWatch
from condor_py.core.dag import rescue
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import NodeState
from condor_py.daemons.dagman.nodeslog import SUBMITS, NodesLog, Read
from condor_py.daemons.dagman.start import nodes_log_name
from condor_py.lang.config.builders.dagman import dagman
from condor_py.lang.config.loader import load
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.cycles import cycle_text, walk
from condor_py.lang.dag.graph import JOIN, Dag, Kind
from condor_py.lang.dag.messages import DagError
from condor_py.lang.dag.options import DagmanOptions
from condor_py.lang.dag.reader import FileProblem
from condor_py.machine.run.userfiles import user_file
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.model.texts import one_line

#: Limits of what is shown: nodes, edges, bytes of all files of a DAG together, and letters of a name or text.
MOST_NODES, MOST_EDGES, MOST_BYTES, MOST_LETTERS = 50_000, 200_000, 64 << 20, 200
#: Seconds between two messages at least, between two estimates of a long DAG, and until the log is read anyway.
_PAUSE, _ESTIMATE_PAUSE, _LOOK = 0.25, 10.0, 2.0
#: Seconds of a run that begins and ends within one second of the log.
_SHORT = 0.5
#: A DAG with more nodes is long.
_LONG = 1000
#: Letters for the states of nodes, by `NodeState`; a submitted node is Q (idle), R (running) or H (held).
LETTERS = "WNBRPDFU"
WAITS, READY, PRE, QUEUED, RUNNING, HELD, POST, DONE, FAILED, FUTILE = "WNBQRHPDFU"
_ENDS = (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED)


class Order(NamedTuple):
    """The DAG to read: the command line of its condor_dagman (program not included), the directory, id, owner and node
    name of that job, and the configuration file of the DAG."""

    arguments: list[str]
    directory: str
    cluster: int
    owner: str
    node: str
    config: str


class Problem(CondorError):
    """The DAG cannot be shown; the text is one line."""


class _Files(DagFiles):
    """Files of a DAG, up to a number of bytes for all of them."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def read(self, path: str) -> str:
        try:
            with user_file(path, "rb", links=True) as file:
                data = file.read(self._left + 1)
        except OSError as error:
            raise FileProblem(error.strerror or "cannot be read") from None
        self._left -= len(data)
        if self._left < 0:
            raise Problem(f"The files of this DAG have more than {MOST_BYTES >> 20} MB")
        return str(data, "utf-8", "surrogateescape")


def options_of(arguments: list[str]) -> DagmanOptions:
    """The options on the command line of condor_dagman. Raises Problem."""
    options = DagmanOptions()
    at = 0
    while at < len(arguments):
        word, at = arguments[at], at + 1
        if word in ("-p", "-l", "-f"):
            at += word != "-f"
            continue
        try:
            if word.startswith("-"):
                at += options.take(word.lower(), arguments[at:])
            else:
                options.dag_files.append(word)
        except CondorError as error:
            raise Problem(f"The arguments of this DAG's job cannot be read: {one_line(str(error))}") from None
    if not options.primary:
        raise Problem("The arguments of this DAG's job name no DAG file")
    return options


def graph_of(options: DagmanOptions, settings: DagmanSettings, directory: str) -> Dag:
    """The DAG of these files as seen from a directory, with the progress of its rescue file. Raises Problem."""
    builder = Builder(_Files(), directory, settings.language, options.on("UseDagDir"), several=options.is_multi)
    try:
        for number, name in enumerate(options.dag_files):
            builder.add(name, number)
            if len(builder.dag) > MOST_NODES:
                raise Problem(f"This DAG has more than {MOST_NODES} nodes, which is the most that is shown")
        if progress := _progress_file(options, settings, directory):
            builder.add_partial(progress)
        if len(builder.starts) > MOST_EDGES:
            raise Problem(f"This DAG has more than {MOST_EDGES} edges, which is the most that is shown")
        dag = builder.finish()
    except DagError as error:
        raise Problem(
            f"The DAG files cannot be read: {one_line(error.notes[-1].text if error.notes else '')}"
        ) from None
    if walk(dag).is_cyclic:
        raise Problem(f"This DAG has a cycle: {one_line(cycle_text(dag))[:MOST_LETTERS]}")
    return dag


def _progress_file(options: DagmanOptions, settings: DagmanSettings, directory: str) -> str:
    """The save point or rescue file that condor_dagman continues from, "" without one."""
    texts, primary = options.texts, options.primary
    if texts["SaveFile"]:
        return rescue.save_point_name(primary, texts["SaveFile"], directory)
    if texts["RescueFile"]:
        return texts["RescueFile"]
    number = options.numbers["DoRescueFrom"]
    if number <= 0 and options.numbers["AutoRescue"]:

        def is_there(name: str) -> bool:
            return os.path.exists(os.path.join(directory, name))

        number = rescue.last_rescue(primary, options.is_multi, settings.max_rescue_num, is_there)[0]
    return rescue.rescue_name(primary, options.is_multi, number) if number > 0 else ""


def graph_message(dag: Dag, layout: Layout) -> dict[str, Any]:
    """The graph for the page: names, numbers of submit files and places by node; the edges as pairs in one list; kinds
    of the nodes that are not usual."""
    files = {name: number for number, name in enumerate(dict.fromkeys(dag.submits))}
    edges: list[int] = []
    for node in range(len(dag)):
        for child in dag.children_of(node):
            edges += (node, child)
    return {
        "names": [_shown(name) for name in dag.names],
        "files": [_shown(name) for name in files],
        "file": [files[name] for name in dag.submits],
        "kinds": {node: kind for node in range(len(dag)) if (kind := _kind(dag, node)) != "job"},
        "x": layout.x,
        "y": layout.y,
        "edges": edges,
    }


def _kind(dag: Dag, node: int) -> str:
    return "join" if dag.flags[node] & JOIN else Kind(dag.kinds[node]).name.lower()


def _shown(text: str) -> str:
    return one_line(text)[:MOST_LETTERS]


class Story:
    """The states of the nodes, from the events of the nodes log."""

    def __init__(self, dag: Dag, settings: DagmanSettings, cluster: int, always_post: bool, now: int) -> None:
        self.dag = dag
        self.run = Run(dag, settings, cluster, 0, always_post)
        self.run.begin(now, recovery=True)
        self.run.take()
        #: Unix times of the first start of a node's last try, and of its end.
        self._begun: dict[int, float] = {}
        self._ended: dict[int, float] = {}
        self._first = self._last = 0.0
        self._sent: dict[int, list[Any]] = {}
        #: The nodes that may have changed.
        self._touched = set(range(len(dag)))

    def take(self, read: Read) -> None:
        """Take an event."""
        event, p = read.event, self.run.progress
        self._first = self._first or read.time
        self._last = max(self._last, read.time)
        self.run.job_event(event, int(read.time))
        self.run.take()
        node = p.dag.numbers.get(event.name) if event.name else p.jobs.node_of(event.cluster, event.subproc)
        if node is None:
            return
        self._touch(node)
        if event.number in SUBMITS and event.proc <= 0:
            self._begun.pop(node, None)
            self._ended.pop(node, None)
        elif event.number == JobEventType.EXECUTE:
            self._begun.setdefault(node, read.time)
        elif event.number in _ENDS:
            self._ended[node] = read.time

    def _touch(self, node: int) -> None:
        """A node may have changed, and what waits for it; a failed one changes all that follows it."""
        if self.run.progress.states[node] == NodeState.ERROR:
            self._touched.update(range(len(self.dag)))
        else:
            self._touched.add(node)
            self._touched.update(self.dag.children_of(node))

    def letter(self, node: int) -> str:
        """The state of a node as a letter of LETTERS."""
        p = self.run.progress
        state = p.states[node]
        if state == NodeState.READY:
            return READY if p.can_start(node) else WAITS
        if state != NodeState.SUBMITTED:
            return LETTERS[state]
        jobs = p.jobs.get(node)
        if jobs is None:
            return QUEUED
        left = max(jobs.count, jobs.seen) - len(jobs.ended)
        if jobs.held and len(jobs.held) >= left:
            return HELD
        return QUEUED if len(jobs.idle | jobs.held) >= left else RUNNING

    def changes(self) -> dict[int, list[Any]]:
        """Return the nodes that have changed: state, cluster, begin, end, tries before this one, and why it failed."""
        p = self.run.progress
        found: dict[int, list[Any]] = {}
        for node in sorted(self._touched):
            jobs = p.jobs.get(node)
            row = [
                self.letter(node),
                max(0, jobs.cluster) if jobs is not None else 0,
                self._begun.get(node, 0.0),
                self._ended.get(node, 0.0),
                p.tries.retries.get(node, 0),
                _shown(p.results.errors.get(node, "")),
            ]
            if self._sent.get(node) != row:
                found[node] = self._sent[node] = row
        self._touched.clear()
        return found

    def estimate(self, now: float) -> Estimate:
        """The time left."""
        letters = [self.letter(node) for node in range(len(self.dag))]
        ran = {
            node: max(_SHORT, self._ended[node] - begun)
            for node, begun in self._begun.items()
            if letters[node] == DONE and self._ended.get(node, 0.0) >= begun
        }
        since = {n: max(0.0, now - begun) for n, begun in self._begun.items() if letters[n] == RUNNING}
        over = [letter in (DONE, FAILED, FUTILE) for letter in letters]
        at_a_time = concurrency(ran, self._first, self._last, letters.count(RUNNING))
        return estimate(self.dag, ran, since, over, at_a_time)


def _tell(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _follow(story: Story, log: NodesLog) -> bool:
    """Tell changes until standard input closes; True when the log has begun again, as it does with a new run."""
    estimated, due = 0.0, True
    seen = _file(log.path)
    while True:
        watch = FileWatch(log.path)
        try:
            before, seen = seen, _file(log.path)
            if (seen[0] != before[0] and before[1]) or seen[1] < before[1]:
                return True
            for read in log.read():
                story.take(read)
            message: dict[str, Any] = {}
            if changed := story.changes():
                message, due = {"nodes": changed}, True
            now = time.time()
            if due and (len(story.dag) <= _LONG or now - estimated >= _ESTIMATE_PAUSE):
                message["estimate"], estimated, due = story.estimate(now)._asdict(), now, False
            if message:
                _tell(message)
            if _is_closed(_PAUSE) or _wait(watch):
                return False
        finally:
            watch.close()


def _file(path: str) -> tuple[int, int]:
    """Number and size of a file; 0 and 0 when it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_ino, found.st_size


def _is_closed(seconds: float) -> bool:
    return bool(select.select([0], [], [], seconds)[0])


def _wait(watch: FileWatch) -> bool:
    """Wait for the log to change; return whether standard input has closed."""
    handles = [0, *([watch.handle] if watch.handle >= 0 else [])]
    ready = select.select(handles, [], [], _LOOK if watch.handle >= 0 else _PAUSE)[0]
    return 0 in ready


def read_and_follow(order: Order) -> bool:
    """Read the DAG, tell its graph, and then the states of its nodes; whether to do so again. Raises Problem."""
    options = options_of(order.arguments)
    try:
        os.chdir(order.directory)
        settings = dagman(load(os.environ, subsystem="DAGMAN", last=order.config or None))
    except (OSError, CondorError) as error:
        raise Problem(f"The DAG cannot be read: {one_line(str(error))}") from None
    dag = graph_of(options, settings, os.getcwd())
    _tell({"graph": graph_message(dag, place(dag))})
    path = nodes_log_name(settings.default_node_log, options.primary, order.cluster, order.owner, order.node)
    always_post = options.switches.get("PostRun", settings.always_run_post)
    try:
        return _follow(
            Story(dag, settings, order.cluster, always_post, int(time.time())), NodesLog(os.path.abspath(path))
        )
    except CondorError as error:
        raise Problem(f"The nodes log cannot be read: {one_line(str(error))}") from None


#: A DAG and a nodes log with events of all kinds that are understood.
_REHEARSED = "JOB A a.sub\nJOB B a.sub\nSCRIPT POST A true\nRETRY B 1\nPARENT A CHILD B\n"
_EVENTS = (
    (0, "Job submitted from host: <a>\n    DAG Node: A"),
    (1, "Job executing on host: <a>"),
    (12, "Job was held.\n\tno\n\tCode 1 Subcode 0"),
    (13, "Job was released.\n\tyes"),
    (5, "Job terminated.\n\t(0) Abnormal termination (signal 9)\n\t(0) No core file"),
    (16, "POST Script terminated.\n\t(1) Normal termination (return value 0)\n    DAG Node: A"),
    (34, "PRE script return value is PRE_SKIP value\n    DAG Node: B"),
)


def rehearse() -> None:
    """Read a DAG of our own, so that everything is loaded: the owner of a DAG need not be able to read our program."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("r.dag", _REHEARSED), ("r.dag.rescue001", "DONE B\n"), ("broken.dag", "JOB A\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        log = NodesLog(os.path.join(folder, "r.dag.nodes.log"))
        with open(log.path, "w", encoding="utf-8") as file:
            for number, text in _EVENTS:
                file.write(f"{number:03d} (001.000.000) 2026-11-22 07:00:00 {text}\n...\n")
        settings = dagman(load(os.environ, subsystem="DAGMAN", last=None))
        for name in ("broken.dag", "r.dag"):
            with suppress(Problem):
                dag = graph_of(options_of(["-Dag", name, "-AutoRescue", "1"]), settings, folder)
        json.dumps(graph_message(dag, place(dag)))
        story = Story(dag, settings, 1, False, 0)
        for read in log.read():
            story.take(read)
        story.changes()
        story.estimate(time.time())
        FileWatch(log.path).close()


def main() -> int:
    """Run the program; its exit code."""
    from condor_py.machine.run.identity import UnknownAccount, account
    from condor_py.machine.run.spawning import become

    order = Order(**json.loads(sys.stdin.buffer.readline()))
    try:
        if os.getuid() == 0:
            with suppress(OSError):  # a full disk
                rehearse()
            become(account(order.owner))
        while read_and_follow(order):
            pass
    except (Problem, UnknownAccount) as error:
        _tell({"problem": str(error)})
    except (MemoryError, RecursionError):
        _tell({"problem": "This DAG takes more memory than a page may use"})
    except BrokenPipeError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

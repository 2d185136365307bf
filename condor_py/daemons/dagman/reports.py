"""Reports of condor_dagman while a DAG runs: tables in its log, its job's ad, status, DOT and metrics files."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import time
from itertools import islice
from typing import NamedTuple

from condor_py.core.dag import figures
from condor_py.core.dag.ending import tell_deferrals
from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import DagStatus
from condor_py.daemons.dagman import pictures
from condor_py.daemons.dagman.cycles import CycleTimes
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.start import Start, save
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.dag.cycles import walk
from condor_py.lang.dag.graph import NONE, Kind
from condor_py.lang.dag.messages import VERBOSE
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.version import HTCONDOR_VERSION
from condor_py.store.history import records_newest_first

# SVG pictures next to DOT files, by Graphviz where that is installed (ours).

#: Graphs of more nodes take Graphviz too long, and are too large to view.
MOST_NODES = 1000
#: Seconds that the last picture may take when the DAG is over.
_PATIENCE = 10.0


class Drawer:
    """Draws one picture at a time, while the DAG runs; of those requested meanwhile only the last one follows."""

    def __init__(self, nodes: int) -> None:
        self._program = shutil.which("dot") if nodes <= MOST_NODES else None
        self._work: tuple[subprocess.Popen[bytes], str] | None = None
        self._next = ""

    def draw(self, name: str) -> None:
        """Draw the DOT file ``name`` as ``name``.svg."""
        if self._program:
            self._next = name
            self.turn()

    def turn(self) -> None:
        """See whether a picture is done; begin the next."""
        if self._work is not None and self._work[0].poll() is None:
            return
        self._take()
        name, self._next = self._next, ""
        if not name or self._program is None:
            return
        command = [self._program, "-Tsvg", "-o", f"{name}.svg.tmp", name]
        nothing = subprocess.DEVNULL
        try:
            made = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
        except OSError:
            self._program = None  # no pictures then
            return
        self._work = (made, name)

    def finish(self) -> None:
        """The DAG is over: wait for the last picture, but not for long."""
        while self._work is not None:
            try:
                self._work[0].wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._work[0].kill()
                self._work[0].wait()
                self._next = ""
            self.turn()

    def _take(self) -> None:
        """A picture that is done takes its name; one that failed goes."""
        if self._work is None:
            return
        (process, name), self._work = self._work, None
        made = f"{name}.svg.tmp"
        try:
            if process.returncode == 0:
                os.replace(made, f"{name}.svg")
            else:
                os.unlink(made)
        except OSError:
            return


# The metrics file: figures of the DAG, written when it ends.

_NODE, _SUB_DAG, _SERVICE = range(3)


class Metrics:
    """Counts the ends of nodes."""

    def __init__(self, p: Progress, begun: float) -> None:
        self._p = p
        self._begun = begun
        self._ends = {(kind, success): 0 for kind in (_NODE, _SUB_DAG, _SERVICE) for success in (True, False)}

    def ended(self, node: int, success: bool) -> None:
        """A node came to its end."""
        self._ends[self._kind(node), success] += 1

    def _kind(self, node: int) -> int:
        dag = self._p.dag
        if dag.kinds[node] == Kind.SERVICE:
            return _SERVICE
        return _SUB_DAG if node in dag.sub_dags else _NODE

    def text(self, code: int, now: float, dagman: int, parent: int, rescue: int) -> str:
        """The file, as DAGMAN_METRICS_FILE_VERSION asks for it."""
        p = self._p
        totals = [0, 0, 0]
        for node in range(len(p.dag)):
            totals[self._kind(node)] += 1
        version = p.settings.metrics_file_version
        lines: list[tuple[str, object]] = [
            ("client", "condor_dagman"),
            ("version", HTCONDOR_VERSION),
            ("type", "metrics"),
            *([("metrics_version", 2)] if version == 2 else []),
            ("start_time", self._begun),
            ("end_time", now),
            ("duration", now - self._begun),
            ("exitcode", code),
            ("dagman_id", str(dagman) if dagman >= 0 else ""),
            ("parent_dagman_id", str(parent) if parent > 0 else ""),
            ("rescue_dag_number", rescue),
            *(self._second(totals) if version == 2 else self._first(totals)),
        ]
        if p.settings.report_graph_metrics:
            lines += self._graph()
        lines.append(("DagStatus", int(p.course.status)))
        return "{\n" + ",\n".join(f'    "{name}":{_shown(value)}' for name, value in lines) + "\n}\n"

    def _counts(self, kind: int, name: str, total: int) -> list[tuple[str, object]]:
        good, bad = self._ends[kind, True], self._ends[kind, False]
        return [(name, total), (f"{name}_failed", bad), (f"{name}_succeeded", good)]

    def _first(self, totals: list[int]) -> list[tuple[str, object]]:
        return [
            *self._counts(_NODE, "jobs", totals[_NODE]),
            *self._counts(_SUB_DAG, "dag_jobs", totals[_SUB_DAG]),
            ("total_jobs", sum(totals)),
            ("total_jobs_run", sum(self._ends.values())),
        ]

    def _second(self, totals: list[int]) -> list[tuple[str, object]]:
        p = self._p
        counts = p.counts
        return [
            ("has_final_node", p.dag.final != NONE),
            *self._counts(_NODE, "nodes", totals[_NODE]),
            *self._counts(_SUB_DAG, "dag_nodes", totals[_SUB_DAG]),
            ("provisioner_nodes", int(p.dag.provisioner != NONE)),
            *self._counts(_SERVICE, "service_nodes", totals[_SERVICE]),
            ("total_nodes", sum(totals)),
            ("total_nodes_run", sum(self._ends.values())),
            ("jobs_submitted", counts.jobs_submitted),
            ("jobs_succeeded", counts.jobs_completed),
            ("jobs_failed", counts.jobs_submitted - counts.jobs_completed),
        ]

    def _graph(self) -> list[tuple[str, object]]:
        dag = self._p.dag
        found = walk(dag)
        cyclic = self._p.course.status == DagStatus.CYCLE
        return [
            ("graph_height", 0 if cyclic else found.height),
            ("graph_width", 0 if cyclic else found.width),
            ("graph_num_edges", len(dag.children)),
            ("graph_num_vertices", len(dag.order)),
        ]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f'"{value}"' if isinstance(value, str) else str(value)


#: Seconds between two changes of the job ad at least, while the DAG runs.
_AD_PAUSE = 2.0


class Reports:
    """Everything that is written for readers, and from which nothing is recovered."""

    def __init__(self, start: Start, job: ManagerJob, p: Progress) -> None:
        self._start = start
        self._job = job
        self._p = p
        self.metrics = Metrics(p, time.time())
        self.cycles = CycleTimes()
        self._failures = Failures(start, job, p)
        self._drawer = Drawer(len(p.dag))
        self._shown: tuple[int, ...] = ()
        self._published: dict[str, str] = {}
        self._next_ad = 0.0
        self._next_table = time.monotonic() + p.settings.print_job_table_interval
        self._status_due = 0.0
        self._status_outdated = True

    def changed(self) -> None:
        """An event has been read: the status file is out of date."""
        self._status_outdated = True

    def ended(self, node: int, success: bool) -> None:
        """A node came to its end."""
        self.metrics.ended(node, success)
        if not success:
            self._failures.ended(node)

    def turn(self) -> None:
        """At the end of each turn: whatever is due."""
        p = self._p
        self._drawer.turn()
        counts = p.counts
        seen = (counts.done, counts.failed, counts.submitted, p.ready.count, counts.prerun, counts.postrun,
                counts.holdrun, figures.held_jobs(p))  # fmt: skip
        if seen != self._shown:
            self._shown = seen
            self._status_outdated = True
            self.table()
            if p.dag.dot is not None and p.dag.dot.update:
                self.dot()
        interval = p.settings.print_job_table_interval
        if interval and time.monotonic() >= self._next_table:
            self._next_table = time.monotonic() + interval
            self._job_table()
        if time.monotonic() >= self._next_ad:
            self.publish()
        self.status_file()

    def table(self) -> None:
        """The table of nodes."""
        for line in figures.table(self._p):
            self._start.log.say(line, VERBOSE)
        tell_deferrals(self._p, always=False, level=VERBOSE)

    def statistics(self) -> None:
        """Log how long the cycles took."""
        self._start.log.say(self.cycles.line(), VERBOSE)

    def _job_table(self) -> None:
        found, say = figures.job_ad(self._p), self._start.log.say
        good = self._p.counts.jobs_succeeded
        say(f"Total jobs placed to AP: {found['DAG_JobsSubmitted']}", VERBOSE)
        say("     Idle     Held     Running     Successful     Failed", VERBOSE)
        say("      ===      ===         ===            ===        ===", VERBOSE)
        say(
            f"  {found['DAG_JobsIdle']:7d}  {found['DAG_JobsHeld']:7d}     {found['DAG_JobsRunning']:7d}     "
            f"{good:10d} {found['DAG_JobsCompleted'] - good:10d}",
            VERBOSE,
        )

    def publish(self) -> None:
        """Bring the job ad up to date; every DAGMAN_QUEUE_UPDATE_INTERVAL also when nothing has changed."""
        ad = {name: _text(value) for name, value in figures.job_ad(self._p).items()} | self._failures.attributes()
        interval = self._p.settings.queue_update_interval
        if ad == self._published and time.monotonic() < self._next_ad + interval - _AD_PAUSE:
            return
        changed = {name: text for name, text in ad.items() if self._published.get(name) != text}
        now = str(int(time.time()))
        written = self._job.write({"DAG_AdUpdateTime": now, "DAG_Stats": self.cycles.expression(), **changed})
        self._published = ad if written else {}  # else all of it is written next time
        self._next_ad = time.monotonic() + (min(_AD_PAUSE, interval) if written else interval)

    def status_file(self, held: bool = False, removed: bool = False) -> None:
        """The node status file, if it is due."""
        p = self._p
        wanted = p.dag.status_file
        if wanted is None or not (self._status_outdated or wanted.always or held or removed):
            return
        if time.monotonic() < self._status_due and not (held or removed or p.course.is_over or p.course.is_aborted):
            return
        self._status_due = time.monotonic() + wanted.seconds
        self._status_outdated = False
        text = pictures.node_status(p, self._start.options.dag_files, time.time(), wanted.seconds, held, removed)
        save(self._start, wanted.file, text, durable=False)

    def dot(self) -> str:
        """The DOT file; its name, "" without one."""
        wanted = self._p.dag.dot
        if wanted is None:
            return ""
        name, number = wanted.file, 0
        while not wanted.overwrite and os.path.exists(name := f"{wanted.file}.{number}"):
            number += 1
        included = ""
        if wanted.include:
            try:
                with open(wanted.include, encoding="utf-8", errors="surrogateescape") as file:
                    included = file.read()
            except OSError:
                self._start.log.say(f"Can't open dot include file {wanted.include}")
        source = wanted.include if included else ""
        save(self._start, name, pictures.dot(self._p, time.time(), included, source), durable=False)
        self._drawer.draw(name)
        return name

    def finish(self, code: int) -> None:
        """The DAG is over."""
        self._status_outdated = True
        self.status_file(removed=self._p.course.status == DagStatus.RM)
        if self._p.dag.dot is not None and self._p.dag.dot.update:
            self.dot()
        self._drawer.finish()
        name = f"{self._start.primary}.metrics"
        job = self._job
        text = self.metrics.text(code, time.time(), job.cluster, job.parent, self._start.rescue_number)
        save(self._start, name, text, durable=False)
        self._start.log.say(f"Wrote metrics file {name}.")


def _text(value: int | bool) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


#: So many failed nodes are named, for so many the job is looked up (which reads the queue), and so many are in the ad,
#: the last ones.
_MOST_STORIES, _MOST_LOOKS, _MOST_IN_AD = 100, 20, 10
#: What is shown of an error file: the last lines of its last bytes, each cut.
_TAIL_LINES, _TAIL_BYTES, _TAIL_WIDTH = 5, 4096, 200
#: A job that has just left the queue is among the last ones of the history.
_LOOK_BACK = 200
_QUEUE = re.compile(r"^\s*queue\b", re.IGNORECASE)


class Story(NamedTuple):
    """The failure of a node. ``place`` and ``submit`` are FILE:LINE, ``tail`` the last lines of ``file``."""

    node: str
    reason: str
    submit: str
    place: str
    file: str = ""
    tail: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The story in the log."""
        found = [f"Node {self.node} has failed: {self.reason}", f"  submitted from {self.submit}, node of {self.place}"]
        if self.tail:
            found.append(f"  the end of its error file {self.file}:")
        return found + [f"    | {line}" for line in self.tail]

    def ad(self) -> str:
        """The story as the text of a ClassAd, in one line."""
        parts = (("Node", self.node), ("Reason", self.reason), ("Submit", self.submit), ("Place", self.place))
        values = [f"{name} = {_quoted(value)}" for name, value in parts]
        if self.tail:
            values.append(f"Tail = {{ {', '.join(map(_quoted, self.tail))} }}")
        return f"[ {'; '.join(values)} ]"


def _quoted(text: str) -> str:
    return quote_string(" ".join(text.splitlines()))


class Failures:
    """Report nodes that failed for good."""

    def __init__(self, start: Start, job: ManagerJob, p: Progress) -> None:
        self._start, self._job, self._p = start, job, p
        self._stories: list[Story] = []
        self._count = 0

    def ended(self, node: int) -> None:
        """A node has failed. Its story goes to the log, unless very many have failed before it."""
        self._count += 1
        if self._count > _MOST_STORIES or self._p.course.is_recovering:
            return
        story = self._story(node)
        self._stories = [*self._stories[1 - _MOST_IN_AD :], story]
        for line in story.lines():
            self._start.log.say(line)

    def attributes(self) -> dict[str, str]:
        """The attributes of the job ad about the last failed nodes."""
        return (
            {"DAG_FailedNodes": "{ " + ", ".join(story.ad() for story in self._stories) + " }"} if self._stories else {}
        )

    def _story(self, node: int) -> Story:
        p = self._p
        file, line = p.dag.place_of(node)
        reason = p.results.errors.get(node, "").strip() or "unknown"
        story = Story(p.dag.names[node], reason, self._submit(node), f"{file}:{line}" if line else self._start.primary)
        ad = self._failed_job(node)
        name = ad.eval_str("Err") if ad is not None else ""
        if ad is None or not name or name == "/dev/null":
            return story
        path = os.path.join(ad.eval_str("Iwd") or "", name)
        return story._replace(file=name, tail=tail_of(path))

    def _submit(self, node: int) -> str:
        """The submit file of a node with the line of its queue statement."""
        dag = self._p.dag
        name = dag.submits[node]
        if name in dag.descriptions:
            return "its description in the .dag file"
        try:
            with open(os.path.join(dag.directories[node], name), encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if _QUEUE.match(line):
                        return f"{name}:{number}"
        except OSError:
            return name
        return name

    def _failed_job(self, node: int) -> ClassAd | None:
        """The ad of the first job of the node that failed: in the queue, or among the last of the history."""
        jobs = self._p.jobs.get(node)
        if jobs is None or jobs.cluster <= 0 or self._count > _MOST_LOOKS:
            return None
        proc = next((proc for proc, code in sorted(jobs.codes.items()) if code != 0), jobs.proc)
        job, pool = JobId(jobs.cluster, proc), self._start.pool
        try:
            found = pool.read_queue().job(job)
            if found is not None:
                return found
            path = pool.config.string("HISTORY")
            for record in islice(records_newest_first(path), _LOOK_BACK) if path else ():
                if record.job() == job:
                    return record.ad()
        except (CondorError, OSError):
            pass  # there is nothing to tell of the job
        return None


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def tail_of(path: str) -> tuple[str, ...]:
    """The last lines of a file, without empty ones; none when it cannot be read, or is a pipe, which would be waited
    for."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            seen = os.fstat(file.fileno())
            if not stat.S_ISREG(seen.st_mode):
                return ()
            file.seek(max(0, seen.st_size - _TAIL_BYTES))
            text = file.read(_TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    lines = ["".join(char if char.isprintable() else " " for char in line) for line in text.splitlines()]
    return tuple(line.rstrip()[:_TAIL_WIDTH] for line in lines if line.strip())[-_TAIL_LINES:]

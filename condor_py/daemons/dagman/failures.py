"""Why a node failed, for people: in .dagman.out, and in the ad of condor_dagman's job for ``condor_q -dag`` (ours)."""

from __future__ import annotations

import os
import re
import stat
from itertools import islice
from typing import NamedTuple

from condor_py.core.dag.progress import Progress
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.start import Start
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.store.history import records_newest_first

#: So many failed nodes are told of, of so many the job is looked up (which reads the queue), and so many are in the ad,
#: the last ones.
_MOST_STORIES, _MOST_LOOKS, _MOST_IN_AD = 100, 20, 10
#: What is shown of an error file: the last lines of its last bytes, each cut.
_TAIL_LINES, _TAIL_BYTES, _TAIL_WIDTH = 5, 4096, 200
#: A job that has just left the queue is among the last ones of the history.
_LOOK_BACK = 200
_QUEUE = re.compile(r"^\s*queue\b", re.IGNORECASE)


class Story(NamedTuple):
    """What became of a node. ``place`` and ``submit`` are FILE:LINE, ``tail`` the last lines of ``file``."""

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
        told = (("Node", self.node), ("Reason", self.reason), ("Submit", self.submit), ("Place", self.place))
        values = [f"{name} = {_quoted(value)}" for name, value in told]
        if self.tail:
            values.append(f"Tail = {{ {', '.join(map(_quoted, self.tail))} }}")
        return f"[ {'; '.join(values)} ]"


def _quoted(text: str) -> str:
    return quote_string(" ".join(text.splitlines()))


class Failures:
    """Tells of nodes that failed for good."""

    def __init__(self, start: Start, job: ManagerJob, p: Progress) -> None:
        self._start, self._job, self._p = start, job, p
        self._told: list[Story] = []
        self._count = 0

    def ended(self, node: int) -> None:
        """A node has failed. Its story goes to the log, unless very many have failed before it."""
        self._count += 1
        if self._count > _MOST_STORIES or self._p.recovering:
            return
        story = self._story(node)
        self._told = [*self._told[1 - _MOST_IN_AD :], story]
        for line in story.lines():
            self._start.log.say(line)

    def attributes(self) -> dict[str, str]:
        """What the job ad tells of the last failed nodes."""
        return {"DAG_FailedNodes": "{ " + ", ".join(story.ad() for story in self._told) + " }"} if self._told else {}

    def _story(self, node: int) -> Story:
        p = self._p
        file, line = p.dag.place_of(node)
        reason = p.errors.get(node, "").strip() or "unknown"
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
    """The last lines of a file, without blank ones; none when it cannot be read, or is a pipe, which would be waited
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

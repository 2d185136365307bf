"""Knowledge of the server about DAGs: each that a page shows has a `reader` with the rights of its owner.

A thread takes the messages of a reader, so that no page waits for the files of a user. At most `MOST` DAGs are
followed; one that no page has asked for in ten minutes is let go.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from condor_py.cli.web.dag.reader import HELD, LETTERS, MOST_LETTERS, MOST_NODES, QUEUED, WAITS, Order
from condor_py.model.texts import one_line

#: DAGs that are followed at a time.
MOST = 8
#: Seconds after which a DAG is let go that no page has asked for (one that is open asks again then), that the first
#: answer of a reader may take, and between two looks at that.
_IDLE, _PATIENCE, _LOOK = 600.0, 60.0, 5.0
#: Seconds after the start of a reader from which one that has ended may be started again.
_AGAIN = 10.0
#: Kinds of nodes that are not usual, and letters of the reason why a DAG cannot be shown.
KINDS = ("join", "final", "provisioner", "service")
_LONGEST = 500
#: Bytes that a reader may use, that a line of it may have, and that are read at once.
_MEMORY, _LINE, _CHUNK = 2 << 30, 32 << 20, 1 << 18
_ENDED = "The program that reads the DAG has ended; a DAG that is too large does that"
_START = "import sys; sys.path.append({!r}); from condor_py.cli.web.dag.reader import main; sys.exit(main())"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))


class Node:
    """A node as its reader has sent it: see `reader.Story.changes`."""

    __slots__ = ("begun", "cluster", "ended", "error", "state", "tries")

    def __init__(self) -> None:
        self.take([WAITS, 0, 0.0, 0.0, 0, ""])

    def take(self, row: list[Any]) -> None:
        """Take what is new."""
        self.state, self.cluster, self.begun, self.ended, self.tries, self.error = row


def checked_graph(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the graph that a reader has sent. A reader has the rights of a user, who may have taken it over: nothing
    but a graph gets past this. ValueError, LookupError, TypeError or AttributeError for anything else."""
    names, files = [_text(name) for name in sent["names"]], [_text(name) for name in sent["files"]]
    count = len(names)
    if count > MOST_NODES:
        raise ValueError(count)
    x, y = array("d", sent["x"]), array("l", sent["y"])
    file, edges = array("l", sent["file"]), array("l", sent["edges"])
    _within(x, count, 10 * count + 10)
    _within(y, count, count + 1)
    _within(file, count, len(files))
    _within(edges, len(edges) // 2 * 2, count)
    kinds = {str(int(node)): kind for node, kind in sent["kinds"].items() if kind in KINDS}
    return {"names": names, "files": files, "x": x, "y": y, "file": file, "edges": edges, "kinds": kinds}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return one_line(value)[:MOST_LETTERS]


def _within(values: Sequence[float], count: int, below: int) -> None:
    if len(values) != count or not all(0 <= value < below for value in values):
        raise ValueError(count)


def checked_row(row: list[Any]) -> list[Any]:
    """Return what a reader has sent of a node. ValueError or TypeError as `checked_graph`."""
    state, cluster, begun, ended, tries, error = row
    if not isinstance(state, str) or len(state) != 1 or state not in LETTERS + QUEUED + HELD:
        raise ValueError(state)
    return [
        state,
        _number(int(cluster)),
        _number(float(begun)),
        _number(float(ended)),
        _number(int(tries)),
        _text(error),
    ]


def checked_estimate(sent: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return the estimate that a reader has sent. ValueError, LookupError or TypeError as `checked_graph`."""
    critical = array("l", sent["critical"])
    _within(critical, len(critical), count)
    left = sent["left"]
    return {
        "left": None if left is None else _number(float(left)),
        **{name: _number(float(sent[name])) for name in ("chain", "work", "at_a_time")},
        **{name: _number(int(sent[name])) for name in ("known", "like")},
        "critical": critical.tolist(),
    }


def _number(value: float) -> Any:
    if not 0 <= value < 1e15:
        raise ValueError(value)
    return value


class Followed:
    """One DAG. ``graph`` is None until it has been read, ``problem`` says why it cannot be."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.graph: dict[str, Any] | None = None
        self.nodes: list[Node] = []
        self.estimate: dict[str, Any] | None = None
        self.problem = ""
        #: Numbers of the graph and of the last change; ``since`` has the change of each node.
        self.edition = self.version = 0
        self.since: list[int] = []
        self.used = time.monotonic()

    def take(self, message: dict[str, Any]) -> None:
        """Take a message of the reader."""
        self.version += 1
        if "graph" in message:
            graph = checked_graph(message["graph"])
            self.nodes, self.since = [Node() for _ in graph["names"]], [self.version] * len(graph["names"])
            self.graph, self.estimate = graph, None
            self.edition += 1
        for number, row in message.get("nodes", {}).items():
            node = int(number)
            if not 0 <= node < len(self.nodes):
                raise ValueError(number)
            self.nodes[node].take(checked_row(row))
            self.since[node] = self.version
        if "estimate" in message:
            self.estimate = checked_estimate(message["estimate"], len(self.nodes))
        if "problem" in message:
            self.problem = one_line(str(message["problem"]))[:_LONGEST]
        self._changed()

    def fail(self, why: str) -> None:
        """It cannot be followed any more."""
        if not self.problem:
            self.take({"problem": why})


class Reading:
    """A reader at work for a DAG, and the thread that listens to it."""

    def __init__(self, order: Order, followed: Followed) -> None:
        self.followed = followed
        self.begun = time.monotonic()
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in ("CONDOR_CONFIG", "PATH", "TZ", "LANG") or name.startswith("_CONDOR_")
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START.format(_ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        threading.Thread(target=self._listen, args=(order,), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether the reader has ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """End the reader, and what it may have started."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _listen(self, order: Order) -> None:
        process, followed = self._process, self.followed
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            limit_reader(process.pid)
            process.stdin.write(json.dumps(order._asdict()).encode() + b"\n")
            process.stdin.flush()
            for line in self._lines(process.stdout.fileno()):
                followed.take(json.loads(line))
        except OSError:
            followed.fail(_ENDED)
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
            followed.fail("The program that reads the DAG has said nothing that can be read")
        finally:
            self.stop()
            with suppress(OSError):  # an order that it has not taken
                process.stdin.close()
            process.stdout.close()
            process.wait()
            followed.fail("The DAG is not followed any more")

    def _lines(self, descriptor: int) -> Iterator[bytes]:
        """The lines of the reader, until it ends or its DAG is not asked for any more."""
        rest = b""
        while True:
            if not select.select([descriptor], [], [], _LOOK)[0]:
                if self.followed.graph is None and time.monotonic() - self.begun > _PATIENCE:
                    self.followed.fail(f"This DAG could not be read within {_PATIENCE:.0f} seconds")
                    return
                if time.monotonic() - self.followed.used > _IDLE:
                    return
                continue
            chunk = os.read(descriptor, _CHUNK)
            if not chunk or len(rest) > _LINE:
                self.followed.fail(_ENDED)
                return
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines


class Followers:
    """The DAGs that pages show. ``changed`` is called, by any thread, when one has changed."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._readings: dict[int, Reading] = {}

    def of(self, order: Order) -> Followed:
        """Return the knowledge of a DAG, which is followed from now on."""
        reading = self._readings.get(order.cluster)
        if reading is None or (reading.is_over and time.monotonic() - reading.begun > _AGAIN):
            self._readings.pop(order.cluster, None)
            while len(self._readings) >= MOST:
                self._end(min(self._readings, key=lambda cluster: self._readings[cluster].followed.used))
            reading = self._readings[order.cluster] = Reading(order, Followed(self._changed))
        reading.followed.used = time.monotonic()
        return reading.followed

    def known(self, cluster: int) -> Followed | None:
        """Return the last state of a DAG whose job may have left the queue; None where it was not read."""
        reading = self._readings.get(cluster)
        return reading.followed if reading is not None else None

    def close(self) -> None:
        """End all readers."""
        for cluster in list(self._readings):
            self._end(cluster)

    def _end(self, cluster: int) -> None:
        self._readings.pop(cluster).stop()


def limit_reader(pid: int) -> None:
    """Limit the memory of a reader."""
    import resource

    with suppress(OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))

"""The `Dag`: nodes by number, edges in flat arrays.

A node is a number, given when its command is read. What nearly every node has is in lists indexed by it, what few
have in dictionaries. The children of node ``n`` are ``children[child_start[n]:child_start[n + 1]]``, in the order in
which they were written; its parents likewise. ``weak`` has a 1 for each entry of ``children`` whose edge is weak, and
is empty when there is no weak edge.
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.lang.dag.commands import Dot, NodeStatusFile


class Kind(enum.IntEnum):
    """The purpose of a node."""

    JOB = 0
    FINAL = 1
    PROVISIONER = 2
    SERVICE = 3


#: Bits of ``Dag.flags``. PRE_DONE is set with DONE where the node's own line says so, and not a rescue file.
NOOP, DONE, JOIN, PRE_DONE = 1, 2, 4, 8

#: The value of ``Dag.final`` and ``Dag.provisioner`` when there is none, and of a category without MAXJOBS.
NONE = -1


#: In an origin the line is the lower part.
_LINE_BITS = 32


class NodeScript(NamedTuple):
    """A script: its command line; after exit code ``defer[0]`` again in ``defer[1]`` seconds; ``debug`` as in
    `commands.Script`."""

    line: str
    defer: tuple[int, int] | None = None
    debug: tuple[str, str] | None = None


class NodeRetry(NamedTuple):
    """At most ``most`` more tries, none after exit code ``unless`` (0: no such code)."""

    most: int
    unless: int = 0


class NodeAbort(NamedTuple):
    """Exit code ``status`` of the node ends the DAG, with ``returns`` (None: with the same)."""

    status: int
    returns: int | None = None


class NodeTolerance(NamedTuple):
    """The number of jobs (``percent``: of 100) that may fail; ``mode`` is "" (as configured), FAIL_FAST or WAIT."""

    value: int
    percent: bool = False
    mode: str = ""


class Variable(NamedTuple):
    """A macro of VARS, put in front of the submit description or behind it."""

    name: str
    value: str
    prepend: bool


@dataclass(slots=True)
class Dag:
    """A whole DAG, splices lifted. See the module."""

    names: list[str] = field(default_factory=list)
    kinds: bytearray = field(default_factory=bytearray)
    flags: bytearray = field(default_factory=bytearray)
    #: The submit file, or a name in ``descriptions``; for a sub-DAG the submit file of its condor_dagman.
    submits: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    #: The nodes without the service nodes, in DAGMan's order: those of splices behind those of the file.
    order: Sequence[int] = ()
    services: list[int] = field(default_factory=list)
    final: int = NONE
    provisioner: int = NONE
    #: The .dag file of a sub-DAG.
    sub_dags: dict[int, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    #: Scripts by their kind: PRE, POST, HOLD.
    scripts: dict[str, dict[int, NodeScript]] = field(default_factory=lambda: {"PRE": {}, "POST": {}, "HOLD": {}})
    retries: dict[int, NodeRetry] = field(default_factory=dict)
    aborts: dict[int, NodeAbort] = field(default_factory=dict)
    pre_skips: dict[int, int] = field(default_factory=dict)
    tolerances: dict[int, NodeTolerance] = field(default_factory=dict)
    variables: dict[int, list[Variable]] = field(default_factory=dict)
    priorities: dict[int, int] = field(default_factory=dict)
    categories: dict[int, str] = field(default_factory=dict)
    save_points: dict[int, str] = field(default_factory=dict)
    #: MAXJOBS of each category, NONE without one.
    throttles: dict[str, int] = field(default_factory=dict)
    dot: Dot | None = None
    status_file: NodeStatusFile | None = None
    jobstate_log: str = ""
    child_start: array[int] = field(default_factory=lambda: array("i"))
    children: array[int] = field(default_factory=lambda: array("i"))
    weak: bytearray = field(default_factory=bytearray)
    parent_start: array[int] = field(default_factory=lambda: array("i"))
    parents: array[int] = field(default_factory=lambda: array("i"))
    #: Number of each node by name.
    numbers: dict[str, int] = field(default_factory=dict)
    #: The files that nodes are in, numbered, and the place of each node: the number of its file and its line.
    sources: dict[str, int] = field(default_factory=lambda: {"": 0})
    origins: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        """Return the number of nodes, service nodes included."""
        return len(self.names)

    def children_of(self, node: int) -> array[int]:
        """The children of a node, each once."""
        return self.children[self.child_start[node] : self.child_start[node + 1]]

    def parents_of(self, node: int) -> array[int]:
        """The parents of a node, each once."""
        return self.parents[self.parent_start[node] : self.parent_start[node + 1]]

    def weak_of(self, node: int) -> bytearray:
        """For each child of a node, whether that edge is weak."""
        start, end = self.child_start[node], self.child_start[node + 1]
        return self.weak[start:end] if self.weak else bytearray(end - start)

    def is_settled(self, node: int) -> bool:
        """Whether a node needs no job: it is empty, or done already."""
        return bool(self.flags[node] & (NOOP | DONE))

    def origin(self, file: str, line: int = 0) -> int:
        """The place of a node's command, as ``add_node`` takes it."""
        return (self.sources.setdefault(file, len(self.sources)) << _LINE_BITS) + line

    def place_of(self, node: int) -> tuple[str, int]:
        """File and line of a node's command; ("", 0) for one that has none."""
        number, line = divmod(self.origins[node], 1 << _LINE_BITS)
        return next(file for file, known in self.sources.items() if known == number), line

    def add_node(self, name: str, kind: Kind, submit: str, directory: str = "", flags: int = 0, origin: int = 0) -> int:
        """Append a node; its number."""
        node = len(self.names)
        self.origins.append(origin)
        self.names.append(name)
        self.kinds.append(kind)
        self.flags.append(flags)
        self.submits.append(submit)
        self.directories.append(directory)
        return node

    def connect(self, starts: array[int], ends: array[int], weak: Iterable[int] | None) -> None:
        """Set the edges: from ``starts[i]`` to ``ends[i]``, ``weak`` for each. An edge that is there twice counts
        once, and is strong if it is so once."""
        count = len(self.names)
        keys: Iterable[int] = [start * count + end for start, end in zip(starts, ends, strict=True)]
        strengths: dict[int, int] = {}
        if weak is None:
            strengths = dict.fromkeys(keys, 0)
        else:
            for key, is_weak in zip(keys, weak, strict=True):
                strengths[key] = strengths.get(key, 1) & is_weak
        order = sorted(strengths, key=lambda key: key // count) if count else []
        self.children = array("i", [key % count for key in order])
        self.weak = bytearray([strengths[key] for key in order]) if weak is not None else bytearray()
        self.child_start = _starts([key // count for key in order], count)
        by_child = sorted(strengths, key=lambda key: key % count) if count else []
        self.parents = array("i", [key // count for key in by_child])
        self.parent_start = _starts([key % count for key in by_child], count)


def _starts(sorted_nodes: Iterable[int], count: int) -> array[int]:
    """Return the index at which the entries of each node begin in an array sorted by node, and its end."""
    sizes = [0] * (count + 1)
    for node in sorted_nodes:
        sizes[node + 1] += 1
    total = 0
    for node, size in enumerate(sizes):
        total += size
        sizes[node] = total
    return array("i", sizes)

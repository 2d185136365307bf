"""Analysis of a run of a DAG in virtual time: its critical path, waits for the machine, how many nodes ran when."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from condor_py.lang.dag.graph import NONE, Dag

#: Seconds from the end of a parent to the start of its child on an idle machine, and from submit to start.
LATENCY = 0.1
#: Seconds: of paths that differ by less the first counts.
_ALIKE = 1e-3


class Times:
    """Begin and end of the nodes of a DAG, in seconds since the start; -1 for a node that did not run."""

    def __init__(self, count: int) -> None:
        self.begun = array("d", [-1.0]) * count
        self.ended = array("d", [-1.0]) * count


class Path(NamedTuple):
    """Nodes in their order, and the seconds that they take one after the other."""

    nodes: list[int]
    seconds: float


class Moment(NamedTuple):
    """Numbers of nodes at a time (seconds): done, running, and waiting only for a free slot."""

    when: float
    done: int
    running: int
    waiting: int


def critical_path(dag: Dag, times: Times) -> Path:
    """The chain of nodes that takes longest, on however large a machine. Nodes that did not run take nothing."""
    count = len(dag)
    waits = array("i", [dag.parent_start[n + 1] - dag.parent_start[n] for n in range(count)])
    ends, before = array("d", bytes(8 * count)), array("i", [NONE]) * count
    aside = set(dag.services)
    ready = [node for node in range(count) if not waits[node] and node not in aside]
    last = NONE
    for node in ready:  # grows while it is gone through
        ends[node] += _seconds(times, node)
        if last == NONE or ends[node] > ends[last] + _ALIKE:
            last = node
        for child in dag.children_of(node):
            if ends[node] > ends[child] + _ALIKE or before[child] == NONE:
                ends[child], before[child] = ends[node], node
            waits[child] -= 1
            if not waits[child]:
                ready.append(child)
    return _with_final(dag, times, _chain(before, last), ends[last] if last != NONE else 0.0)


def _seconds(times: Times, node: int) -> float:
    begun = times.begun[node]
    return times.ended[node] - begun + LATENCY if begun >= 0 and times.ended[node] > begun else 0.0


def _chain(before: Sequence[int], node: int) -> list[int]:
    found = []
    while node != NONE:
        found.append(node)
        node = before[node]
    return found[::-1]


def _with_final(dag: Dag, times: Times, nodes: list[int], seconds: float) -> Path:
    """The FINAL node comes after everything."""
    if dag.final == NONE or dag.final in nodes:
        return Path([node for node in nodes if _seconds(times, node)], seconds)
    whole = [node for node in (*nodes, dag.final) if _seconds(times, node)]
    return Path(whole, seconds + _seconds(times, dag.final))


def ready_at(dag: Dag, times: Times, node: int) -> float:
    """Return when the last parent of a node ended; 0 without parents."""
    return max((times.ended[parent] for parent in dag.parents_of(node)), default=0.0)


def longest_wait(dag: Dag, times: Times) -> tuple[int, float]:
    """The node that waited longest for the machine, and how many seconds; NONE when no node waited."""
    best, most = NONE, 2 * LATENCY
    for node in dag.order:
        if times.begun[node] >= 0 and node != dag.final:
            waited = times.begun[node] - LATENCY - max(0.0, ready_at(dag, times, node))
            if waited > most:
                best, most = node, waited
    return best, (most if best != NONE else 0.0)


def moments(dag: Dag, times: Times, seconds: float, count: int) -> list[Moment]:
    """The state of the nodes at ``count`` equal steps of the run, the last at its end."""
    ran = [node for node in dag.order if times.begun[node] >= 0]
    begun = sorted(times.begun[node] for node in ran)
    ended = sorted(times.ended[node] for node in ran)
    ready = sorted(max(0.0, ready_at(dag, times, node)) for node in ran)
    before = len(dag.order) - len(ran)
    found, b, e, r = [], 0, 0, 0
    for step in range(1, count + 1):
        when = seconds * step / count
        while b < len(ran) and begun[b] <= when:
            b += 1
        while e < len(ran) and ended[e] <= when:
            e += 1
        while r < len(ran) and ready[r] <= when:
            r += 1
        found.append(Moment(when, before + e, b - e, r - b))
    return found

"""Cycles, and the figures of the graph that DAGMAN_REPORT_GRAPH_METRICS asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from condor_py.lang.dag.graph import Dag


class Walk(NamedTuple):
    """A walk through the graph, depth first, from the nodes without parents.

    ``height`` and ``width`` are what HTCondor calls so: the greatest depth at which a node was first met, and a figure
    that grows with the nodes of a depth (it counts some of them twice or three times, as HTCondor does).
    """

    is_cyclic: bool
    height: int
    width: int


def walk(dag: Dag) -> Walk:
    """Walk through the whole graph."""
    left = [-1] * len(dag)
    widths = [0]
    height = width = done = 0
    seen = bytearray(len(dag))
    for start in dag.order:
        if seen[start] or len(dag.parents_of(start)):
            continue
        path = [(start, iter((start,)))]
        while path:
            node, children = path[-1]
            child = next((one for one in children if not seen[one]), None)
            if child is None:
                path.pop()
                if path:
                    done += 1
                    left[node] = done
                continue
            seen[child] = 1
            depth = len(path) - 1
            height = max(height, depth)
            widths += [0] * (depth + 2 - len(widths))
            widths[depth] += 2
            if width <= widths[depth]:
                widths[depth] += 1
                width = widths[depth]
            path.append((child, iter(dag.children_of(child))))
    return Walk(_goes_back(dag, left), height, width)


def find_cycle(nodes: Iterable[int], children: Callable[[int], Iterable[int]]) -> list[int]:
    """The nodes of one cycle, the first of them again at the end; empty where there is no cycle."""
    done: set[int] = set()
    for start in nodes:
        if start in done:
            continue
        path, on_path = [start], {start: 0}
        ahead = [iter(children(start))]
        while path:
            child = next(ahead[-1], None)
            if child is None:
                ahead.pop()
                done.add(path.pop())
                del on_path[next(reversed(on_path))]
            elif child in on_path:
                return [*path[on_path[child] :], child]
            elif child not in done:
                on_path[child] = len(path)
                path.append(child)
                ahead.append(iter(children(child)))
    return []


def cycle_text(dag: Dag) -> str:
    """The names of the nodes of one cycle, in its order; "" where there is no cycle."""
    return " -> ".join(dag.names[node] for node in find_cycle(dag.order, dag.children_of))


def _goes_back(dag: Dag, left: list[int]) -> bool:
    """Whether an edge leads to a node that was left no earlier than the one it comes from, or never met."""
    return any(left[child] >= left[node] for node in dag.order for child in dag.children_of(node))

"""Cycles, and the figures of the graph that DAGMAN_REPORT_GRAPH_METRICS asks for."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.dagman.language.graph import Dag


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


def _goes_back(dag: Dag, left: list[int]) -> bool:
    """Whether an edge leads to a node that was left no earlier than the one it comes from, or never met."""
    return any(left[child] >= left[node] for node in dag.order for child in dag.children_of(node))

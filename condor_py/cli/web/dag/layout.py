"""Places of the nodes of a DAG in a picture: in layers from top to bottom, children below their parents.

The layer of a node is the longest path that leads to it. Within a layer nodes are ordered by the mean place of their
neighbours (the barycentre), which leaves few crossings. Then each node moves as near to its neighbours as the distance
between nodes allows. A layer that is wide compared with the whole is folded into several rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import NamedTuple

from condor_py.lang.dag.graph import NONE, Dag

#: Sweeps that order the layers, and that move the nodes: down, up, down.
_ORDER_SWEEPS, _PLACE_SWEEPS = 3, 3
#: A layer is folded when it has more nodes than this, and than twice the square root of all nodes.
_WIDE = 24

Neighbours = Callable[[int], Sequence[int]]


class Layout(NamedTuple):
    """Place of each node: ``x`` in units of the least distance of two nodes, ``y`` in rows; 0 is left and top."""

    x: list[float]
    y: list[int]
    layers: list[list[int]]

    @property
    def width(self) -> float:
        """The greatest x."""
        return max(self.x, default=0.0)

    @property
    def height(self) -> int:
        """The greatest y."""
        return max(self.y, default=0)


def place(dag: Dag) -> Layout:
    """The places of all nodes."""
    layers = layers_of(dag)
    _order(dag, layers)
    widest = max(_WIDE, 2 * isqrt(len(dag)))
    x, y = [0.0] * len(dag), [0] * len(dag)
    folded: list[list[list[int]]] = []
    top = 0
    for layer in layers:
        rows = -(-len(layer) // widest)
        columns = _columns(layer, rows)
        for at, column in enumerate(columns):
            for row, node in enumerate(column):
                x[node], y[node] = at - (len(columns) - 1) / 2, top + row
        folded.append(columns)
        top += rows
    for sweep in range(_PLACE_SWEEPS):
        down = sweep % 2 == 0
        for columns in folded if down else reversed(folded):
            _move(columns, dag.parents_of if down else dag.children_of, x)
    left = min(x, default=0.0)
    return Layout([round(value - left, 2) for value in x], y, layers)


def layers_of(dag: Dag) -> list[list[int]]:
    """Nodes by the longest path that leads to them, in the order of a walk that goes to children first.

    The FINAL node and service nodes come last, as do nodes that a cycle keeps from ever starting.
    """
    waits = [dag.parent_start[node + 1] - dag.parent_start[node] for node in range(len(dag))]
    aside = {*dag.services, dag.final}
    first = sorted({node for node in (*dag.order, dag.provisioner) if node != NONE and not waits[node]} - aside)
    depths = dict.fromkeys(first, 0)
    for node in first:  # grows while it is read
        for child in dag.children_of(node):
            depths[child] = max(depths.get(child, 0), depths[node] + 1)
            waits[child] -= 1
            if not waits[child]:
                first.append(child)
    layers: list[list[int]] = [[] for _ in range(1 + max(depths.values(), default=-1))]
    placed = set(first)
    for node in _depth_first(dag, first):
        layers[depths[node]].append(node)
    rest = [node for node in range(len(dag)) if node not in placed]
    return [*layers, rest] if rest else layers


def _depth_first(dag: Dag, nodes: list[int]) -> Iterator[int]:
    """Yield ``nodes``, each before its children and those before the next: a tree has no crossings in this order."""
    known, seen = set(nodes), set[int]()
    for start in nodes:
        ahead = [start]
        while ahead:
            node = ahead.pop()
            if node not in seen:
                seen.add(node)
                yield node
                ahead += [child for child in reversed(dag.children_of(node)) if child in known]


def _order(dag: Dag, layers: list[list[int]]) -> None:
    """Order the nodes of each layer by the mean place of their neighbours in other layers."""
    at = [0.0] * len(dag)
    for layer in layers:
        _number(layer, at)
    for sweep in range(_ORDER_SWEEPS):
        down = sweep % 2 == 0
        neighbours = dag.parents_of if down else dag.children_of
        for layer in layers if down else reversed(layers):
            if len(layer) > 1:
                keys = {node: _mean(neighbours(node), at, at[node]) for node in layer}
                layer.sort(key=keys.__getitem__)
                _number(layer, at)


def _number(layer: list[int], at: list[float]) -> None:
    """Number the places of a layer from its middle."""
    middle = (len(layer) - 1) / 2
    for index, node in enumerate(layer):
        at[node] = index - middle


def _mean(nodes: Sequence[int], at: list[float], otherwise: float) -> float:
    return sum([at[node] for node in nodes]) / len(nodes) if len(nodes) else otherwise


def _columns(layer: list[int], rows: int) -> list[list[int]]:
    """A layer as columns of ``rows`` nodes, so that neighbours in order stay near each other."""
    return [layer[begin : begin + rows] for begin in range(0, len(layer), rows)] if rows else []


def _move(columns: list[list[int]], neighbours: Neighbours, x: list[float]) -> None:
    """Move the columns of a layer to the mean of their neighbours, in order and at least 1 apart."""
    wanted = [
        sum(_mean(neighbours(node), x, x[node]) for node in column) / len(column) - at
        for at, column in enumerate(columns)
    ]
    for at, value in enumerate(ascending(wanted)):
        for node in columns[at]:
            x[node] = value + at


def ascending(values: Sequence[float]) -> list[float]:
    """The ascending numbers that are nearest to ``values``, by the sum of squares: where they fall, their mean."""
    groups: list[tuple[float, int]] = []
    for value in values:
        mean, count = value, 1
        while groups and groups[-1][0] > mean:
            before, size = groups.pop()
            mean, count = (before * size + mean * count) / (size + count), size + count
        groups.append((mean, count))
    return [mean for mean, count in groups for _ in range(count)]

"""Figures of a graph, and whether it has a cycle, as condor_dag_checker reports them."""

from __future__ import annotations

from dataclasses import dataclass, field

from condor_py.lang.dag.check.members import APART, JOIN_PREFIX, Members, Nodes
from condor_py.lang.dag.cycles import find_cycle
from condor_py.lang.dag.keywords import Command

_COUNTERS = {Command.SERVICE: "NumServiceNodes", Command.SUBDAG: "NumSubDAGs"}


@dataclass(slots=True)
class Figures:
    """Attribute -> number, text, truth value or list of numbers. ``cycle`` describes a cycle, "" without one;
    ``loop`` are the names of its nodes, the first again at the end."""

    values: dict[str, int | str | bool | list[int]] = field(default_factory=dict)
    cycle: str = ""
    loop: tuple[str, ...] = ()


def figures(members: Members) -> Figures:
    """The figures of a whole DAG."""
    nodes = members.nodes
    found = Figures()
    values = found.values
    values["TotalNodes"] = len(members.numbers)
    for number in members.numbers:
        counter = _counter(nodes, number)
        if counter:
            values[counter] = int(values.get(counter, 0)) + 1  # type: ignore[arg-type]
    edges = sum(len(nodes.children[number]) for number in members.numbers)
    for name, value in (
        ("NumArcs", edges), ("NumSplices", members.splice_count), ("FinalNode", members.final),
        ("ProvisionerNode", members.provisioner),
    ):  # fmt: skip
        if value:
            values[name] = value
    if any(nodes.kinds[number] in (Command.JOB, Command.SUBDAG) for number in members.numbers):
        _shape(members, found)
    return found


def _counter(nodes: Nodes, number: int) -> str:
    kind = nodes.kinds[number]
    if kind is Command.JOB:
        return "NumJoinNodes" if nodes.names[number].startswith(JOIN_PREFIX) else "NumNodes"
    return _COUNTERS.get(kind, "")


def _shape(members: Members, found: Figures) -> None:
    nodes = members.nodes
    walk = _Walk(nodes)
    starts = False
    for number in members.numbers:
        if nodes.kinds[number] in APART:
            walk.seen[number] = 1
        elif not nodes.has_parent[number]:
            starts = True
            if walk.from_node(number):
                break
    left = [nodes.names[number] for number in members.numbers if not walk.seen[number]]
    if not starts:
        found.cycle = "No initial nodes discovered"
    elif walk.cycle:
        found.cycle = " -> ".join(nodes.names[number] for number in walk.cycle)
    elif left:
        found.cycle = f"Failed to visit nodes {','.join(left)}"
    if found.cycle:
        loop = find_cycle(members.numbers, lambda number: sorted(nodes.children[number]))
        found.loop = tuple(nodes.names[number] for number in loop)
        found.values |= {"IsCyclic": True, "DetectedCycle": found.cycle}
    else:
        widths = [width for width in walk.widths if width]
        found.values |= {"GraphHeight": walk.height, "GraphWidth": max(widths), "WidthByDepth": widths}


class _Walk:
    """Depth first; each node counts at the depth at which it is first met."""

    def __init__(self, nodes: Nodes) -> None:
        self.seen = bytearray(len(nodes.names))
        self.widths = [0]
        self.height = 1
        self.cycle: list[int] = []
        self._children = nodes.children

    def from_node(self, start: int) -> bool:
        """Walk on from a node. True when that ends in a cycle, which ``cycle`` then is."""
        path = [start]
        on_path = {start}
        ahead = [iter(self._meet(start, 0))]
        while path:
            child = next(ahead[-1], None)
            if child is None:
                on_path.discard(path.pop())
                ahead.pop()
            elif child in on_path:
                self.cycle = [*path, child]
                return True
            elif not self.seen[child]:
                ahead.append(iter(self._meet(child, len(path))))
                path.append(child)
                on_path.add(child)
        return False

    def _meet(self, number: int, depth: int) -> list[int]:
        self.seen[number] = 1
        self.widths += [0] * (depth + 1 - len(self.widths))
        self.widths[depth] += 1
        self.height = max(self.height, depth + 1)
        return sorted(self._children[number])

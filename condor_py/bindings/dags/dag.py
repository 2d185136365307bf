"""``DAG``: a graph of layers and sub-DAGs, and how condor_dagman is to run it."""

from __future__ import annotations

import fnmatch
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from condor_py.bindings.dags.edges import BaseEdge, ManyToMany, described
from condor_py.bindings.dags.exceptions import DuplicateNodeName, UnrecognizedWalkOrder
from condor_py.bindings.dags.node import BaseNode, FinalNode, NodeLayer, Nodes, NodeStore, SubDAG
from condor_py.bindings.dags.walk_order import WalkOrder


class DotConfig:
    """The picture of the graph that is written for ``dot``: once, or again and again (``update``), over the old one or
    beside it."""

    def __init__(
        self, path: str | Path, update: bool = False, overwrite: bool = True, include_file: str | Path | None = None
    ) -> None:
        self.path = Path(path)
        self.update = update
        self.overwrite = overwrite
        self.include_file = None if include_file is None else Path(include_file)

    def __repr__(self) -> str:
        return described(self, "path", "update", "overwrite", "include_file")


class NodeStatusFile:
    """The file that tells how the nodes are, written at most every ``update_time`` seconds."""

    def __init__(self, path: str | Path, update_time: int | None = None, always_update: bool | None = False) -> None:
        self.path = Path(path)
        self.update_time = update_time
        self.always_update = always_update

    def __repr__(self) -> str:
        return described(self, "path", "update_time", "always_update")


class EdgeStore:
    """Edges by their ends."""

    def __init__(self) -> None:
        self.edges: dict[tuple[BaseNode, BaseNode], BaseEdge] = {}

    def __iter__(self) -> Iterator[tuple[BaseNode, BaseNode]]:
        return iter(list(self.edges))

    def __contains__(self, item: object) -> bool:
        return item in self.edges

    def items(self) -> Iterator[tuple[tuple[BaseNode, BaseNode], BaseEdge]]:
        """((parent, child), edge)."""
        return iter(list(self.edges.items()))

    def get(self, parent: BaseNode, child: BaseNode) -> BaseEdge | None:
        """The edge between two nodes; None for none."""
        return self.edges.get((parent, child))

    def add(self, parent: BaseNode, child: BaseNode, edge: BaseEdge | None = None) -> None:
        """Join two nodes, by ManyToMany if not told how."""
        self.edges[(parent, child)] = ManyToMany() if edge is None else edge

    def pop(self, parent: BaseNode, child: BaseNode) -> BaseEdge | None:
        """Take an edge away; None when there was none."""
        return self.edges.pop((parent, child), None)


class DAG:
    """A graph of jobs. ``layer`` and ``subdag`` add nodes to it, ``final`` the job that runs at the end."""

    def __init__(
        self,
        dagman_config: Mapping[str, Any] | None = None,
        dagman_job_attributes: Mapping[str, Any] | None = None,
        max_jobs_by_category: Mapping[str, int] | None = None,
        dot_config: DotConfig | None = None,
        jobstate_log: str | Path | None = None,
        node_status_file: NodeStatusFile | None = None,
    ) -> None:
        self._nodes = NodeStore()
        self._edges = EdgeStore()
        self._final_node: FinalNode | None = None
        self.jobstate_log = None if jobstate_log is None else Path(jobstate_log)
        self.max_jobs_per_category = max_jobs_by_category or {}
        self.dagman_config = dagman_config or {}
        self.dagman_job_attrs = dagman_job_attributes or {}
        self.dot_config = dot_config
        self.node_status_file = node_status_file

    # -- nodes --------------------------------------------------------------------------------------------------------

    def layer(self, **kwargs: Any) -> NodeLayer:
        """A new layer without neighbours; the arguments are those of NodeLayer. DuplicateNodeName."""
        self._check_name(kwargs["name"])
        layer = NodeLayer(dag=self, **kwargs)
        self._nodes.add(layer)
        return layer

    def subdag(self, **kwargs: Any) -> SubDAG:
        """A new sub-DAG without neighbours; the arguments are those of SubDAG. DuplicateNodeName."""
        self._check_name(kwargs["name"])
        subdag = SubDAG(dag=self, **kwargs)
        self._nodes.add(subdag)
        return subdag

    def final(self, **kwargs: Any) -> FinalNode:
        """The job that runs at the end, instead of the one before; the arguments are those of FinalNode."""
        self._check_name(kwargs["name"])
        self._final_node = FinalNode(dag=self, **kwargs)
        return self._final_node

    def _check_name(self, name: str) -> None:
        known = self._nodes.nodes.get(name)
        if known is None and self._final_node is not None and self._final_node.name == name:
            known = self._final_node
        if known is not None:
            raise DuplicateNodeName(f"the DAG has a node named {name} already: {known}")

    def __contains__(self, node: object) -> bool:
        return node in self._nodes

    @property
    def nodes(self) -> Nodes:
        """All nodes but the final one."""
        return Nodes(self._nodes)

    @property
    def roots(self) -> Nodes:
        """The nodes without parents."""
        return Nodes(node for node, parents in self.node_to_parents.items() if not len(parents))

    @property
    def leaves(self) -> Nodes:
        """The nodes without children."""
        return Nodes(node for node, children in self.node_to_children.items() if not len(children))

    def select(self, selector: Callable[[BaseNode], bool]) -> Nodes:
        """The nodes for which ``selector`` is true."""
        return Nodes(node for node in self._nodes if selector(node))

    def glob(self, pattern: str) -> Nodes:
        """The nodes whose names match a pattern with ``*`` and ``?``."""
        return self.select(lambda node: fnmatch.fnmatchcase(node.name, pattern))

    # -- edges --------------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> Iterator[tuple[BaseNode, BaseNode]]:
        """(parent, child) of every edge."""
        return iter(self._edges)

    @property
    def node_to_children(self) -> dict[BaseNode, Nodes]:
        """Every node with the nodes below it."""
        found = {node: Nodes() for node in self._nodes}
        for parent, child in self._edges:
            found[parent].nodes.add(child)
        return found

    @property
    def node_to_parents(self) -> dict[BaseNode, Nodes]:
        """Every node with the nodes above it."""
        found = {node: Nodes() for node in self._nodes}
        for parent, child in self._edges:
            found[child].nodes.add(parent)
        return found

    # -- walks --------------------------------------------------------------------------------------------------------

    def walk(self, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes from the roots on, each once. UnrecognizedWalkOrder."""
        return _walk(self.roots, self.node_to_children, order)

    def walk_ancestors(self, node: BaseNode, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes above ``node``, each once."""
        above = self.node_to_parents
        return _walk(above[node], above, order)

    def walk_descendants(self, node: BaseNode, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes below ``node``, each once."""
        below = self.node_to_children
        return _walk(below[node], below, order)

    def describe(self) -> str:
        """A table of the layers and sub-DAGs, their sizes and parents."""
        rows = [("Type", "Name", "# Nodes", "# Children", "Parents")]
        below, above = self.node_to_children, self.node_to_parents
        for node in self.walk(WalkOrder.BREADTH_FIRST):
            kind, count = ("Layer", str(len(node))) if isinstance(node, NodeLayer) else ("SubDAG", "")
            parents = ", ".join(f"{parent.name}[{self._edges.get(parent, node)}]" for parent in above[node])
            rows.append((kind, node.name, count, str(len(below[node])), parents))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(_row(cells, widths) for cells in rows)


def _row(cells: Iterable[str], widths: list[int]) -> str:
    kind, *middle, last = cells
    centered = (cell.center(width) for cell, width in zip(middle, widths[1:], strict=False))
    return "  ".join([kind.ljust(widths[0]), *centered, last.ljust(widths[-1])]).rstrip()


def _walk(start: Nodes, following: Mapping[BaseNode, Nodes], order: WalkOrder) -> Iterator[BaseNode]:
    seen: set[BaseNode] = set()
    waiting = deque(start)
    while waiting:
        if order not in tuple(WalkOrder):
            raise UnrecognizedWalkOrder(f"unrecognized WalkOrder: {order}")
        node = waiting.pop() if order is WalkOrder.DEPTH_FIRST else waiting.popleft()
        if node not in seen:
            seen.add(node)
            waiting.extend(following[node])
            yield node

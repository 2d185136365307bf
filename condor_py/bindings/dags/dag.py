"""``DAG``: a graph of layers and sub-DAGs, and how condor_dagman is to run it."""

from __future__ import annotations

import abc
import fnmatch
import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from condor_py.bindings.dags.edges import BaseEdge, ManyToMany, described
from condor_py.bindings.dags.exceptions import DuplicateNodeName, UnrecognizedWalkOrder
from condor_py.bindings.dags.walk_order import WalkOrder
from condor_py.bindings.submit import Submit


class DotConfig:
    """The picture of the graph that is written for ``dot``: once, or again and again (``update``), over the old one or
    next to it."""

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
        """Join two nodes, by ManyToMany by default."""
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


class Script:
    """A program that runs before or after a node. ``retry`` runs it again, after ``retry_delay`` seconds, when it
    ended with ``retry_status``."""

    def __init__(
        self,
        executable: str | Path,
        arguments: Iterable[object] | None = None,
        retry: bool = False,
        retry_status: int = 1,
        retry_delay: int = 0,
    ) -> None:
        self.executable = executable
        self.arguments = [str(argument) for argument in arguments or ()]
        self.retry = retry
        self.retry_status = retry_status
        self.retry_delay = retry_delay

    def __repr__(self) -> str:
        return described(self, "executable", "arguments", "retry", "retry_status", "retry_delay")


class DAGAbortCondition:
    """A node that ends with ``node_exit_value`` ends the DAG, with ``dag_return_value`` (None: the node's own)."""

    def __init__(self, node_exit_value: int, dag_return_value: int | None = None) -> None:
        self.node_exit_value = node_exit_value
        self.dag_return_value = dag_return_value

    def __repr__(self) -> str:
        return described(self, "node_exit_value", "dag_return_value")


@functools.total_ordering
class BaseNode(abc.ABC):  # noqa: B024 - what its subclasses have in common
    """A node of a DAG's graph. Nodes are made by methods of the DAG and of other nodes, not by the constructor.

    ``noop`` and ``done`` may be mappings from the number of a layer's node. ``dir`` is the directory to submit from.
    """

    def __init__(
        self,
        dag: DAG,
        *,
        name: str,
        dir: str | Path | None = None,
        noop: bool | Mapping[int, bool] = False,
        done: bool | Mapping[int, bool] = False,
        retries: int | None = None,
        retry_unless_exit: int | None = None,
        pre: Script | None = None,
        post: Script | None = None,
        pre_skip_exit_code: int | None = None,
        priority: int = 0,
        category: str | None = None,
        abort: DAGAbortCondition | None = None,
    ) -> None:
        self._dag = dag
        self.name = name
        self.dir = None if dir is None else Path(dir)
        self.noop: Mapping[int, bool] = {0: noop} if isinstance(noop, bool) else noop
        self.done: Mapping[int, bool] = {0: done} if isinstance(done, bool) else done
        self.retries = retries
        self.retry_unless_exit = retry_unless_exit
        self.pre = pre
        self.post = post
        self.pre_skip_exit_code = pre_skip_exit_code
        self.priority = priority
        self.category = category
        self.abort = abort

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[BaseNode]:
        yield self

    def __repr__(self) -> str:
        return described(self, "name")

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._dag == other._dag and self.name == other.name

    def __lt__(self, other: object) -> bool:
        return self.name < other.name if isinstance(other, BaseNode) else NotImplemented

    # -- new neighbours -----------------------------------------------------------------------------------------------

    def child_layer(self, edge: BaseEdge | None = None, **kwargs: Any) -> NodeLayer:
        """A new layer below this node; ``edge`` is ManyToMany if not given."""
        layer = self._dag.layer(**kwargs)
        self._dag._edges.add(self, layer, edge)
        return layer

    def parent_layer(self, edge: BaseEdge | None = None, **kwargs: Any) -> NodeLayer:
        """A new layer above this node."""
        layer = self._dag.layer(**kwargs)
        self._dag._edges.add(layer, self, edge)
        return layer

    def child_subdag(self, edge: BaseEdge | None = None, **kwargs: Any) -> SubDAG:
        """A new sub-DAG below this node."""
        subdag = self._dag.subdag(**kwargs)
        self._dag._edges.add(self, subdag, edge)
        return subdag

    def parent_subdag(self, edge: BaseEdge | None = None, **kwargs: Any) -> SubDAG:
        """A new sub-DAG above this node."""
        subdag = self._dag.subdag(**kwargs)
        self._dag._edges.add(subdag, self, edge)
        return subdag

    # -- edges to other nodes -----------------------------------------------------------------------------------------

    def add_children(self, *nodes: Iterable[BaseNode], edge: BaseEdge | None = None) -> BaseNode:
        """Put nodes below this one."""
        for node in _each(nodes):
            self._dag._edges.add(self, node, edge)
        return self

    def remove_children(self, *nodes: Iterable[BaseNode]) -> BaseNode:
        """Take nodes away from below this one."""
        for node in _each(nodes):
            self._dag._edges.pop(self, node)
        return self

    def add_parents(self, *nodes: Iterable[BaseNode], edge: BaseEdge | None = None) -> BaseNode:
        """Put nodes above this one."""
        for node in _each(nodes):
            self._dag._edges.add(node, self, edge)
        return self

    def remove_parents(self, *nodes: Iterable[BaseNode]) -> BaseNode:
        """Take nodes away from above this one."""
        for node in _each(nodes):
            self._dag._edges.pop(node, self)
        return self

    @property
    def children(self) -> Nodes:
        """The nodes below this one."""
        return self._dag.node_to_children[self]

    @property
    def parents(self) -> Nodes:
        """The nodes above this one."""
        return self._dag.node_to_parents[self]

    def walk_ancestors(self, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes above this one, the nearest first."""
        return self._dag.walk_ancestors(node=self, order=order)

    def walk_descendants(self, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes below this one, the nearest first."""
        return self._dag.walk_descendants(node=self, order=order)


class NodeLayer(BaseNode):
    """Jobs with one submit description (or the path of one), one for each dictionary of ``vars``."""

    def __init__(
        self,
        dag: DAG,
        *,
        submit_description: Submit | Path | None = None,
        vars: Iterable[Mapping[str, object]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(dag, **kwargs)
        self.submit_description = submit_description or Submit({})
        self.vars: list[Mapping[str, object]] = [{}] if vars is None else list(vars)

    def __len__(self) -> int:
        return len(self.vars)


class SubDAG(BaseNode):
    """A DAG of its own, described in ``dag_file``."""

    def __init__(self, dag: DAG, *, dag_file: Path, **kwargs: Any) -> None:
        super().__init__(dag, **kwargs)
        self.dag_file = dag_file


class FinalNode(BaseNode):
    """The job that runs at the end, whatever happened."""

    def __init__(self, dag: DAG, submit_description: Submit | Path | None = None, **kwargs: Any) -> None:
        super().__init__(dag, **kwargs)
        self.submit_description = submit_description or Submit({})


class NodeStore:
    """Nodes by name."""

    def __init__(self) -> None:
        self.nodes: dict[str, BaseNode] = {}

    def add(self, *nodes: Iterable[BaseNode]) -> None:
        """Take nodes up; one of a known name replaces that."""
        for node in _each(nodes):
            self.nodes[node.name] = node

    def remove(self, *nodes: str | Iterable[BaseNode]) -> None:
        """Forget nodes, by themselves or by name."""
        for item in nodes:
            for name in [item] if isinstance(item, str) else [node.name for node in item]:
                self.nodes.pop(name, None)

    def __getitem__(self, node: BaseNode | str) -> BaseNode:
        if not isinstance(node, (str, BaseNode)):
            raise TypeError("nodes are found by name, or by themselves")
        return self.nodes[node if isinstance(node, str) else node.name]

    def __iter__(self) -> Iterator[BaseNode]:
        return iter(list(self.nodes.values()))

    def __contains__(self, node: object) -> bool:
        if isinstance(node, str):
            return node in self.nodes
        return isinstance(node, BaseNode) and node in self.nodes.values()

    def items(self) -> Iterator[tuple[str, BaseNode]]:
        """(name, node)."""
        return iter(list(self.nodes.items()))

    def __len__(self) -> int:
        return len(self.nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeStore) and self.nodes == other.nodes

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(set(self.nodes.values()))


class Nodes:
    """Some nodes of a DAG, with the methods of one for all of them."""

    def __init__(self, *nodes: Iterable[BaseNode]) -> None:
        self.nodes = NodeStore()
        self.nodes.add(*nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nodes) and self.nodes == other.nodes

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[BaseNode]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        return node in self.nodes

    def __repr__(self) -> str:
        return f"Nodes({', '.join(repr(node) for node in sorted(self.nodes, key=lambda node: node.name))})"

    def _first(self) -> BaseNode:
        return next(iter(self.nodes))

    def child_layer(self, type: BaseEdge | None = None, **kwargs: Any) -> NodeLayer:
        """A new layer below all of these nodes."""
        layer = self._first()._dag.layer(**kwargs)
        layer.add_parents(self, edge=type)
        return layer

    def parent_layer(self, type: BaseEdge | None = None, **kwargs: Any) -> NodeLayer:
        """A new layer above all of these nodes."""
        layer = self._first()._dag.layer(**kwargs)
        layer.add_children(self, edge=type)
        return layer

    def child_subdag(self, type: BaseEdge | None = None, **kwargs: Any) -> SubDAG:
        """A new sub-DAG below all of these nodes."""
        subdag = self._first()._dag.subdag(**kwargs)
        subdag.add_parents(self, edge=type)
        return subdag

    def parent_subdag(self, type: BaseEdge | None = None, **kwargs: Any) -> SubDAG:
        """A new sub-DAG above all of these nodes."""
        subdag = self._first()._dag.subdag(**kwargs)
        subdag.add_children(self, edge=type)
        return subdag

    def add_children(self, *nodes: Iterable[BaseNode], type: BaseEdge | None = None) -> Nodes:
        """Put nodes below all of these."""
        for node in self:
            node.add_children(*nodes, edge=type)
        return self

    def remove_children(self, *nodes: Iterable[BaseNode]) -> Nodes:
        """Take nodes away from below these."""
        for node in self:
            node.remove_children(*nodes)
        return self

    def add_parents(self, *nodes: Iterable[BaseNode], type: BaseEdge | None = None) -> Nodes:
        """Put nodes above all of these."""
        for node in self:
            node.add_parents(*nodes, edge=type)
        return self

    def remove_parents(self, *nodes: Iterable[BaseNode]) -> Nodes:
        """Take nodes away from above these."""
        for node in self:
            node.remove_parents(*nodes)
        return self

    def walk_ancestors(self, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes above these, of one after the other."""
        return itertools.chain.from_iterable(node.walk_ancestors(order) for node in self)

    def walk_descendants(self, order: WalkOrder = WalkOrder.DEPTH_FIRST) -> Iterator[BaseNode]:
        """All nodes below these, of one after the other."""
        return itertools.chain.from_iterable(node.walk_descendants(order) for node in self)


def _each(nodes: Iterable[Iterable[Any]]) -> Iterator[BaseNode]:
    """The nodes of an argument list: nodes, collections of nodes, and collections of those."""
    for item in nodes:
        if isinstance(item, BaseNode):
            yield item
        else:
            yield from _each(item)

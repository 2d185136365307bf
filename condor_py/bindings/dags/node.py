"""The nodes of a DAG as programs describe them: layers of jobs, sub-DAGs, the final node."""

from __future__ import annotations

import abc
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condor_py.bindings.dags.edges import BaseEdge, described
from condor_py.bindings.dags.walk_order import WalkOrder
from condor_py.bindings.submit import Submit

if TYPE_CHECKING:
    from condor_py.bindings.dags.dag import DAG


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

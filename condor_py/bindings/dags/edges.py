"""Edges between layers: which of their nodes are joined."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Iterable, Sized
from typing import Any

from condor_py.bindings.dags.exceptions import IncompatibleGrouper, OneToOneEdgeNeedsSameNumberOfVars


class JoinNode:
    """A node that does nothing: many parents and many children need fewer edges with one between them."""

    def __init__(self, id: int) -> None:
        self.id = id


#: Parents and children by their numbers in their layers, or a join node instead of one of them.
Joined = tuple[tuple[int, ...] | JoinNode, tuple[int, ...] | JoinNode]


class JoinFactory:
    """Numbers the join nodes of one DAG."""

    def __init__(self) -> None:
        self.joins: list[JoinNode] = []

    def get_join_node(self) -> JoinNode:
        """A new one."""
        self.joins.append(JoinNode(len(self.joins)))
        return self.joins[-1]


class BaseEdge(abc.ABC):
    """A way to join two layers."""

    @abc.abstractmethod
    def get_edges(self, parent: Sized, child: Sized, join_factory: JoinFactory) -> Iterable[Joined]:
        """Groups of parents with their groups of children."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__


class ManyToMany(BaseEdge):
    """Every node of the parent layer is a parent of every node of the child layer."""

    def get_edges(self, parent: Sized, child: Sized, join_factory: JoinFactory) -> Iterable[Joined]:
        """One edge where a layer has a single node, else two with a join node between them."""
        parents, children = tuple(range(len(parent))), tuple(range(len(child)))
        if 1 in (len(parents), len(children)):
            return [(parents, children)]
        join = join_factory.get_join_node()
        return [(parents, join), (join, children)]


class OneToOne(BaseEdge):
    """Every node of the parent layer is the parent of the child with its number."""

    def get_edges(self, parent: Sized, child: Sized, join_factory: JoinFactory) -> Iterable[Joined]:
        """OneToOneEdgeNeedsSameNumberOfVars for layers of different size."""
        if len(parent) != len(child):
            raise OneToOneEdgeNeedsSameNumberOfVars(
                f"parent layer {parent} has {len(parent)} nodes, child layer {child} has {len(child)}"
            )
        return [((number,), (number,)) for number in range(len(parent))]


class Grouper(BaseEdge):
    """Chunks of the parent layer are joined with chunks of the child layer."""

    def __init__(self, parent_chunk_size: int = 1, child_chunk_size: int = 1) -> None:
        self.parent_chunk_size = parent_chunk_size
        self.child_chunk_size = child_chunk_size

    def get_edges(self, parent: Sized, child: Sized, join_factory: JoinFactory) -> Iterable[Joined]:
        """IncompatibleGrouper when there are not as many whole chunks on both sides."""
        pairs = zip(
            _chunks(self, parent, self.parent_chunk_size), _chunks(self, child, self.child_chunk_size), strict=False
        )
        if len(parent) // self.parent_chunk_size != len(child) // self.child_chunk_size:
            raise IncompatibleGrouper(f"edge {self} does not divide {parent} and {child} into as many chunks")
        found: list[Joined] = []
        for parents, children in pairs:
            join = join_factory.get_join_node()
            found += [(parents, join), (join, children)]
        return found

    def __repr__(self) -> str:
        return described(self, "parent_chunk_size", "child_chunk_size")


def _chunks(edge: Grouper, layer: Sized, size: int) -> list[tuple[int, ...]]:
    if len(layer) % size:
        raise IncompatibleGrouper(f"edge {edge}: the {len(layer)} nodes of {layer} do not divide into chunks of {size}")
    return [tuple(range(first, first + size)) for first in range(0, len(layer), size)]


class Slicer(BaseEdge):
    """The nodes of a slice of the parent layer are joined, one by one, with those of a slice of the child layer."""

    def __init__(self, parent_slice: slice = slice(None), child_slice: slice = slice(None)) -> None:
        self.parent_slice = parent_slice
        self.child_slice = child_slice

    def get_edges(self, parent: Sized, child: Sized, join_factory: JoinFactory) -> Iterable[Joined]:
        """As many as the shorter slice has nodes."""
        parents, children = _sliced(parent, self.parent_slice), _sliced(child, self.child_slice)
        return [((one,), (other,)) for one, other in zip(parents, children, strict=False)]

    def __repr__(self) -> str:
        return described(self, "parent_slice", "child_slice")


def _sliced(layer: Sized, part: slice) -> Iterable[int]:
    return itertools.islice(range(len(layer)), part.start, part.stop, part.step)


def described(item: Any, *names: str) -> str:
    """``Type(name = value, …)``."""
    return f"{type(item).__name__}({', '.join(f'{name} = {getattr(item, name)}' for name in names)})"

"""Names of the nodes of a layer: making them, and taking them apart again."""

from __future__ import annotations

import abc

from condor_py.bindings.dags.exceptions import CannotInvertFormat, LayerNameContainsSeparator

DEFAULT_SEPARATOR = ":"


class NodeNameFormatter(abc.ABC):
    """A naming scheme for the nodes of layers."""

    @abc.abstractmethod
    def generate(self, layer_name: str, node_index: int) -> str:
        """The name of a layer's node."""
        raise NotImplementedError

    @abc.abstractmethod
    def parse(self, node_name: str) -> tuple[str, int]:
        """The layer's name and the node's number, of a name that ``generate`` made."""
        raise NotImplementedError


class SimpleFormatter(NodeNameFormatter):
    """Layer, separator, number: ``work:5``."""

    def __init__(self, separator: str = DEFAULT_SEPARATOR, index_format: str = "{:d}", offset: int = 0) -> None:
        self.separator = separator
        self.index_format = index_format
        self.offset = offset

    def generate(self, layer_name: str, node_index: int) -> str:
        """LayerNameContainsSeparator, CannotInvertFormat for what could not be taken apart again."""
        if self.separator in layer_name:
            raise LayerNameContainsSeparator(
                f"the name of layer {layer_name} has the separator {self.separator!r} of node names in it"
            )
        name = f"{layer_name}{self.separator}{self.index_format.format(node_index + self.offset)}"
        if self.parse(name) != (layer_name, node_index):
            raise CannotInvertFormat(f"the node name {name} does not lead back to number {node_index}")
        return name

    def parse(self, node_name: str) -> tuple[str, int]:
        """CannotInvertFormat for a name without a number."""
        layer, _, number = node_name.rpartition(self.separator)
        try:
            return layer, int(number) - self.offset
        except ValueError:
            raise CannotInvertFormat(f"the node name {node_name} does not end in a number") from None

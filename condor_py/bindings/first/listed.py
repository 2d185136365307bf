"""The first version's way with mappings: names, values and pairs are lists, made when they are asked for."""

from __future__ import annotations

from typing import Any


class Listed:
    """Goes in front of a mapping among the base classes."""

    def keys(self: Any) -> Any:
        """The names."""
        return list(self)

    def values(self: Any) -> Any:
        """The values."""
        return [self[name] for name in self]

    def items(self: Any) -> Any:
        """(name, value)."""
        return [(name, self[name]) for name in self]

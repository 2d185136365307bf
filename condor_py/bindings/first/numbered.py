"""Enumerations of the first version: numbers with a name, and ``names`` and ``values`` on the class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class Numbered(int):
    """A number of an enumeration; ``str`` is its name. Numbers without a name are allowed."""

    names: ClassVar[dict[str, Any]]
    values: ClassVar[dict[int, Any]]

    @property
    def name(self) -> str | None:
        """The member's name; None for a number that has none."""
        known = self.values.get(int(self))
        return None if known is None else next((name for name, member in self.names.items() if member is known), None)

    def __str__(self) -> str:
        return self.name or repr(self)

    def __repr__(self) -> str:
        where = f"{type(self).__module__}.{type(self).__qualname__}"
        return f"{where}.{self.name}" if self.name else f"{where}({int(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (int(self),))


def numbered(module: str, name: str, members: Mapping[str, int], base: type[Numbered] = Numbered) -> Any:
    """A new enumeration."""
    made = type(name, (base,), {"__module__": module, "__qualname__": name})
    table = {member: made(value) for member, value in members.items()}
    made.names = table  # type: ignore[attr-defined]
    made.values = {}  # type: ignore[attr-defined]
    for member, value in table.items():
        made.values.setdefault(members[member], value)  # type: ignore[attr-defined]
        setattr(made, member, value)
    return made

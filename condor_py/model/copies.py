"""Copies of plain objects with other values of some fields."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Made = TypeVar("Made")


def changed(thing: Made, **values: object) -> Made:
    """Return a copy of an object of a class with ``__slots__``, with other ``values``; AttributeError for a name that
    is no field."""
    kind = type(thing)
    made = object.__new__(kind)
    for name in kind.__slots__:  # type: ignore[attr-defined]
        setattr(made, name, values.pop(name) if name in values else getattr(thing, name))
    if values:
        raise AttributeError(f"{kind.__name__} has no field {min(values)}")
    return made

"""The start of a tool's process."""

from __future__ import annotations

import gc

#: New objects between two searches for garbage.
_OBJECTS = 50_000


def lighten() -> None:
    """Search for garbage seldom. Modules are no garbage: while they are imported, each search would go through all of
    them again."""
    gc.set_threshold(_OBJECTS)

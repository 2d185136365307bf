"""The orders in which a graph is walked."""

from __future__ import annotations

import enum


class WalkOrder(str, enum.Enum):  # noqa: UP042 - its text is that of a plain enumeration
    """Children before siblings, or siblings before children."""

    DEPTH_FIRST = "DEPTH"
    BREADTH_FIRST = "BREADTH"

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self}"

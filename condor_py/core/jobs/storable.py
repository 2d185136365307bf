"""The check whether the queue can hold an expression."""

from __future__ import annotations

from condor_py.lang.classad import is_valid
from condor_py.model.record import is_one_line


def is_storable(text: str) -> bool:
    """Whether the queue can hold an expression: it parses, and is one line of text."""
    return is_one_line(text) and is_valid(text)

"""transfer_output_remaps: where files of a job, and what lies in directories of it, are to go.

A name that no rule has keeps its last part, and what is above may be remapped. What a rule gives may be remapped again
(filename_tools_cpp.cpp).
"""

from __future__ import annotations

import errno
from collections.abc import Mapping


class RemapCycle(OSError):
    """The rules lead in a circle."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.EPERM, f"remaps resulted in a cycle: {name}", name)


def find(rules: Mapping[str, str], name: str, most: int = 128) -> str | None:
    """What ``name`` becomes, None when it stays. RemapCycle after ``most`` steps (MAX_REMAP_RECURSIONS)."""
    if not rules:
        return None
    if most < 0:
        raise RemapCycle(name)
    given = rules.get(name)
    if given is not None:
        further = find(rules, given, most - 1)
        return given if further is None else further
    above, slash, last = name.rpartition("/")
    if not slash or not above:
        return None
    moved = find(rules, above, most - 1)
    return None if moved is None else f"{moved}/{last}"

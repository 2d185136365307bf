"""Mending lines without what the ads of a queue must be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from condor_py.store import mend as mending
from condor_py.store.mend import Image, Remedy
from condor_py.store.queue_rules import QueueRules


class Lines(QueueRules):
    """A queue of which only the lines are looked at."""

    def __init__(self) -> None:
        super().__init__(lambda: 0)

    def knows(self, key: str) -> str:
        return ""

    def types(self, key: str, attributes: dict[str, str], witnesses: int) -> tuple[str, str] | None:
        return super().types(key, attributes, witnesses) if super().knows(key) == "" else None

    def remedies(self, image: Image, hurt: dict[str, list[int]], changed: bool) -> Iterator[Remedy]:
        return iter(())


class Mended(NamedTuple):
    """The new content, and what was done, in words."""

    data: bytes
    notes: list[str]


def mend(data: bytes) -> Mended:
    """What is left of the lines of a queue."""
    found = mending.mend(data, Lines())
    return Mended(found.data, [note.done for note in found.notes])

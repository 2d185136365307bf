"""What the knobs that condor_py reads mean, in the groups and the order of the annotated file. Loaded for help only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from condor_py.lang.config.params import lines


class Described(NamedTuple):
    """A knob's group, its name and kind, and one line about it."""

    group: str
    name: str
    kind: str
    text: str


def described() -> Iterator[Described]:
    """All of them, group by group."""
    group = ""
    for line in lines():
        if line[:2] == "# ":
            group = line[2:]
        else:
            name, kind, _, _, _, text = line.split("\t")
            yield Described(group, name, kind, text)

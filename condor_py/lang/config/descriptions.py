"""The meanings of the knobs that condor_py reads, in the groups and the order of the annotated file. Loaded for help
only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from condor_py.lang.config.params import lines


class Described(NamedTuple):
    """A knob's group, its name, kind and bounds ("" for none), and one line about it."""

    group: str
    name: str
    kind: str
    low: str
    high: str
    text: str


def described() -> Iterator[Described]:
    """All of them, group by group."""
    groups: dict[str, list[Described]] = {}
    for line in lines():
        if line[:2] == "# ":
            group = groups.setdefault(line[2:], [])
            title = line[2:]
        else:
            name, kind, low, high, _, text = line.split("\t")
            group.append(Described(title, name, kind, low, high, text))
    return chain.from_iterable(groups.values())

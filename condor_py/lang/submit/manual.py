"""The commands of the submit language in words: for the manual page, and for finding what a misspelled one means."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manual.tsv")
_OTHER = re.compile(r"Also spelled ([^.]+)\.\Z")


class Entry(NamedTuple):
    """One command: its name (a chosen part in angle brackets), what its value is, and what it does."""

    group: str
    command: str
    value: str
    text: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and the other ones that mean the same."""
        found = _OTHER.search(self.text)
        return (self.command, *(found[1].split(", ") if found else ()))


@cache
def entries() -> tuple[Entry, ...]:
    """All commands, group by group."""
    found: list[Entry] = []
    group = ""
    with open(_FILE, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# "):
                group = line[2:].strip()
            else:
                command, value, text = line.rstrip("\n").split("\t")
                found.append(Entry(group, command, value, text))
    return tuple(found)


def commands() -> frozenset[str]:
    """Every spelling of every command without a chosen part, in lower case."""
    return frozenset(name.lower() for entry in entries() for name in entry.spellings if "<" not in name)

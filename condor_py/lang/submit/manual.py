"""The commands of the submit language, as manual.tsv declares them.

A line has the name of a command, what its value is, and what it does, for the manual page. A command that becomes an
attribute without more ado has a fourth field: how the value is written (a `Kind` of `commands`) and the attribute. Such
a command needs nothing else; all others are carried out by the modules of this package. "Does nothing: REASON." in the
text means that the command is accepted and has no effect; a user who gives it is warned with the reason.
"""

from __future__ import annotations

import os
from functools import cache

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manual.tsv")
_OTHER = "Also spelled "
_NOTHING = "Does nothing: "


class Entry:
    """One command: its name (a chosen part in angle brackets), what its value is, what it does, and what it ``becomes``
    ("" if that is more than an attribute)."""

    __slots__ = ("becomes", "command", "group", "text", "value")

    def __init__(self, group: str, command: str, value: str, text: str, becomes: str = "") -> None:
        self.group = group
        self.command = command
        self.value = value
        self.text = text
        self.becomes = becomes

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and the other ones that mean the same."""
        _, _, others = self.text.rpartition(_OTHER) if _OTHER in self.text else ("", "", "")
        return (self.command, *(others.rstrip(".").split(", ") if others else ()))

    @property
    def no_effect(self) -> str:
        """The reason why the command does nothing; "" for one that does something."""
        return self.text.partition(_NOTHING)[2].partition(".")[0] if _NOTHING in self.text else ""


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
                found.append(Entry(group, *line.rstrip("\n").split("\t")))
    return tuple(found)


def commands() -> frozenset[str]:
    """Every spelling of every command without a chosen part, in lower case."""
    return frozenset(name.lower() for entry in entries() for name in entry.spellings if "<" not in name)

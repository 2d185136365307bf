"""The names that submitters may have, in one place: the accountant's log has them as words of its records."""

from __future__ import annotations

#: Characters of the longest name: groups, account and domain.
LONGEST = 1024
_SHOWN = 60


def fault_of(name: str) -> str:
    """Why no submitter may be called ``name`` (accounting groups included), in a few words; "" for a good name.

    A name has visible characters only. HTCondor refuses white space: a key of the accountant's log is one word.
    """
    if len(name) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if name.isprintable() and " " not in name:
        return ""
    if any(letter.isspace() for letter in name):
        return "has white space in it"
    return "has a character in it that cannot be printed"


def shown(name: str) -> str:
    """The beginning of a name, fit for a line of a log."""
    return repr(name[:_SHOWN]) + ("..." if len(name) > _SHOWN else "")

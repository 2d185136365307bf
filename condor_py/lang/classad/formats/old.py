"""The old ("long") format: one ``Name = expression`` a line, ads separated by empty lines, ``#`` starts a comment."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.record import Record, bind
from condor_py.lang.classad.unparse import name_text

_BLANKS = " \t\v\f\r"


@cache
def _quoted() -> re.Pattern[str]:
    import re

    return re.compile(r"'(?:[^'\\]|\\.)*'")


TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable


def format_old(items: Iterable[tuple[str, str]]) -> str:
    """The lines of one ad, each ended by a newline; no line separates ads."""
    return "".join([f"{name_text(name)} = {text}\n" for name, text in items])


def sorted_lines(items: Iterable[tuple[str, str]]) -> str:
    """An ad as the helper programs of a daemon read it: a line an attribute, in the ASCII order of the names, whatever
    is in names and values."""
    return format_old((name, text.replace("\n", " ")) for name, text in sorted(items))


def split_line(line: str) -> tuple[str, str] | None:
    """Name and text of ``Name = text``; None where the line is none."""
    line = line.strip(_BLANKS)
    quoted = _quoted().match(line) if line.startswith("'") else None
    at = 0 if quoted is None else quoted.end()  # a quoted name may have a sign of its own
    name, equals, text = line[at:].partition("=")
    name = (line[:at] + name).rstrip(" \t")
    if not equals or not name:
        return None
    if name[0] == "'" == name[-1] and len(name) > 2:
        name = name[1:-1].replace("\\'", "'")
    return (name, text.strip(" \t")) if name else None


def put_line(ad: Record, line: str) -> str | None:
    """Sets the attribute of one line; a complaint where the line does not parse."""
    pair = split_line(line)
    if pair is None:
        return f"expected 'Name = expression', found {line.strip()!r}"
    binding = bind(*pair)
    try:
        binding.check()
    except ClassAdParseError as error:
        return str(error)
    ad.put(binding)
    return None

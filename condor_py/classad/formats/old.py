"""The old ("long") format: one ``Name = expression`` a line, ads separated by blank lines, ``#`` starts a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from condor_py.classad.errors import ClassAdParseError
from condor_py.classad.lexer import unescape
from condor_py.classad.record import bind
from condor_py.classad.unparse import name_text

_BLANKS = " \t\v\f\r"

if TYPE_CHECKING:
    from condor_py.classad.ad import ClassAd


def format_old(items: Iterable[tuple[str, str]]) -> str:
    """The lines of one ad, each ended by a newline; no line separates ads."""
    return "".join([f"{name_text(name)} = {text}\n" for name, text in items])


def split_line(line: str) -> tuple[str, str] | None:
    """Name and text of ``Name = text``; None where the line is none."""
    name, equals, text = line.strip(_BLANKS).partition("=")
    name = name.rstrip(" \t")
    if not equals or not name:
        return None
    if name[0] == "'" == name[-1] and len(name) > 2:
        name = unescape(name[1:-1]) or ""
    return (name, text.strip(" \t")) if name else None


def put_line(ad: ClassAd, line: str) -> str | None:
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


def read_old(lines: Iterable[str], source: str = "", *, strict: bool = False) -> Iterator[ClassAd]:
    """The ads of ``lines``. Blank lines separate ads, any number of them.

    As in HTCondor a bad line silently ends its ad (the rest up to the next blank line is skipped); with ``strict``
    it is a ClassAdParseError that names ``source`` and line.
    """
    from condor_py.classad.ad import ClassAd

    ad = ClassAd()
    skipping = False
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        bare = line.strip(" \t\v\f")
        if not bare:
            if ad.attrs:
                yield ad
            ad = ClassAd()
            skipping = False
            continue
        if skipping or bare[0] == "#":
            continue
        complaint = put_line(ad, line)
        if complaint is not None:
            if strict:
                raise ClassAdParseError(f"{source or 'input'}, line {number}: {complaint}")
            skipping = True
    if ad.attrs:
        yield ad

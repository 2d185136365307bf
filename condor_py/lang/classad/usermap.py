"""The maps of userMap(): lines ``METHOD PRINCIPAL OUTPUT``, the first that fits an input gives its output.

A principal is a word, a text in double quotes, or ``/a regular expression/`` with the letters i and U behind it; the
output may name its groups as ``\\\\0`` ... ``\\\\9``. METHOD is ``*``, or the name of a part: userMap("map.part", ...).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from condor_py.lang.classad.functions.regexps import Pattern, compile_pattern, found_groups

_BLANKS = re.compile(r"[ \t]+")
_WORD = re.compile(r"[^ \t]+")
_LETTERS = re.compile(r"[iU]+")
#: What is between two marks, and the backslashes that are dropped in it.
_INNER = {end: re.compile(rf"[^{end}\\]*(?:\\[{end}\\]?[^{end}\\]*)*") for end in '"/'}
_DROPPED = {end: re.compile(rf"\\([{end}\\])") for end in '"/'}
_GROUP = re.compile(r"\\([0-9])")


class Entry(NamedTuple):
    """One line: a pattern, or a literal that an input is or (in a map of prefixes) begins with."""

    literal: str
    pattern: Pattern | None
    output: str


class UserMap:
    """One map. ``problems`` are the lines that were left out, and why."""

    def __init__(self, text: str, read: Callable[[str], str], *, prefixes: bool = False) -> None:
        """Reads a map; ``read`` gives the text of a file that ``@include`` names (OSError)."""
        self.problems: list[str] = []
        self._prefixes = prefixes
        self._parts: dict[str, list[Entry]] = {}
        self._take(text, read)

    def _take(self, text: str, read: Callable[[str], str] | None) -> None:
        for number, line in enumerate(text.splitlines(), 1):
            fields = _Fields(line, expressions=not self._prefixes)
            method, _ = fields.next(plain=True)
            if not method or method.startswith("#"):
                continue
            principal, options = fields.next()
            if method == "@include":
                self._include(principal, number, read)
                continue
            output, _ = fields.next(plain=True)
            if not principal or not output:
                self.problems.append(f"line {number}: {line.strip()!r} has no output: write METHOD INPUT OUTPUT")
                continue
            pattern = None
            if options is not None:
                pattern = compile_pattern(principal, options)
                if pattern is None:
                    self.problems.append(f"line {number}: /{principal}/ is not a regular expression")
                    continue
            self._parts.setdefault(method.lower(), []).append(Entry(principal, pattern, output))

    def _include(self, path: str, number: int, read: Callable[[str], str] | None) -> None:
        if read is None:
            self.problems.append(f"line {number}: a file that is included includes no other")
            return
        try:
            self._take(read(path), None)
        except OSError as error:
            self.problems.append(f"line {number}: cannot read {path}: {error.strerror}")

    def output(self, part: str, text: str) -> str | None:
        """Return what ``text`` is mapped to; None when no line fits."""
        entries = self._parts.get(part.lower(), ())
        if self._prefixes:
            fitting = [entry for entry in entries if text.startswith(entry.literal)]
            if not fitting:
                return None
            best = max(fitting, key=lambda entry: len(entry.literal))
            return _with_groups(best.output, [best.literal])
        for entry in entries:
            if entry.pattern is None:
                if entry.literal == text:
                    return entry.output
                continue
            groups = found_groups(entry.pattern, text)
            if groups:
                return _with_groups(entry.output, groups)
        return None


def _with_groups(output: str, groups: list[str]) -> str:
    def group(name: re.Match[str]) -> str:
        number = int(name[1])
        return groups[number] if number < len(groups) else ""

    return _GROUP.sub(group, output)


class _Fields:
    """The fields of a line, one after the other."""

    def __init__(self, line: str, *, expressions: bool) -> None:
        self._line = line
        self._at = 0
        self._expressions = expressions

    def next(self, *, plain: bool = False) -> tuple[str, str | None]:
        """(text, None), or the source of a regular expression and its letters; ("", None) at the end."""
        self._pass(_BLANKS)
        first = self._line[self._at : self._at + 1]
        if first == '"' or (first == "/" and self._expressions and not plain):
            return self._enclosed(first)
        return self._pass(_WORD), None

    def _pass(self, pattern: re.Pattern[str]) -> str:
        """Pass over what matches here and return it; "" for nothing."""
        found = pattern.match(self._line, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found.group()

    def _enclosed(self, end: str) -> tuple[str, str | None]:
        """Return the text between two marks, and the letters behind a pattern. A backslash before the mark or a
        backslash is dropped."""
        self._at += 1
        text = _DROPPED[end].sub(r"\1", self._pass(_INNER[end]))
        self._at += 1
        return (text, self._pass(_LETTERS)) if end == "/" else (text, None)

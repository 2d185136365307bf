"""The lines of a .dag file: comments and empty ones gone, continued ones joined."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.dag.words import WHITE, Bad

#: White space that Python knows and DAGMan does not.
_ODD = re.compile("[\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Statements:
    """The commands of ``text``, as lines. ``odd``: it has white space that separates no words.

    A command whose last line is continued by the end of the file does not count, as in DAGMan.
    """

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        self._lines = enumerate(lines, 1)
        self.odd = _ODD.search(text) is not None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Number of its last line, and text, of each command."""
        parts: list[str] = []
        white = WHITE if self.odd else None
        for number, raw in self._lines:
            line = raw.strip(white)
            if not line or line[0] == "#" or line.startswith("//"):
                continue
            if parts:
                line = " ".join((*parts, line))
            if line[-1] == "\\":
                parts = [line[:-1]]
                continue
            parts = []
            yield number, line

    def description(self, end: str) -> tuple[str, str]:
        """The lines up to the one that is, or begins with, ``end``, and the text behind ``end``. Bad without one."""
        if not end:
            raise Bad("No inline description closing token specified (@=TOKEN)")
        found: list[str] = []
        for _, raw in self._lines:
            line = raw.strip(WHITE)
            if not line or line[0] == "#" or line.startswith("//"):
                continue
            if line == end or line.startswith(end + " "):
                return "".join(f"{text}\n" for text in found), line[len(end) :]
            found.append(line)
        raise Bad(f"Missing inline description closing token: {end}")


def closing(opening: str) -> str | None:
    """The line that ends a description which begins with ``opening``; None when it begins none."""
    if opening.startswith("{"):
        return "}"
    if opening.startswith("@="):
        return "@" + opening[2:] if len(opening) > 2 else ""
    return None

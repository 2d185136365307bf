"""Logical lines: comments, continuation with a backslash, numbers of lines.

A line is stripped; one that ends in a backslash continues on the next. Inside a continuation a line that
begins with ``#`` ends it, unless the comment itself ends in a backslash. A comment that begins a logical
line never continues.
"""

from __future__ import annotations

#: White space of the languages; other characters that Unicode counts as white space are ordinary ones.
SPACE = " \t\r\v\f\n"


def first_word(text: str) -> str:
    """Return the first word of a text; "" when the text begins with white space."""
    for at, letter in enumerate(text):
        if letter in SPACE:
            return text[:at]
    return text


class Line:
    """A logical line without its comment lines, and the number (from 1) of its last physical line."""

    __slots__ = ("number", "text")

    def __init__(self, text: str, number: int) -> None:
        self.text = text
        self.number = number


class LineReader:
    """The logical lines of a text, one at a time. ``source`` names the text in messages."""

    __slots__ = ("_at", "_lines", "first_zero", "source")

    def __init__(self, text: str, source: str) -> None:
        zero = text.find("\0")
        #: The number of the first physical line with a zero byte; 0 without one.
        self.first_zero = text.count("\n", 0, zero) + 1 if zero >= 0 else 0
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        self._at = 0
        self.source = source

    @property
    def number(self) -> int:
        """The number of the last physical line that was read."""
        return self._at

    def next(self) -> Line | None:
        """The next logical line (it may be empty or a comment); None at the end of the text."""
        if self._at >= len(self._lines):
            return None
        text = self._lines[self._at].strip(SPACE)
        self._at += 1
        if text.startswith("#"):
            return Line(text.rstrip("\\"), self._at)
        return self._continued(text) if text.endswith("\\") else Line(text, self._at)

    def _continued(self, text: str) -> Line:
        """The logical line that begins with ``text``, which ends in a backslash."""
        lines, parts = self._lines, [text]
        while parts and parts[-1].endswith("\\"):
            last = parts.pop()[:-1]
            if last:
                parts.append(last)
            if self._at >= len(lines):
                break
            more = lines[self._at].strip(SPACE)
            self._at += 1
            if more.startswith("#"):
                more = more[-1:] if more.endswith("\\") else ""
            if more:
                parts.append(more)
        return Line("".join(parts), self._at)

    def next_statement(self) -> Line | None:
        """The next logical line that is neither empty nor a comment; None at the end of the text."""
        lines = self._lines
        at, count = self._at, len(lines)
        while at < count:
            text = lines[at].strip(SPACE)
            at += 1
            if not text or text[0] == "#":
                continue
            self._at = at
            if text[-1] != "\\":
                return Line(text, at)
            line = self._continued(text)
            if line.text.strip(SPACE) and line.text[0] != "#":
                return line
            at = self._at
        self._at = at
        return None

    def rest(self) -> str:
        """Everything not read yet, unchanged, and nothing is left."""
        text = "\n".join(self._lines[self._at :])
        self._at = len(self._lines)
        return text

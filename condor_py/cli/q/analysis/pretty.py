"""Long expressions broken into lines as HTCondor's analysis breaks them."""

from __future__ import annotations


def wrapped(text: str, indent: int, width: int) -> str:
    """``text`` broken after ``&&`` and ``||`` where a line reaches ``width``.

    Continuation lines are indented by ``indent`` and two more for every open parenthesis; the first line is not, but
    counts as if it were. The text may have line breaks already, which count as characters.
    """
    return _Wrapping(text, width * 2 // 3 if indent > width else indent, width).text()


class _Wrapping:
    def __init__(self, text: str, indent: int, width: int) -> None:
        self.rest = text
        self.indent = indent
        self.width = width
        self.done: list[str] = []

    def text(self) -> str:
        """The broken text."""
        start = 0  # where the line begins in what is left
        place = 0  # the last place to break at, where it is behind start
        margin = self.indent  # of the line that a break there begins
        column = self.indent
        index = 0
        joined = False
        while index < len(self.rest):
            char = self.rest[index]
            is_join = char in "&|" and index > 0 and self.rest[index - 1] == char
            self.indent += (char == "(") * 2 - (char == ")") * 2
            if column >= self.width and place != start:
                index, column = self._break(place, margin, index)
                start = place = 0
                margin = self.indent
            if joined:
                place, margin = index, self.indent
            index += 1
            column += 1
            joined = is_join
        return "".join([*self.done, self.rest])

    def _break(self, place: int, margin: int, index: int) -> tuple[int, int]:
        """Ends the line before ``place``; the index in what is left, and the column there."""
        self.done.append(self.rest[:place] + "\n")
        blanks = " " * max(0, margin)
        self.rest = blanks + self.rest[place + 1 :]
        index = index - place - 1 + len(blanks)
        return index, index if blanks else 0

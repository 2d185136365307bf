"""The terminal: its width, and how much of a column a text takes there or in a pipe."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def is_terminal() -> bool:
    """Whether stdout is a terminal; colour and progress are for terminals only."""
    isatty = getattr(sys.stdout, "isatty", None)
    return bool(isatty and isatty())


def display_width() -> int | None:
    """Columns of the terminal on stdout; None when output is piped, and then nothing is cut."""
    if not is_terminal():
        return None
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 80
    return columns or 80


def text_width(text: str) -> int:
    """Return the width of ``text`` in a column: its bytes, as HTCondor counts, but on a terminal its columns.

    Undecodable bytes count unchanged.
    """
    if text.isascii():
        return len(text)
    if is_terminal():
        return screen_width(text)
    return len(text.encode("utf-8", "surrogateescape"))


def cut(text: str, width: int) -> str:
    """As much of ``text`` as fits into ``width``; in a pipe to the byte, inside a character if need be."""
    if text.isascii():
        return text[:width]
    if is_terminal():
        return screen_cut(text, width)
    return text.encode("utf-8", "surrogateescape")[:width].decode("utf-8", "surrogateescape")


def pad(text: str, width: int, left: bool) -> str:
    """``text`` filled with spaces to ``width``, on the right side if ``left`` (aligned)."""
    missing = width - text_width(text)
    if missing <= 0:
        return text
    return text + " " * missing if left else " " * missing + text


def aligned(rows: Sequence[Sequence[str]], between: str) -> Iterator[str]:
    """Yield the lines of a table: the first column on the left, the others on the right."""
    first, *others = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        shown = [cell.rjust(width) for cell, width in zip(cells, others, strict=True)]
        yield between.join([name.ljust(first), *shown]).rstrip()


def screen_width(text: str) -> int:
    """The columns of a terminal that ``text`` fills, independent of the output."""
    return len(text) if text.isascii() else sum(map(_filled, text))


def screen_cut(text: str, width: int) -> str:
    """As much of ``text`` as fits into ``width`` columns of a terminal."""
    return text[:width] if text.isascii() else text[: _characters(text, width)]


def _characters(text: str, width: int) -> int:
    """Return how many characters of ``text`` fit into ``width`` columns of a terminal; an accent stays with its
    letter."""
    filled = 0
    for count, character in enumerate(text):
        filled += _filled(character)
        if filled > width:
            return count
    return len(text)


def _filled(character: str) -> int:
    """The columns that a character fills: two for East Asian wide ones, none for what is written over another."""
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

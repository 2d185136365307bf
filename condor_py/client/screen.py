"""Standard streams that are terminals: what is printed there moves no cursor, unless a tool draws."""

from __future__ import annotations

import io
import os
import sys

from condor_py.model.texts import printable_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class _Screen(io.TextIOWrapper):
    """A terminal. Everything that is written to it is printable, for most of it was said by others."""

    def write(self, text: str) -> int:
        """Write ``text`` without control characters."""
        super().write(printable_lines(text))
        return len(text)

    def draw(self, text: str) -> None:
        """Write ``text`` with its control sequences."""
        super().write(text)


def guard_screens() -> None:
    """Make standard output and standard error of this process print printable text where they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and _is_terminal(stream):
            encoding, errors = stream.encoding, stream.errors
            screen = _Screen(stream.detach(), encoding=encoding, errors=errors, line_buffering=True)
            setattr(sys, name, screen)
            setattr(sys, f"__{name}__", screen)  # curses asks this one for its descriptor


def _is_terminal(stream: TextIO) -> bool:
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError):  # it is no file
        return False


def draw(stream: TextIO, text: str) -> None:
    """Write ``text`` with its control sequences, all of which must be ours: what others said in it is ``printable``."""
    if isinstance(stream, _Screen):
        stream.draw(text)
    else:
        stream.write(text)

"""The terminal: its width, and texts measured in bytes as HTCondor measures them."""

from __future__ import annotations

import os
import sys


def is_terminal(stream: object = None) -> bool:
    """True when stdout (or ``stream``) is a terminal; colour and progress are for terminals only."""
    checked = sys.stdout if stream is None else stream
    isatty = getattr(checked, "isatty", None)
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


def byte_length(text: str) -> int:
    """The bytes that ``text`` takes, undecodable bytes counted as they are."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def cut(text: str, width: int) -> str:
    """The first ``width`` bytes of ``text``, cut inside a character if they end there."""
    if text.isascii():
        return text[:width]
    return text.encode("utf-8", "surrogateescape")[:width].decode("utf-8", "surrogateescape")


def pad(text: str, width: int, left: bool) -> str:
    """``text`` filled with blanks to ``width`` bytes, on the right side if ``left`` (aligned)."""
    missing = width - byte_length(text)
    if missing <= 0:
        return text
    return text + " " * missing if left else " " * missing + text

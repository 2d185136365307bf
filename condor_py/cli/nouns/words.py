"""The wording of the verbs of ``htcondor``: messages by their level, times and sizes in words."""

from __future__ import annotations

import sys

from condor_py.client.screen import draw

_KILO = 1024
_SIZES = ("KB", "MB", "GB", "TB")


class Say:
    """Messages on stderr: errors always, the rest unless the command was asked to be quiet."""

    def __init__(self, level: int) -> None:
        """``level`` is how often -v was given, less how often -q was."""
        self._level = level

    def __call__(self, text: str) -> None:
        """Write an informational message."""
        if self._level >= 0:
            sys.stderr.write(f"{text}\n")

    def draw(self, text: str) -> None:
        """Write messages for the user, in colours."""
        if self._level >= 0:
            draw(sys.stderr, f"{text}\n")

    def warning(self, text: str) -> None:
        """Write a warning."""
        if self._level >= -1:
            sys.stderr.write(f"{text}\n")

    def error(self, text: str) -> None:
        """Write an error."""
        if self._level >= -2:
            sys.stderr.write(f"{text}\n")


def ending(number: int) -> str:
    """Return the plural ending of a word after ``number``."""
    return "" if number == 1 else "s"


def duration(seconds: float) -> str:
    """``13 minutes``, ``1 day 6 hours``: the largest fitting unit."""
    whole = int(seconds)
    if whole < 60:
        return _count(whole, "second")
    if whole < 3600:
        return _count(round(whole / 60), "minute")
    if whole < 86400:
        return _count(round(whole / 3600), "hour")
    days, rest = divmod(round(whole / 3600), 24)
    return f"{_count(days, 'day')} {_count(rest, 'hour')}"


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{ending(number)}"


def size(number: float) -> str:
    """``256 B``, ``1.456 MB``: bytes in the largest fitting unit."""
    if number < _KILO:
        return f"{int(number)} B"
    for unit in _SIZES:
        number /= _KILO
        if number < _KILO or unit == _SIZES[-1]:
            break
    return f"{number:.3f} {unit}"

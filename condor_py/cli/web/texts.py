"""Amounts, lengths of time, moments and output as people read them."""

from __future__ import annotations

import re
import time
from typing import Any

#: What is printed where there is no value.
NOTHING = "–"
#: Characters of a long text, and of all long texts of a page; what is more is cut to the first.
_LONG, _MOST_OF_PAGE = 2_000, 1_000_000
#: A sequence that colours text, moves the cursor or names the window, as programs write it to a terminal.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Za-z]|[=>78cDEHMZ])")


def amount(value: float | None) -> str:
    """Return a number with thin spaces between thousands, and at most one digit behind the point."""
    if value is None:
        return NOTHING
    text = f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"
    return text.removesuffix(".0").replace(",", "\u202f")


def memory(megabytes: float | None) -> str:
    """Return an amount of memory in MB with a fitting unit."""
    return _scaled(megabytes, ("MB", "GB", "TB", "PB"))


def disk(kilobytes: float | None) -> str:
    """Return an amount of disk in KB with a fitting unit."""
    return _scaled(kilobytes, ("KB", "MB", "GB", "TB", "PB"))


def _scaled(value: float | None, units: tuple[str, ...]) -> str:
    if value is None:
        return NOTHING
    for unit in units[:-1]:
        if abs(value) < 1000:
            return f"{amount(value)} {unit}"
        value /= 1024
    return f"{amount(value)} {units[-1]}"


def account(submitter: str) -> str:
    """Return a submitter without the domain: ``physics.alice``."""
    return submitter.partition("@")[0]


def span(seconds: float | None) -> str:
    """Return a length of time in its two greatest units."""
    if seconds is None:
        return NOTHING
    whole = max(0, int(seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {whole % 60:02} s" if minutes else f"{whole} s"


def moment(when: float | None) -> str:
    """Return a moment in local time."""
    return _strftime("%Y-%m-%d %H:%M:%S", when) or NOTHING


def iso(when: float | None) -> str:
    """Return a moment as the attribute ``datetime`` wants it."""
    return _strftime("%Y-%m-%dT%H:%M:%S%z", when)


def _strftime(form: str, when: float | None) -> str:
    try:
        return time.strftime(form, time.localtime(when)) if when else ""
    except (OverflowError, ValueError, OSError):
        return ""


def percent(part: float | None) -> str:
    """Return a part of 1 in percent."""
    return NOTHING if part is None else f"{100 * part:.0f}\u202f%"


def terminal(output: str) -> str:
    """Return output as a terminal leaves it: without escape sequences, and of a line that was written over the last."""
    lines = _ESCAPE.sub("", output).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


class Bounded:
    """The data of one page, whose long texts (of jobs) together have a bounded length."""

    def __init__(self) -> None:
        self._room = _MOST_OF_PAGE

    def of(self, value: Any) -> Any:
        """Return data with texts that are too long cut."""
        if type(value) is str:
            return value if len(value) <= _LONG else self._long(value)
        if isinstance(value, dict):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return value if value and type(value[0]) is int else [self.of(item) for item in value]
        return value

    def _long(self, text: str) -> str:
        if len(text) > self._room:
            return f"{text[:_LONG]}... ({len(text) - _LONG} more characters)"
        self._room -= len(text)
        return text

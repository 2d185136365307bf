"""Templates and arguments: ``use FEATURE : GPUs(-extra)`` and ``$(1)``, ``$(2?)``, ``$(0#)`` in its text."""

from __future__ import annotations

import re
from typing import NamedTuple

_CLOSE = {"(": ")", "[": "]"}
_ARGUMENT = re.compile(r"\$\((\d+)([?#+]?)[?#+\d]*(?::((?:[^()]|\([^)]*\))*))?\)")
_MAX_NESTING = 25


class TemplateCall(NamedTuple):
    """One template named after ``use CATEGORY :``, with the text between its parentheses ("" without)."""

    name: str
    arguments: str


def parse_calls(text: str) -> list[TemplateCall]:
    """The templates named in ``text``: names separated by commas or spaces, each with optional arguments."""
    calls: list[TemplateCall] = []
    at = 0
    while True:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        start = at
        while at < len(text) and not text[at].isspace() and text[at] not in ",(":
            at += 1
        if at == start:
            return calls
        name = text[start:at]
        while at < len(text) and text[at].isspace():
            at += 1
        arguments = ""
        if at < len(text) and text[at] == "(":
            close = _close_of(text, at, _MAX_NESTING)
            if close >= 0:
                arguments = text[at + 1 : close]
                at = close
            at += 1
        calls.append(TemplateCall(name, arguments))


def _close_of(text: str, at: int, depth: int) -> int:
    """Where the bracket at ``at`` closes, -1 when it does not."""
    close = _CLOSE[text[at]]
    if depth < 0:
        return -1
    at += 1
    while at < len(text) and text[at] != close:
        if text[at] in _CLOSE:
            at = _close_of(text, at, depth - 1)
            if at < 0:
                return -1
        at += 1
    return at if at < len(text) else -1


def expand_arguments(text: str, arguments: str) -> str:
    """``text`` with its argument references replaced.

    ``$(0)`` all arguments, ``$(0#)`` their number, ``$(N)`` the Nth, ``$(N?)`` 1 or 0 for "is given",
    ``$(N+)`` the Nth and all after it; ``$(N:default)`` where it is missing. Empty arguments do not count.
    """
    start = 0
    while (match := _ARGUMENT.search(text, start)) is not None:
        value = _argument(match, arguments).strip()
        if match[2] == "?":
            value = "1" if value else "0"
        text = text[: match.start()] + value + text[match.end() :]
        # The value may hold references to arguments itself; they are replaced too, but a value is not its
        # own argument.
        start = match.start() + (len(value) if _ARGUMENT.search(value) and match[0] in value else 0)
    return text


def _argument(match: re.Match[str], arguments: str) -> str:
    index = int(match[1])
    given = [item for item in re.finditer(r"[^,]+", arguments) if item[0].strip()]
    if index == 0:
        return str(len(given)) if match[2] in ("#", "+") else arguments
    default = match[3] or ""
    if match[2] in ("#", "+"):
        rest = arguments[given[index - 1].start() :] if index <= len(given) else ""
        return rest.strip() or default
    return given[index - 1][0] if index <= len(given) else default

"""Templates and arguments: ``use FEATURE : GPUs(-extra)`` and ``$(1)``, ``$(2?)``, ``$(0#)`` in its text."""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_CLOSE = {"(": ")", "[": "]"}


@cache
def _argument_pattern() -> re.Pattern[str]:
    import re

    return re.compile(r"\$\((\d+)([?#+]?)[?#+\d]*(?::((?:[^()]|\([^)]*\))*))?\)")


_MAX_NESTING = 25


class TemplateCall:
    """One template named after ``use CATEGORY :``, with the text between its parentheses ("" without)."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: str, arguments: str) -> None:
        self.name = name
        self.arguments = arguments


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
    """Return the index at which the bracket at ``at`` closes, -1 when it does not."""
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
    return _argument_pattern().sub(lambda match: _argument(match, arguments), text)


def _argument(match: re.Match[str], arguments: str) -> str:
    """Return the text that replaces one argument reference."""
    import re

    given = [item for item in re.finditer(r"[^,]+", arguments) if item[0].strip()]
    value = _given(int(match[1]), match[2], given, arguments).strip()
    if match[2] == "?":
        return "1" if value else "0"
    return value or expand_arguments(match[3] or "", arguments)


def _given(index: int, mark: str, given: list[re.Match[str]], arguments: str) -> str:
    """The text of argument ``index`` ("" without one) as ``mark`` (``?``, ``#``, ``+`` or "") asks."""
    many = mark in ("#", "+")
    if index == 0:
        return str(len(given)) if many else arguments
    if index > len(given):
        return ""
    if not many:
        return given[index - 1][0]
    return arguments if index == 1 else arguments[given[index - 2].end() :].removeprefix(",")

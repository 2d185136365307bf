"""Finding the next macro reference in a text.

::

    $(NAME)  $(NAME:default)            normal; NAME is letters, digits, _ . /
    $ENV(NAME)  $ENV(NAME:default)
    $FUNC(anything up to the first ")")  FUNC one of FUNCTIONS, or F and letters of pnxdqabfwu
    $$...                               never ours: substituted when a job has matched

A ``$`` that begins none of these is plain text. The default after the colon may hold letters, digits and
``_./$ ,\\:`` and one level of parentheses; with any other character (``-``, ``"``, ``*``) the whole
reference is plain text.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_NAME = r"[A-Za-z0-9_./]*"
_DEFAULT = r"(?:[A-Za-z0-9_./$ ,\\:]|\([^)]*\))*"
FUNCTIONS = (
    *("RANDOM_CHOICE", "RANDOM_INTEGER", "CHOICE", "SUBSTR", "INT", "REAL", "STRING", "EVAL"),
    *("BASENAME", "DIRNAME"),
)


@cache
def _reference() -> re.Pattern[str]:
    import re

    return re.compile(
        r"\$\$[A-Za-z0-9_]*"
        rf"|\$(?P<env>ENV)?\((?P<name>{_NAME})(?::(?P<default>{_DEFAULT}))?\)"
        rf"|\$(?P<func>{'|'.join(FUNCTIONS)}|F[pnxdqabfwuPNXDQABFWU]*)\((?P<body>[^)]*)\)"
    )


class Reference:
    """One reference ``text[start:end]``.

    ``function`` is "" for ``$(NAME)``, else the word between ``$`` and ``(``. For "" and ENV ``body`` is
    the name and ``default`` the text after the colon (None without a colon); for the others ``body`` is
    the whole argument text.
    """

    __slots__ = ("body", "default", "end", "function", "start")

    def __init__(self, start: int, end: int, function: str, body: str, default: str | None) -> None:
        self.start = start
        self.end = end
        self.function = function
        self.body = body
        self.default = default


def find_reference(text: str, start: int = 0) -> Reference | None:
    """The first reference in ``text`` from ``start`` on but for ``$(DOLLAR)``; None when there is none."""
    start = text.find("$", start)
    if start < 0 or text.find("(", start) < 0:
        return None
    if text.startswith("(", start + 1):
        name, end, _ = text[start + 2 :].partition(")")
        if end and name.isidentifier() and name.isascii() and name.upper() != "DOLLAR":
            return Reference(start, start + len(name) + 3, "", name, None)  # what nearly all are, without a pattern
    for match in _reference().finditer(text, start):
        function = match["func"]
        if function is not None:
            return Reference(match.start(), match.end(), function, match["body"], None)
        name = match["name"]
        if name is None:
            continue
        if name.upper() == "DOLLAR" and match["default"] is None and not match["env"]:
            continue
        return Reference(match.start(), match.end(), match["env"] or "", name, match["default"])
    return None


def replace_dollar(text: str) -> str:
    """``text`` with ``$(DOLLAR)`` turned into ``$`` (the last step of an expansion).

    One at a time, reading again from the start: the second of ``$(DOLLAR)$(DOLLAR)`` stays, as ``$$(`` is not ours.
    """
    while (found := _find_dollar(text)) is not None:
        text = text[: found.start()] + "$" + text[found.end() :]
    return text


def _find_dollar(text: str) -> re.Match[str] | None:
    if "$(" not in text:
        return None
    return next((match for match in _reference().finditer(text) if match[0].upper() == "$(DOLLAR)"), None)

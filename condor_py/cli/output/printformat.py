"""Print-format files (``-print-format FILE``): text to a mask, a constraint, grouping and a frame."""

from __future__ import annotations

import sys
from functools import cache

from condor_py.cli.output import renderers
from condor_py.cli.output.conversion import collapse_escapes, size_of
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.terminal import text_width
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any, TypeAlias

Renderers: TypeAlias = "dict[str, tuple[Any, str | None]]"


@cache
def _token() -> re.Pattern[str]:
    import re

    return re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\S+)""")


_KEYWORDS = frozenset((
    "ALWAYS", "AS", "AUTO", "FIT", "LEFT", "NOPREFIX", "NOSUFFIX", "OR", "PRINTAS", "PRINTF", "RENDERAS", "RIGHT",
    "TRUNCATE", "WIDTH",
))  # fmt: skip
_ALTERNATIVES = " ?*.-_#0"


class PrintFormat:
    """The content of a print-format file.

    ``aggregate`` is "", "autocluster" or "unique"; ``conditions`` are those of WHERE and AND, ``group_by`` the
    expressions to sort by; ``summary`` is "standard", "none" or "custom"; ``messages`` are the lines to print on
    stderr.
    """

    def __init__(self) -> None:
        self.mask = Mask()
        self.title = True
        self.header = True
        self.summary = "none"
        self.aggregate = ""
        self.conditions: list[str] = []
        self.group_by: list[str] = []
        self.summary_mask = Mask()
        self.messages: list[str] = []
        self.width_is_format = True
        self._label: str | None = None

    @property
    def where(self) -> str:
        """The constraint, "" without one."""
        if len(self.conditions) < 2:
            return "".join(self.conditions)
        return " && ".join(f"({condition})" for condition in self.conditions)


class _Token:
    __slots__ = ("end", "quoted", "start", "text")

    def __init__(self, text: str, start: int, end: int, quoted: bool) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.quoted = quoted


def _tokens(line: str) -> list[_Token]:
    found = []
    for match in _token().finditer(line):
        text = match[1]
        quoted = len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]
        found.append(_Token(text[1:-1] if quoted else text, match.start(1), match.end(1), quoted))
    return found


def read_print_format(
    path: str,
    local: Renderers | None = None,
    *,
    width_is_format: bool = True,
    refusal: str = "invalid select file",
) -> PrintFormat:
    """Return the format in a file (``-``: standard input); see `parse_print_format`. Mistakes in its lines are named on
    stderr. CondorError with ``refusal`` when it cannot be read."""
    try:
        if path == "-":
            lines = sys.stdin.read().splitlines()
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
    except OSError:
        raise CondorError(f"Can't open select file: {path}\nError: {refusal} {path}") from None
    chosen = parse_print_format(lines, local, width_is_format=width_is_format)
    for message in chosen.messages:
        sys.stderr.write(message + "\n")
    return chosen


def parse_print_format(
    lines: Iterable[str], local: Renderers | None = None, *, width_is_format: bool = True
) -> PrintFormat:
    """The format in ``lines``; ``local`` renderers come before the common ones.

    ``width_is_format``: a WIDTH alone cuts, and shows values of all kinds; condor_status has it otherwise.
    """
    result = PrintFormat()
    result.width_is_format = width_is_format
    known = renderers.RENDERERS | (local or {})
    section = "SELECT"
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        tokens = _tokens(line)
        if not tokens or tokens[0].text.startswith("#"):
            continue
        word = tokens[0].text.upper()
        if word == "SELECT":
            section = "SELECT"
            _select(result, tokens[1:])
        elif word == "SUMMARY":
            section = "SUMMARY"
            _summary(result, tokens[1:])
        elif word in ("WHERE", "AND", "GROUP", "JOIN"):
            section = word
            _section_line(result, section, line, tokens)
        elif section in ("SELECT", "SUMMARY"):
            mask = result.mask if section == "SELECT" else result.summary_mask
            _add_column(result, mask, line, tokens, known, number)
        else:
            _continue_section(result, section, line)
    return result


def _select(result: PrintFormat, tokens: list[_Token]) -> None:
    mask = result.mask
    separators = {
        "RECORDPREFIX": "row_prefix", "RECORDSUFFIX": "row_suffix", "FIELDPREFIX": "prefix", "FIELDSUFFIX": "suffix",
    }  # fmt: skip
    words = iter(tokens)
    for token in words:
        word = token.text.upper()
        if word == "FROM":
            source = next(words, None)
            if source is not None and source.text.upper() == "AUTOCLUSTER":
                result.aggregate = "autocluster"
        elif word == "UNIQUE":
            result.aggregate = "unique"
        elif word == "BARE":
            result.title = result.header = False
            result.summary = "none"
        elif word == "NOTITLE":
            result.title = False
        elif word == "NOHEADER":
            result.header = False
        elif word == "NOSUMMARY":
            result.summary = "none"
        elif word == "LABEL":
            result._label = " = "
        elif word == "SEPARATOR" and result._label is not None:
            given = next(words, None)
            result._label = collapse_escapes(given.text) if given is not None else result._label
        elif word in separators:
            given = next(words, None)
            if given is not None:
                setattr(mask, separators[word], collapse_escapes(given.text))
        else:
            result.messages.append(f"Warning: Unknown header argument {token.text} for SELECT")


def _summary(result: PrintFormat, tokens: list[_Token]) -> None:
    result.summary = "custom"
    for token in tokens:
        word = token.text.upper()
        if word == "STANDARD":
            result.summary = "standard"
        elif word == "NONE":
            result.summary = "none"
        else:
            result.messages.append(f"Unknown argument {token.text} for SELECT")


def _section_line(result: PrintFormat, section: str, line: str, tokens: list[_Token]) -> None:
    start = 1
    if section == "GROUP" and len(tokens) > 1 and tokens[1].text.upper() == "BY":
        start = 2
    if len(tokens) > start:
        _continue_section(result, section, line[tokens[start].start :])


def _continue_section(result: PrintFormat, section: str, text: str) -> None:
    import re

    if section == "WHERE":
        result.conditions = [text]
    elif section == "AND":
        result.conditions.append(text)
    elif section == "GROUP":
        expression = re.split(r"\s(?:AS|ASCENDING|DESCENDING)\b", text, maxsplit=1, flags=re.IGNORECASE)[0].strip()
        try:
            parse(expression)
        except ClassAdParseError:
            result.messages.append(f"GROUP BY expression is not valid: {expression}")
        else:
            result.group_by.append(expression)


class _ColumnParts:
    """The words of one column line."""

    def __init__(self) -> None:
        self.heading: str | None = None
        self.printf: str | None = "%v"
        self.default_printf = True
        self.render: Any = None
        self.width: int | None = None
        self.alt = ""
        self.auto = True
        self.truncate = False
        self.forced_auto = False
        self.left = False
        self.prefix = self.suffix = True


def _add_column(
    result: PrintFormat, mask: Mask, line: str, tokens: list[_Token], known: Renderers, number: int
) -> None:
    first = next((i for i, token in enumerate(tokens) if i and _is_keyword(token)), len(tokens))
    source = line[: tokens[first - 1].end].strip()
    parts = _ColumnParts()
    words = iter(tokens[first:])
    for token in words:
        _column_word(result, parts, token.text.upper(), words, known, number)
    try:
        parse(source)
    except ClassAdParseError:
        result.messages.append(f"attribute or expression is not valid: {source}")
        return
    mask.columns.append(_make_column(result, parts, source))


def _is_keyword(token: _Token) -> bool:
    return not token.quoted and token.text.upper() in _KEYWORDS


def _column_word(
    result: PrintFormat, parts: _ColumnParts, word: str, words: Any, known: Renderers, number: int
) -> None:
    if word == "NOPREFIX":
        parts.prefix = False
    elif word == "NOSUFFIX":
        parts.suffix = False
    elif word == "LEFT":
        parts.left = True
    elif word == "RIGHT":
        parts.left = False
    elif word == "TRUNCATE":
        parts.truncate = True
    elif word in ("AS", "PRINTF", "PRINTAS", "RENDERAS", "OR", "WIDTH"):
        token = next(words, None)
        if token is None:
            result.messages.append(f"expected a value after {word} at line {number} in SELECT")
            return
        _column_value(result, parts, word, token, known)


def _column_value(result: PrintFormat, parts: _ColumnParts, word: str, token: _Token, known: Renderers) -> None:
    text = token.text
    if word == "AS":
        parts.heading = collapse_escapes(text) if token.quoted else text
    elif word == "PRINTF":
        parts.printf, parts.default_printf = text, False
    elif word == "OR":
        if text[:1] and text[0] in _ALTERNATIVES:
            parts.alt = text[0] * (2 if text[1:2] == text[0] else 1)
        else:
            result.messages.append(f"Unknown argument {text} for OR")
    elif word == "WIDTH":
        _set_width(parts, text, cut=result.width_is_format)
    elif text.upper() not in known:
        result.messages.append(f"Unknown argument {text} for {word}")
    else:
        parts.render, fmt = known[text.upper()]
        if word == "PRINTAS" or (parts.default_printf and fmt is not None):
            parts.printf, parts.default_printf = fmt, False


def _set_width(parts: _ColumnParts, text: str, *, cut: bool) -> None:
    import re

    if text.upper() == "AUTO":
        parts.forced_auto = True
        return
    match = re.match(r"(-?)(\d+)", text)
    parts.width = size_of(match[2]) * (-1 if match[1] else 1) if match else 0
    parts.auto = False
    parts.truncate = parts.truncate or cut
    if parts.default_printf:
        parts.printf = None


def _make_column(result: PrintFormat, parts: _ColumnParts, source: str) -> Column:
    label = parts.heading or source
    separator = result._label
    if separator is not None:
        return _labelled(parts, source, label + separator)
    width = -text_width(label) if parts.width is None else parts.width
    fmt = parts.printf
    if parts.render is None and fmt is None and (result.width_is_format or not width):
        fmt = _width_format(parts, width)
    return Column(
        source, label, width, fmt, parts.render,
        left=parts.left, auto=parts.auto or parts.forced_auto, truncate=parts.truncate,
        prefix=parts.prefix, suffix=parts.suffix, alt=parts.alt,
    )  # fmt: skip


def _width_format(parts: _ColumnParts, width: int) -> str:
    if not width:
        return "%v"
    sign = "-" if width < 0 else ""
    cut = f".{abs(width)}" if parts.truncate else ""
    return f"%{sign}{abs(width)}{cut}v"


def _labelled(parts: _ColumnParts, source: str, label: str) -> Column:
    fmt = parts.printf
    if fmt is None:
        fmt = _width_format(parts, parts.width or 0)
        fmt = fmt[:-1] + ("s" if parts.render else "v")
    return Column(
        source, "", 0, label + fmt, parts.render,
        prefix=parts.prefix, suffix=parts.suffix, alt=parts.alt,
    )  # fmt: skip

"""printf conversions as ``-format``, ``-autoformat`` and print-format files know them."""

from __future__ import annotations

import time
from functools import cache

from condor_py.cli.output.terminal import cut, pad
from condor_py.lang.classad.values import real_to_int
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

_DIGITS = "0123456789"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


@cache
def _escape() -> re.Pattern[str]:
    import re

    return re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)


INT, FLOAT, CHAR, STRING = "int", "float", "char", "string"
VALUE, RAW, TIME, DATE, TEXT = "value", "raw", "time", "date", "text"
_KINDS = {
    **dict.fromkeys("diuxXo", INT),
    **dict.fromkeys("eEfFgGaA", FLOAT),
    "c": CHAR,
    "s": STRING,
    "v": VALUE,
    "V": VALUE,
    "r": RAW,
    "T": TIME,
    "Y": DATE,
}


def collapse_escapes(text: str) -> str:
    r"""``text`` with ``\n``, ``\t``, ``\\``, octal and hexadecimal escapes interpreted."""

    def one(match: re.Match[str]) -> str:
        body = match[1]
        if body[0] in "01234567":
            return chr(int(body, 8) & 0xFF)
        if body[0] == "x" and len(body) > 1:
            return chr(int(body[1:], 16))
        return _ESCAPES.get(body, body)

    return _escape().sub(one, text) if "\\" in text else text


#: Columns that a value has at most.
WIDEST = 10_000


def size_of(digits: str) -> int:
    """The number of columns or digits in a format, WIDEST at most; 0 for none."""
    return min(as_integer(digits or "0"), WIDEST)


class _Found:
    """A conversion in a text, from ``start`` to ``end``: its parts, no precision where there is no point."""

    __slots__ = ("end", "flags", "letter", "precision", "start", "width")

    def __init__(self, start: int, end: int, flags: str, width: str, precision: str | None, letter: str) -> None:
        self.start = start
        self.end = end
        self.flags = flags
        self.width = width
        self.precision = precision
        self.letter = letter


def _first(text: str) -> _Found | None:
    """Return the first conversion of a format other than ``%%``; None when it is not valid."""
    start = text.find("%")
    while text.startswith("%%", start) and start >= 0:
        start = text.find("%", start + 2)
    if start < 0:
        return None
    rest = text[start + 1 :]
    left = rest.lstrip("#0- +'")
    flags, rest = rest[: len(rest) - len(left)], left
    left = rest.lstrip(_DIGITS)
    width, rest = rest[: len(rest) - len(left)], left
    precision = None
    if rest.startswith("."):
        left = rest[1:].lstrip(_DIGITS)
        precision, rest = rest[1 : len(rest) - len(left)], left
    rest = rest.lstrip("hlLqjzt") or rest[-1:]
    letter = rest[:1]
    if not (letter.isalpha() and letter.isascii()):
        return None
    return _Found(start, len(text) - len(rest) + 1, flags, width, precision, letter)


class Conversion:
    """One format: literal text around at most one conversion.

    ``kind`` says which values fit: numbers for int, float, char and time; text for string; anything for value.
    ``width`` and ``left`` are those of the conversion (0: none).
    """

    __slots__ = ("_flags", "_precision", "_python", "after", "before", "kind", "left", "letter", "width")

    def __init__(self, text: str) -> None:
        text = collapse_escapes(text)
        match = _first(text)
        if match is None or match.letter not in _KINDS:
            self.kind, self.before, self.after = TEXT, text, ""
            self.width, self.left, self.letter = 0, False, ""
            return
        self._flags = match.flags.replace("'", "")
        self._precision = None if match.precision is None else size_of(match.precision)
        self.letter = match.letter
        self.kind = _KINDS[self.letter]
        self.left = "-" in self._flags
        self.width = size_of(match.width)
        self.before, self.after = (part.replace("%%", "%") for part in (text[: match.start], text[match.end :]))
        flags = self._flags
        if self.kind is INT and self._precision is not None:
            flags = flags.replace("0", "")  # a precision overrules the filling with zeros
        if self.letter in "uxXo":
            flags = flags.replace("+", "").replace(" ", "")  # no signs without signed conversions
        precision = "" if self._precision is None else f".{self._precision}"
        self._python = f"%{flags}{self.width or ''}{precision}{self.letter}".replace("u", "d")

    def text(self, value: Any) -> str:
        """The whole format with ``value``: a number where ``kind`` wants one, else text."""
        kind = self.kind
        if kind is TEXT:
            return self.before
        if isinstance(value, str) and kind in (TIME, DATE, INT, FLOAT, CHAR):  # what a renderer has made
            return f"{self.before}{self._padded(value)}{self.after}"
        if kind is TIME:
            return elapsed(_whole(value))
        if kind is DATE:
            return date(_whole(value))
        if kind is INT:
            middle = self._integer(_whole(value))
        elif kind is FLOAT:
            middle = self._real(float(value))
        elif kind is CHAR:
            middle = self._padded(bytes([_whole(value) & 0xFF]).decode("utf-8", "surrogateescape"))
        else:
            middle = self._padded(value if self._precision is None else cut(value, self._precision))
        return f"{self.before}{middle}{self.after}"

    def _integer(self, number: int) -> str:
        if self.letter in "uxXo" and number < 0:
            number += 1 << 64
        if self.letter == "o" and "#" in self._flags:
            return self._padded(f"0{number:o}")
        if self._precision == 0 and number == 0:
            return self._padded("+" if "+" in self._python else " " if " " in self._python else "")
        return self._python % number

    def _real(self, number: float) -> str:
        if self.letter not in "aA":
            return self._python % number
        mantissa, mark, exponent = number.hex().partition("p")  # which Python's formats do not have
        text = mantissa.rstrip("0").rstrip(".") + mark + exponent if mark else mantissa
        return self._padded(text.upper() if self.letter == "A" else text)

    def _padded(self, text: str) -> str:
        return pad(text, self.width, self.left) if self.width else text


def _whole(value: Any) -> int:
    """A number as an integer; those that have none (infinite ones, NaN) as C has them."""
    return real_to_int(value) if isinstance(value, float) else int(value)


def elapsed(seconds: int) -> str:
    """``  0+00:01:39``: days in at least 3 columns, then hours, minutes, seconds; C's division of negatives."""
    sign = -1 if seconds < 0 else 1
    minutes, second = divmod(abs(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{sign * days:3d}+{sign * hour:02d}:{sign * minute:02d}:{sign * second:02d}"


def date(moment: int) -> str:
    """``11/20 22:09``: month, day, hour and minute in local time, 11 columns."""
    if moment < 0:
        return "    ???    "
    try:
        local = time.localtime(moment)
    except (OverflowError, OSError, ValueError):  # a year that no calendar has
        return "    ???    "
    return f"{local.tm_mon:2d}/{local.tm_mday:<2d} {local.tm_hour:02d}:{local.tm_min:02d}"

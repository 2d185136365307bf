"""Texts of others (jobs, users, programs), made fit for where they are shown; and numbers of many digits."""

from __future__ import annotations

#: A text of a message that is to be a string of an ad: what is read from a message is ``one_line`` of it.
Line = str
#: Bytes that were no text when they were read (``surrogateescape``).
_FIRST_BYTE, _LAST_BYTE = "\udc80", "\udcff"


def printable(text: str) -> str:
    """Return ``text`` with a question mark for each character that moves a cursor, reorders or is no character."""
    return text if text.isprintable() else "".join(char if _is_shown(char) else "?" for char in text)


def printable_lines(text: str) -> str:
    """Return ``printable`` text that keeps its line ends and tabs."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(char if char in "\n\t" or _is_shown(char) else "?" for char in text)


def one_line(text: str) -> str:
    """Return ``text`` as a string of an ad: one line without control characters, which logs and events can hold.

    Line ends and other control characters that separate words become spaces, the rest, and what is no character, "?".
    """
    if text.isprintable():
        return text
    return "".join(char if _fits(char) else " " if char.isspace() else "?" for char in text.strip("\r\n"))


def escaped_lines(text: str) -> str:
    r"""Return ``text`` for a log: a control character is written as ``\x1b``, tabs that indent no line are spaces."""
    lines = text.split("\n\t")
    return "\n\t".join(_escaped_line(line.replace("\t", " ")) for line in lines)


def _escaped_line(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char == "\n" or _is_shown(char) else _escaped(char) for char in text)


def _is_shown(char: str) -> bool:
    """Return whether a terminal shows the character; the spaces of all languages are shown."""
    if char.isprintable():
        return True
    import unicodedata

    return unicodedata.category(char) == "Zs"


def _fits(char: str) -> bool:
    if char.isprintable() or _FIRST_BYTE <= char <= _LAST_BYTE:
        return True
    import unicodedata

    return unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")


def _escaped(char: str) -> str:
    if _FIRST_BYTE <= char <= _LAST_BYTE:
        return f"\\x{ord(char) & 0xFF:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


#: The largest number of an ad.
LARGEST = 2**63 - 1
#: Digits of a number that is surely below it.
_SURELY = 18


def as_integer(word: str) -> int:
    """The number of digits with or without a sign; one beyond those of ads is the largest or smallest of them, as C has
    it (Python refuses to read thousands of digits). ValueError for another word."""
    if len(word) <= _SURELY:
        return int(word)
    bare = word.strip()
    digits = bare[1:] if bare[:1] in ("+", "-") else bare
    if not digits.isdecimal():
        raise ValueError(f"not a whole number: {word[:_SURELY]}...")
    short = digits.lstrip("0")
    number = LARGEST if len(short) > _SURELY + 1 else min(int(short or "0"), LARGEST)
    return -number if bare[0] == "-" else number


def as_amount(word: str) -> float:
    """The number of digits with or without a point; one beyond those of ads is the largest of them."""
    return min(float(word), float(LARGEST))


def leading_number(text: str) -> int:
    """Convert like C's atoi: a text that does not begin with a number is 0."""
    import re

    match = re.match(r"\s*[-+]?\d+", text, re.ASCII)
    return as_integer(match[0]) if match is not None else 0

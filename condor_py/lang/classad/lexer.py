"""Text to tokens, in the two dialects of strings: old (``-long``, job queue) and new (``[ a = 1 ]``).

A token is ``(kind, value, offset)``. Kinds: ``int real str id`` with their value, ``lit`` for true, false, undefined
and error, an operator or bracket spelled as itself (``is`` and ``=?=`` both read ``=?=``), ``end``, and ``bad`` for
what is no token; nothing is read past a bad token.
"""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, TypeAlias

Token: TypeAlias = "tuple[str, Any, int]"

# Atomic groups, not possessive repeats: those match wrongly in Python 3.11.0 to 3.11.4.
_SPACE = r"(?>(?:[ \t\n\v\f\r]+|//[^\n\0]*|/\*(?s:.)*?\*/)*)"


@cache
def _skip() -> re.Pattern[str]:
    import re

    return re.compile(_SPACE)


_OLD_STRING = r'"(?P<str>(?>(?:[^"\0]|(?<=\\)"(?=[^\n\0]))*))"' r"|'(?P<qid>(?>(?:[^'\0]|(?<=\\)'(?=[^\n\0]))*))'"
_NEW_STRING = r'"(?P<str>(?>(?:[^"\\\0]|\\[^\0])*))"' r"|'(?P<qid>(?>(?:[^'\\\0]|\\[^\0])*))'"
_REST = (
    r"|(?P<num>(?:\.\.[0-9]+|(?:[0-9]+|(?=\.[0-9]))(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op>(?!/[*])(?:\.\."
    r"|=\?=|=!=|==|=|!=|!|<=|<<|<|>>>|>>|>=|>|&&|&|\|\||\||\?[ \t\n\v\f\r]*:|[-+*/%~^?:;,.(){}\[\]]))"
)


@cache
def _old() -> re.Pattern[str]:
    import re

    return re.compile(f"{_SPACE}(?:{_OLD_STRING}{_REST})")


@cache
def _new() -> re.Pattern[str]:
    import re

    return re.compile(f"{_SPACE}(?:{_NEW_STRING}{_REST})")


#: Groups that span their whole token; those of strings leave out the quotes.
_BARE = frozenset(("num", "word", "op"))


@cache
def _number_pattern() -> re.Pattern[str]:
    import re

    return re.compile(r"([0-9]+)(\.[0-9]+)?([eE][+-]?[0-9]+)?|(\.[0-9]+)([eE][+-]?[0-9]+)?")


@cache
def _hex_pattern() -> re.Pattern[str]:
    import re

    return re.compile(r"0[xX][0-9a-fA-F]*")


@cache
def hex_real() -> re.Pattern[str]:
    """A real in hexadecimal. HTCondor reads an ``e`` as one more digit, and drops a sign after it with what follows."""
    import re

    return re.compile(r"(0[xX][0-9a-fA-F]+\.[0-9]+([eE](?=[+-]?[0-9])[0-9]*)?)(?:(?<=[eE])[+-][0-9]+)?")


def from_hex(text: str) -> float:
    """The value of a hexadecimal real, infinite beyond the largest one as in C."""
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")


@cache
def _dots() -> re.Pattern[str]:
    """HTCondor reads two dots before a digit as the beginning of a real, whose value is then 0."""
    import re

    return re.compile(r"\.\.[0-9]+(?:[eE][+-]?[0-9]+)?")


#: No whole number of 64 bits has more; Python refuses to read thousands.
_MOST_DIGITS = 19

#: After one of these a minus is an operator; anywhere else it may start a number.
_OPERANDS = frozenset(("int", "real", "lit", "str", "id", ".", "]", ")", "}"))

_WORDS: dict[str, tuple[str, Any]] = {
    "true": ("lit", True),
    "false": ("lit", False),
    "undefined": ("lit", UNDEFINED),
    "error": ("lit", ERROR),
    "is": ("=?=", None),
    "isnt": ("=!=", None),
}


@cache
def _escape() -> re.Pattern[str]:
    import re

    return re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|(?s:.))")


_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def tokenize(text: str, *, old: bool = True, start: int = 0, one_ad: bool = False) -> list[Token]:
    """Return the tokens of ``text`` from ``start``; ``one_ad`` stops behind the bracket that closes the first one."""
    tokens: list[Token] = []
    nesting = 0
    scan = (_old() if old else _new()).match
    limit = text.find("\0", start)
    end = limit if limit >= 0 else len(text)
    kind = "end"
    pos = start
    while True:
        match = scan(text, pos, end)
        group = None if match is None else match.lastgroup
        if match is None or group is None:
            tokens.append(_nothing(text, pos, end))
            return tokens
        begin = match.start(group) if group in _BARE else match.start(group) - 1
        if group == "word":
            word = match[group]
            kind, value = _WORDS.get(word.lower()) or ("id", word)
            pos = match.end()
        elif group == "op":
            kind, value, pos = match[group], None, match.end()
            if kind == "-" and _negative(text, pos, tokens):
                number = scan(text, pos, end)
                assert number is not None
                kind, value, pos = _number(text, pos, number.end(), True)
            elif kind[0] == "?" and len(kind) > 1:
                kind = "?:"
            elif kind == "..":
                kind = "."
        elif group == "num":
            kind, value, pos = _number(text, begin, match.end(), False)
        elif old:
            kind, value, pos = _old_string(text, match, group, end)
        else:
            kind, value, pos = _new_string(text, match, group, end)
        tokens.append((kind, value, begin))
        if kind == "bad":
            return tokens
        if one_ad:
            nesting += (kind == "[") - (kind == "]")
            if nesting <= 0:
                tokens.append(("end", None, pos))
                return tokens


def _nothing(text: str, pos: int, end: int) -> Token:
    """The token where none matches: the end, or a character or comment that does not belong here."""
    skipped = _skip().match(text, pos, end)
    pos = skipped.end() if skipped else pos
    return ("end" if pos >= end else "bad", None, pos)


def _negative(text: str, pos: int, tokens: list[Token]) -> bool:
    """Whether a minus before ``pos`` belongs to the number there."""
    return not (tokens and tokens[-1][0] in _OPERANDS) and _starts_number(text, pos)


def _starts_number(text: str, pos: int) -> bool:
    here = text[pos : pos + 1]
    if here == ".":
        here = text[pos + 1 : pos + 2]
    return here.isascii() and here.isdigit()


def _old_string(text: str, match: re.Match[str], group: str, end: int) -> tuple[str, Any, int]:
    """A string of the old dialect: a backslash only escapes a quote, and not one at the end of the line."""
    quote = '"' if group == "str" else "'"
    raw = match[group]
    if raw.endswith("\\") and match.end() < end and text[match.end()] != "\n":
        return ("bad", None, match.end())
    value = raw.replace("\\" + quote, quote) if "\\" in raw else raw
    return ("str" if group == "str" else "id", value, match.end())


def _new_string(text: str, match: re.Match[str], group: str, end: int) -> tuple[str, Any, int]:
    """A string of the new dialect: neighbouring strings are one, escapes are C's."""
    raw = match[group]
    pos = match.end()
    quote = '"' if group == "str" else "'"
    while True:
        probe = pos
        while probe < end and text[probe] in " \t\n\v\f\r":
            probe += 1
        if probe >= end or text[probe] != quote:
            break
        following = _new().match(text, probe, end)
        if following is None or following.lastgroup != group:
            return ("bad", None, probe)
        raw += following[group]
        pos = following.end()
    value = unescape(raw)
    return ("bad", None, pos) if value is None else ("str" if group == "str" else "id", value, pos)


def unescape(raw: str) -> str | None:
    """``raw`` with C escapes resolved; None when one of them is a zero byte."""
    if "\\" not in raw:
        return raw
    zero = False
    high = False

    def replace(match: re.Match[str]) -> str:
        nonlocal zero, high
        code = match[1]
        if not "0" <= code[0] <= "7":
            return _ESCAPED.get(code, code)
        byte = int(code, 8) & 255
        zero = zero or byte == 0
        high = high or byte > 127
        return chr(byte) if byte < 128 else chr(0xDC00 + byte)

    value = _escape().sub(replace, raw)
    if zero:
        return None
    if high:
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    return value


def _number(text: str, start: int, end: int, minus: bool) -> tuple[str, Any, int]:
    if _hex_pattern().match(text, start):
        return _hex(text, start, minus)
    if _dots().fullmatch(text, start, end):
        return ("real", 0.0, end)
    match = _number_pattern().match(text, start, end)
    if match is None or match.end() != end:
        return ("bad", None, start)
    raw = match.group()
    if match[1] is None or match[2] is not None or match[3] is not None:
        value = float(raw)
        return ("real", -value if minus else value, end)
    if raw[0] == "0" and len(raw) > 1 and ("8" in raw or "9" in raw or not minus):
        return ("bad", None, start)
    digits = raw.lstrip("0")
    number = int(digits or "0") if len(digits) <= _MOST_DIGITS else 0
    if minus:
        number = -number
    if not INT_MIN <= number <= INT_MAX:
        number = 0
    return ("int", number, end)


def _hex(text: str, start: int, minus: bool) -> tuple[str, Any, int]:
    """Read a hexadecimal number: a real has its value, an integer is read as its leading 0 or refused.

    Neither an exponent nor a dot may lack its digits.
    """
    real = hex_real().match(text, start)
    if real is not None:
        if real[2] is None and text[real.end() : real.end() + 1] in ("e", "E"):
            return ("bad", None, start)
        value = from_hex(real[1])
        return ("real", -value if minus else value, real.end())
    match = _hex_pattern().match(text, start)
    assert match is not None
    if match.end() == start + 2 or text.startswith(".", match.end()) or not minus:
        return ("bad", None, start)
    return ("int", 0, match.end())

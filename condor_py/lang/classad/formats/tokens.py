"""Tokens of a text one by one, and how far HTCondor's scanner has read when it has one.

HTCondor's readers of ads continue where the scanner stopped, and call a text ended when that is its end, also behind a
mistake. So a token tells how far was read for it: numbers, words and strings take a character more to see that they
end. Reading beyond the text gives its length + 1.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from condor_py.lang.classad.lexer import from_hex, hex_real, unescape
from condor_py.lang.classad.values import INT_MAX, INT_MIN

_SPACES = " \t\n\v\f\r"
_SKIP = re.compile(r"(?>(?:[ \t\n\v\f\r]+|//[^\n\0]*|/\*(?s:.)*?\*/)*)")
_BLANK = re.compile(r"[ \t\n\v\f\r]*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STRINGS = {
    '"': re.compile(r'(?>((?:[^"\\\0]|\\[^\0])*))"'),
    "'": re.compile(r"(?>((?:[^'\\\0]|\\[^\0])*))'"),
}
_NUMBER = re.compile(
    r"-?(?:(?P<hex>0[xX](?P<digits>[0-9A-Fa-f]*))|(?P<int>[0-9]+)?(?P<point>\.\.?)?(?(point)(?P<fraction>[0-9]*)))"
)
_EXPONENT = re.compile(r"[eE][+-]?(?P<power>[0-9]*)")
_STARTS_NUMBER = re.compile(r"-?\.?[0-9]|\.")
_TWO = re.compile(r">>|=\?|=!=")
_MAY_GO_ON = frozenset("&|<>=!?")
#: After one of these a minus is an operator; anywhere else it may start a number.
_OPERANDS = frozenset(("int", "real", "bool", "string", "null", "error", "id", ".", "]", ")", "}"))
_WORDS: dict[str, tuple[str, Any]] = {"true": ("bool", True), "false": ("bool", False), "error": ("error", None)}


class Token(NamedTuple):
    """``kind`` is string, id, int, real, bool, null, error, end, bad, or a character that represents itself."""

    kind: str
    value: Any
    start: int
    end: int
    #: How far the text was read to find this token.
    read: int
    raw: str = ""


def next_token(text: str, at: int, previous: str = "end", *, json: bool) -> Token:
    """The token at ``at``, behind white space and comments. ``previous`` is the kind of the one before."""
    skipped = _SKIP.match(text, at)
    start = skipped.end() if skipped else at
    if start >= len(text) or text[start] == "\0":
        return Token("end", None, start, start, len(text) + 1)
    first = text[start]
    if first == "/":
        unclosed = text.startswith("/*", start)
        return Token("bad" if unclosed else "/", None, start, start + 1, len(text) + 1 if unclosed else start + 2)
    if first in _STRINGS:
        return _string(text, start, json)
    number = _STARTS_NUMBER.match(text, start)
    if number is not None and not (first == "-" and previous in _OPERANDS):
        return _number(text, start, json)
    word = _WORD.match(text, start)
    if word is not None:
        kind, value = _WORDS.get(word.group().lower(), ("id", word.group()))
        if word.group().lower() == ("null" if json else "undefined"):
            kind = "null"
        return Token(kind, value, start, word.end(), word.end() + 1)
    read = start + 2 if first == "-" and previous not in _OPERANDS else _operator_read(text, start)
    return Token(first if first.isascii() else "bad", None, start, start + 1, read)


def _operator_read(text: str, start: int) -> int:
    if text[start] not in _MAY_GO_ON:
        return start + 1
    if text[start] == "?":  # a colon behind white space would belong to it
        blank = _BLANK.match(text, start + 1)
        return (blank.end() if blank else start + 1) + 1
    return start + (3 if _TWO.match(text, start) else 2)


def _string(text: str, start: int, json: bool) -> Token:
    """A string in quotes; in neighbouring strings only the last quote ends it."""
    quote = text[start]
    parts: list[str] = []
    at = start
    while at < len(text) and text[at] == quote:
        match = _STRINGS[quote].match(text, at + 1)
        if match is None:
            return Token("bad", None, start, at, len(text) + 1)
        parts.append(match[1])
        blank = _BLANK.match(text, match.end())
        at = blank.end() if blank else match.end()
    raw = "".join(parts)
    value = unescape_json(raw) if json else unescape(raw)
    kind = "bad" if value is None else "string" if quote == '"' else "id"
    return Token(kind, value, start, at, at + 1, raw)


def _number(text: str, start: int, json: bool) -> Token:
    """A number; one character more is read than it has."""
    match = _NUMBER.match(text, start)
    assert match is not None
    end = match.end()
    if match["hex"]:
        found = hex_real().match(text, match.start("hex"))
        if found is not None:
            value = from_hex(found[1])
            return Token("real", -value if text[start] == "-" else value, start, found.end(), found.end() + 1)
        # Read as decimal, which ends at the x; JSON knows no leading 0, but looks for it before the minus only.
        valid = match["digits"] and not (json and match.group()[0] == "0")
        return Token("int" if valid else "bad", 0 if valid else None, start, end, end + 1)
    whole = match["int"]
    if match["point"] and (not match["fraction"] or (whole and match["point"] == "..")):
        read = match.end("int") + 2 if whole else end + 1
        return Token("bad" if whole else ".", None, start, end, read)
    real = match["point"] is not None
    exponent = _EXPONENT.match(text, end) if whole or real else None
    if exponent is not None:
        end = exponent.end()
        if not exponent["power"]:
            return Token("bad", None, start, end, end + 1)
    digits = text[start:end]
    if real or exponent is not None:
        return Token("real", 0.0 if ".." in digits else float(digits), start, end, end + 1)
    if len(whole) > 1 and whole[0] == "0" and ("8" in whole or "9" in whole or digits[0] != "-"):
        return Token("bad", None, start, end, end + 1)
    number = int(digits) if len(whole) < 100 else INT_MAX + 1
    return Token("int", number if INT_MIN <= number <= INT_MAX else 0, start, end, end + 1)


_JSON_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}(?:\\u[dD][c-fC-F][0-9A-Fa-f]{2})?|(?s:.))")
_JSON_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def unescape_json(raw: str) -> str | None:
    """``raw`` with the escapes of JSON resolved; None for a zero byte and for ``\\u`` without four digits."""
    if "\\" not in raw:
        return raw
    wrong = False

    def replace(match: re.Match[str]) -> str:
        nonlocal wrong
        value = _json_character(match[1])
        wrong = wrong or value == "\0" or match[1] == "u"
        return value

    value = _JSON_ESCAPE.sub(replace, raw)
    return None if wrong else value


def _json_character(code: str) -> str:
    """The text of one escape. HTCondor makes other bytes of ``\\u0080`` and up: no text anybody could mean."""
    if code[0] != "u" or len(code) < 5:
        return _JSON_ESCAPED.get(code, code)
    first = int(code[1:5], 16)
    if len(code) > 5 and 0xD800 <= first < 0xDC00:
        return chr(0x10000 + ((first - 0xD800) << 10) + (int(code[7:], 16) - 0xDC00))
    if 0xD800 <= first < 0xE000:
        return "�"
    return chr(first) + ("�" if len(code) > 5 else "")

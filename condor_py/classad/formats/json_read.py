"""JSON to ads. Commas too many are forgiven, comments are skipped, ``"\\/Expr(…)\\/"`` is an expression."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from condor_py.classad.errors import ClassAdParseError
from condor_py.classad.nodes import AdNode, ListNode, Literal, Node
from condor_py.classad.parser import parse_node
from condor_py.classad.record import Binding
from condor_py.classad.values import INT_MAX, INT_MIN, UNDEFINED

if TYPE_CHECKING:
    from condor_py.classad.ad import ClassAd

_SPACE = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|/\*(?s:.)*?\*/)*")
_STRING = re.compile(r'"((?:[^"\\]|\\(?s:.))*)"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])")
_WORD = re.compile(r"[A-Za-z_]+")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}(?:\\u[dD][c-fC-F][0-9A-Fa-f]{2})?|(?s:.))")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MAX_NESTING = 200


def next_json(text: str, start: int) -> tuple[ClassAd | None, int]:
    """The object at ``start``, which may stand in an array; (None, length) at the end."""
    from condor_py.classad.ad import ClassAd

    reader = _Reader(text, start)
    reader.skip()
    while reader.at < len(text) and text[reader.at] in "[],":
        reader.at += 1
        reader.skip()
    if reader.at >= len(text):
        return None, len(text)
    node = reader.ad()
    ad = ClassAd()
    for name, item in node.items:
        ad.put(Binding(name, None, item))
    return ad, reader.at


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.nesting = 0

    def error(self, message: str) -> ClassAdParseError:
        return ClassAdParseError(message, self.text, self.at)

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def take(self, char: str) -> bool:
        """Steps over ``char`` where it is next."""
        self.skip()
        if self.text.startswith(char, self.at):
            self.at += 1
            return True
        return False

    def value(self) -> Node:
        self.skip()
        first = self.text[self.at : self.at + 1]
        if first == "{":
            return self.ad()
        if first == "[":
            return self.array()
        if first == '"':
            return self.string_value()
        match = _NUMBER.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            return Literal(_number(match))
        match = _WORD.match(self.text, self.at)
        constants: dict[str, Any] = {"true": True, "false": False, "null": UNDEFINED}
        if match is None or match.group().lower() not in constants:
            raise self.error("expected a JSON value")
        self.at = match.end()
        return Literal(constants[match.group().lower()])

    def raw_string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.error("expected a string")
        self.at = match.end()
        return match[1]

    def string_value(self) -> Node:
        begin = self.at
        raw = self.raw_string()
        value = self.unescaped(raw)
        marked = raw.startswith("\\/") and raw.endswith("\\/") and len(raw) >= 4
        if not marked or value[:6].lower() != "/expr(" or not value.endswith(")/"):
            return Literal(value)
        try:
            return parse_node(value[6:-2], old=False)
        except ClassAdParseError as error:
            self.at = begin
            raise self.error(f"bad expression in a JSON string: {error}") from error

    def unescaped(self, raw: str) -> str:
        if "\\" not in raw:
            return raw
        value = _ESCAPE.sub(_unescape, raw)
        if "\0" in value:
            raise self.error("a string cannot hold a zero byte")
        return value

    def enter(self) -> None:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise self.error("JSON is nested too deeply")

    def array(self) -> ListNode:
        self.enter()
        self.at += 1
        items: list[Node] = []
        while not self.take("]"):
            items.append(self.value())
            if not self.take(",") and not self.text.startswith("]", self.at):
                raise self.error("expected ',' or ']'")
        self.nesting -= 1
        return ListNode(items)

    def ad(self) -> AdNode:
        self.enter()
        if not self.take("{"):
            raise self.error("expected '{'")
        items: list[tuple[str, Node]] = []
        while True:
            while self.take(","):
                pass
            if self.take("}"):
                self.nesting -= 1
                return AdNode(items)
            name = self.unescaped(self.raw_string())
            if not name or not self.take(":"):
                raise self.error("expected a name and ':'")
            items.append((name, self.value()))
            self.skip()
            if self.text[self.at : self.at + 1] not in (",", "}"):
                raise self.error("expected ',' or '}'")


def _number(match: re.Match[str]) -> int | float:
    if match[1] or match[2]:
        return float(match.group())
    number = int(match.group())
    return number if INT_MIN <= number <= INT_MAX else 0


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] != "u" or len(code) < 5:
        return _ESCAPED.get(code, code)
    first = int(code[1:5], 16)
    if len(code) > 5 and 0xD800 <= first < 0xDC00:
        return chr(0x10000 + ((first - 0xD800) << 10) + (int(code[7:], 16) - 0xDC00))
    if 0xD800 <= first < 0xE000:
        return "�"
    if len(code) > 5:
        return chr(first) + "�"
    return chr(first)

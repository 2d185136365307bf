"""JSON: constants, lists and ads as JSON values, every other expression as the string ``"\\/Expr(…)\\/"``."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.formats.tokens import Token, next_token
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node, Ternary
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.record import Binding, constant
from condor_py.lang.classad.unparse import real_text, unparse, value_text
from condor_py.lang.classad.values import UNDEFINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence
    from typing import Any


@cache
def _special() -> re.Pattern[str]:
    import re

    return re.compile(r'[\x01-\x1f"\\]')


_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def escape(text: str) -> str:
    """``text`` as it is written inside a JSON string; characters outside ASCII stay as they are."""
    return _special().sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return _ESCAPES.get(char) or f"\\u00{ord(char):02X}"


def ad_to_json(bindings: Iterable[Binding], *, oneline: bool = False) -> str:
    """One ad in the given order: indented by two, or on one line (the JSON-lines form)."""
    out: list[str] = []
    _write_ad([(binding.name, binding.node) for binding in bindings], out, 0, oneline)
    return "".join(out)


def _write_ad(items: Sequence[tuple[str, Node]], out: list[str], indent: int, oneline: bool) -> None:
    out.append("{")
    inner = "" if oneline else "\n" + " " * (indent + 2)
    for index, (name, node) in enumerate(items):
        out.append(f'{"," if index else ""}{inner}"{escape(name)}": ')
        _write(node, out, indent + 2, oneline)
    out.append("}" if oneline else "\n" + " " * indent + "}")


def _write(node: Node, out: list[str], indent: int, oneline: bool) -> None:
    if isinstance(node, Literal):
        out.append(_constant(constant(node)))
    elif isinstance(node, AdNode):
        _write_ad(node.items, out, indent, oneline)
    elif isinstance(node, ListNode):
        out.append("[")
        inner = "" if oneline else "\n" + " " * (indent + 2)
        for index, item in enumerate(node.items):
            out.append(("," if index else "") + inner)
            _write(item, out, indent + 2, oneline)
        out.append("]" if oneline else "\n" + " " * indent + "]")
    else:
        out.append(_expression(unparse(node, old=False)))


def _expression(text: str) -> str:
    return f'"\\/Expr({escape(text)})\\/"'


def _constant(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return f'"{escape(value)}"'
    if kind is float:
        text = real_text(value, old=True)
        return _expression(text) if text[0] == "r" else text
    if kind in (bool, int):
        return value_text(value)
    if value is UNDEFINED:
        return "null"
    return _expression(value_text(value, old=False))


_MAX_NESTING = 200
_CONSTANTS = frozenset(("int", "real", "bool"))


class JsonParser:
    """Reads one object. ``at`` is how far the text was read, ``kind`` the kind of the last token, after errors too."""

    def __init__(self, text: str, at: int, kind: str = "end") -> None:
        self.text = text
        self.at = at
        self.kind = kind
        self._nesting = 0
        self._start = at
        self._next: Token | None = None

    def _peek(self) -> Token:
        token = self._next
        if token is None:
            token = self._next = next_token(self.text, self._start, self.kind, json=True)
            self.at, self.kind = token.read, token.kind
        return token

    def _take(self) -> Token:
        token = self._peek()
        self._next = None
        self._start = token.end
        return token

    def _error(self, message: str, token: Token) -> ClassAdParseError:
        return ClassAdParseError(message, self.text, token.start)

    def object(self) -> AdNode:
        """The next object. ClassAdParseError when it does not exist."""
        return self._ad()

    def _enter(self) -> None:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            error = self._error("JSON is nested too deeply", self._peek())
            self.kind = "bad"
            raise error

    def _ad(self) -> AdNode:
        self._enter()
        token = self._take()
        if token.kind != "{":
            raise self._error("expected '{'", token)
        items: list[tuple[str, Node]] = []
        while self._peek().kind != "}":
            while (name := self._take()).kind == "," and not items:
                pass
            if name.kind != "string":
                raise self._error("expected a name", name)
            if (colon := self._take()).kind != ":":
                raise self._error("expected ':'", colon)
            items.append((name.value, self._value()))
            if not name.value:
                raise self._error("an attribute needs a name", name)
            if self._peek().kind not in (",", "}"):
                raise self._error("expected ',' or '}'", self._peek())
            while self._peek().kind == ",":
                self._take()
        self._take()
        self._nesting -= 1
        return AdNode(items)

    def _array(self) -> ListNode:
        self._enter()
        self._take()
        items: list[Node] = []
        if self._peek().kind != "]":
            items.append(self._value())
        while self._peek().kind == ",":
            self._take()
            items.append(self._value())
        if (end := self._take()).kind != "]":
            raise self._error("expected ',' or ']'", end)
        self._nesting -= 1
        return ListNode(items)

    def _value(self) -> Node:
        token = self._peek()
        if token.kind == "{":
            return self._ad()
        if token.kind == "[":
            return self._array()
        if token.kind == "string":
            self._take()
            return self._string(token)
        if token.kind in _CONSTANTS:
            self._take()
            return Literal(token.value)
        if token.kind == "null":
            self._take()
            return Literal(UNDEFINED)
        raise self._error("expected a JSON value", token)

    def _string(self, token: Token) -> Node:
        value: str = token.value
        marked = len(token.raw) >= 4 and token.raw.startswith("\\/") and token.raw.endswith("\\/")
        if not marked or value[:6].lower() != "/expr(" or not value.endswith(")/"):
            return Literal(value)
        try:
            node = parse_node(value[6:-2], old=False, full=False)
            # As in HTCondor, what follows a choice between two values means nothing.
            return node if isinstance(node, Ternary) else parse_node(value[6:-2], old=False)
        except ClassAdParseError as error:
            raise self._error(f"bad expression in a JSON string: {error}", token) from error

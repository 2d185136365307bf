"""JSON to ads. Commas too many are forgiven, comments are skipped, ``"\\/Expr(…)\\/"`` is an expression."""

from __future__ import annotations

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.formats.tokens import Token, next_token
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node, Ternary
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.values import UNDEFINED

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
        """The next object. ClassAdParseError where there is none."""
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

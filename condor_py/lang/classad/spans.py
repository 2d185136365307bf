"""The position in its text of every part of an expression.

Trees do not carry positions: they are shared between texts. This walks a tree along the text it was parsed from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.values import AbsTime, RelTime

_SPACE = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|/\*(?s:.)*?\*/)*")
_TOKEN = re.compile(
    r'"(?:[^"]|(?<=\\)"(?=[^\n]))*"'
    r"|'(?:[^']|(?<=\\)'(?=[^\n]))*'"
    r"|[A-Za-z_][A-Za-z0-9_]*"
    r"|(?:[0-9]+|\.[0-9])(?:[xX][0-9a-fA-F]+)?[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?"
    r"|=\?=|=!=|==|!=|<=|<<|<|>>>|>>|>=|&&|\|\||\?[ \t\n\v\f\r]*:|[-+*/%&|^~!?:;,.(){}\[\]>=]"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Part(NamedTuple):
    """A node with the offsets of its text (start, end), and its parts in order of the text."""

    node: Node
    start: int
    end: int
    parts: tuple[Part, ...] = ()

    def walk(self) -> Iterator[Part]:
        """This part and all below it, outermost first, in order of the text."""
        work = [self]
        while work:
            part = work.pop()
            yield part
            work.extend(reversed(part.parts))


def locate(text: str) -> Part:
    """The tree of the expression ``text`` (old format) with positions. ClassAdParseError for bad text.

    The inside of nested ads (``[ a = 1 ]``) is not taken apart.
    """
    node = parse_node(text)
    return with_deep_stack(lambda: _Walk(text).part(node))


class _Walk:
    """Consumes the tokens of the text in the order in which the tree must have been made of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.index = 0

    def take(self, count: int = 1) -> None:
        self.index += count

    def peek(self) -> str:
        start, end = self.tokens[self.index]
        return self.text[start:end]

    def part(self, node: Node) -> Part:
        start = self.tokens[self.index][0]
        if isinstance(node, Binary):
            return self.binary(node)
        parts = tuple(self.inside(node))
        return Part(node, start, self.tokens[self.index - 1][1], parts)

    def binary(self, node: Binary) -> Part:
        """Down the left side in a loop: chains may have thousands of links."""
        start = self.tokens[self.index][0]
        spine = [node]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        left = self.part(spine[-1].left)
        for link in reversed(spine):
            self.take()
            right = self.part(link.right)
            if link.op == "[]":
                self.take()
            left = Part(link, start, self.tokens[self.index - 1][1], (left, right))
        return left

    def inside(self, node: Node) -> Iterator[Part]:
        if isinstance(node, Literal):
            self.literal(node)
        elif isinstance(node, Attr):
            if node.scope is not None:
                yield self.part(node.scope)
            self.take(2 if node.scope is not None or node.absolute else 1)
        elif isinstance(node, (Paren, Unary)):
            self.take()
            yield self.part(node.inner)
            self.take(1 if isinstance(node, Paren) else 0)
        elif isinstance(node, Ternary):
            yield self.part(node.test)
            self.take()
            yield self.part(node.yes)
            self.take()
            yield self.part(node.no)
        elif isinstance(node, Call):
            self.take()
            yield from self.sequence(node.args)
        elif isinstance(node, ListNode):
            yield from self.sequence(node.items)
        elif isinstance(node, AdNode):
            self.skip_brackets()

    def sequence(self, items: tuple[Node, ...]) -> Iterator[Part]:
        """Items between an opening bracket, separators and a closing bracket."""
        self.take()
        for item in items:
            yield self.part(item)
            self.take()
        if not items:
            self.take()

    def literal(self, node: Literal) -> None:
        first = self.peek()
        if isinstance(node.value, (AbsTime, RelTime)):
            self.take(4)
        else:
            self.take(2 if first == "-" else 1)

    def skip_brackets(self) -> None:
        depth = 0
        while True:
            token = self.peek()
            depth += (token in _CLOSING) - (token in _CLOSING.values())
            self.take()
            if depth == 0:
                return


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each token of a text that parses."""
    at = 0
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        token = _TOKEN.match(text, at)
        if token is None:
            return
        yield at, token.end()
        at = token.end()

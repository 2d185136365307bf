"""The indented form that ``str()`` of classad2 objects has."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.record import Record
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.unparse import attr_text, check_size, name_text, value_text, word_text

_AD_INDENT = 4
_LIST_INDENT = 3


def pretty(node: Node) -> str:
    """An expression with its lists and ads spread over lines."""

    check_size(node)
    if native is not None:
        text: str | None = native.unparse(node, False, True)
        if text is not None:
            return text

    def write() -> str:
        writer = _Writer()
        writer.node(node)
        return "".join(writer.out)

    return with_deep_stack(write)


def pretty_ad(ad: Record) -> str:
    """An ad's own attributes, one a line."""
    if native is not None:
        text: str | None = native.print_spread(ad.attrs)
        if text is not None:
            return text
    writer = _Writer()
    writer.ad((binding.name, binding.node) for binding in ad.bindings())
    return "".join(writer.out)


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.indent = 0

    def line(self, text: str) -> None:
        self.out.append("\n" + " " * self.indent + text)

    def node(self, node: Node) -> None:
        """Write a tree."""
        out = self.out
        if isinstance(node, Literal):
            out.append(value_text(node.value, old=False))
        elif isinstance(node, Binary):
            self.binary(node)
        elif isinstance(node, ListNode):
            self.items(node)
        elif isinstance(node, AdNode):
            self.ad(node.items)
        elif isinstance(node, Attr):
            if node.scope is not None:
                self.node(node.scope)
            out.append(attr_text(node, old=False))
        else:
            self.prefixed(node)

    def prefixed(self, node: Node) -> None:
        """Write what begins with a character or word of its own."""
        out = self.out
        if isinstance(node, Paren):
            out.append("(")
            self.node(node.inner)
            out.append(")")
        elif isinstance(node, Unary):
            out.append(" " + node.op)
            self.node(node.inner)
        elif isinstance(node, Ternary):
            self.node(node.test)
            out.append(" ? ")
            self.node(node.yes)
            out.append(" : ")
            self.node(node.no)
        elif isinstance(node, Call):
            out.append(word_text(node.name, old=False) + "(")
            for index, arg in enumerate(node.args):
                out.append("," if index else "")
                self.node(arg)
            out.append(")")

    def binary(self, node: Binary) -> None:
        """Write a chain of operators, in a loop."""
        spine: list[Binary] = []
        left: Node = node
        while isinstance(left, Binary):
            spine.append(left)
            left = left.left
        self.node(left)
        for link in reversed(spine):
            if link.op == "[]":
                self.out.append("[")
                self.node(link.right)
                self.out.append("]")
            else:
                self.out.append(f" { {'=?=': 'is', '=!=': 'isnt'}.get(link.op, link.op) } ")
                self.node(link.right)

    def items(self, node: ListNode) -> None:
        self.indent += _LIST_INDENT
        self.line("{")
        self.indent += _LIST_INDENT
        for index, item in enumerate(node.items):
            self.out.append("," if index else "")
            self.line("")
            self.node(item)
        self.indent -= _LIST_INDENT
        self.line("}")
        self.indent -= _LIST_INDENT

    def ad(self, items: Iterable[tuple[str, Node]]) -> None:
        self.indent += _AD_INDENT
        self.line("[")
        self.indent += _AD_INDENT
        for index, (name, item) in enumerate(items):
            self.out.append("; " if index else "")
            self.line(name_text(name, old=False) + " = ")
            self.node(item)
        self.indent -= _AD_INDENT
        self.line("]")
        self.indent -= _AD_INDENT

"""Trees and values to text: old format (``-long``, job queue) and new format (``[ a = 1 ]``, ``repr``)."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.values import AbsTime, ListValue, RelTime, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any


@cache
def _plain_name() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


_RESERVED = frozenset(("error", "false", "is", "isnt", "parent", "true", "undefined"))


#: What the new format writes for each byte of a text in UTF-8: C escapes, octal ones for what is not printable ASCII.
_ESCAPED = {byte: chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}" for byte in range(256)} | {
    ord("\a"): "\\a", ord("\b"): "\\b", ord("\f"): "\\f", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t",
    ord("\v"): "\\v", ord("\\"): "\\\\", ord('"'): '\\"',
}  # fmt: skip


def quote_string(text: str) -> str:
    """``text`` as a string of the old format: only the double quote is escaped."""
    return '"' + text.replace('"', '\\"') + '"' if '"' in text else f'"{text}"'


def quote_new(text: str) -> str:
    """``text`` as a string of the new format: C escapes, bytes outside ASCII in octal."""
    return '"' + escape_new(text) + '"'


def escape_new(text: str) -> str:
    """``text`` with the escapes of the new format."""
    if not text.isascii():
        text = text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text.translate(_ESCAPED)


def real_text(number: float, old: bool) -> str:
    """A real as the old format (``%.16G``, with ``.0`` when it would look like an integer) or the new one writes it."""
    if number == 0.0:
        return f"{number:.1f}"
    if number != number:
        return 'real("NaN")'
    if number in (_INF, -_INF):
        return 'real("INF")' if number > 0 else 'real("-INF")'
    if not old:
        return f"{number:.15E}"
    text = f"{number:.16G}"
    return text if "." in text or "E" in text else text + ".0"


_INF = float("inf")


def name_text(name: str, *, old: bool = True) -> str:
    """An attribute name in an expression, in single quotes where it is no plain identifier.

    The old format, as HTCondor's, has no escape in it but for the quote; here also for a line end, which no line has.
    """
    if is_plain_name(name):
        return name
    text = name.replace("\n", "\\n") if old else escape_new(name).replace('\\"', '"')
    return "'" + text.replace("'", "\\'") + "'"


def attr_text(node: Attr, *, old: bool = True) -> str:
    """A reference without what it is selected from."""
    if node.scope is None:
        return ("." if node.absolute else "") + name_text(node.name, old=old)
    point = " ." if isinstance(node.scope, Literal) and type(node.scope.value) is int else "."  # "1." is a number
    return point + word_text(node.name, old=old)


def word_text(name: str, *, old: bool = True) -> str:
    """The name of a selection or a function. HTCondor writes it as it is, also where nobody can read that again: a
    queue with ``a.b c`` in it would be damaged. "parent" is reserved elsewhere only."""
    return name if name.lower() == "parent" else name_text(name, old=old)


def is_plain_name(name: str) -> bool:
    """Whether a name needs no quotes."""
    return _plain_name().match(name) is not None and name.lower() not in _RESERVED


_MOST_NODES = 2_000_000


def check_size(*nodes: Node) -> None:
    """ClassAdEvaluationError for trees that are too large to be printed: lists of lists may share their parts."""
    if sum([node.size for node in nodes]) > _MOST_NODES:
        raise ClassAdEvaluationError("expression is too large to be printed")


def unparse(node: Node, *, old: bool = True) -> str:
    """The text of an expression: as the tools print it when ``old``, else as ``repr`` of classad2 prints it."""

    if node.size > _MOST_NODES:
        check_size(node)
    if native is not None:
        text: str | None = native.unparse(node, old)
        if text is not None:
            return text

    def write() -> str:
        out: list[str] = []
        _write(node, out, old)
        return "".join(out)

    return with_deep_stack(write)


def _write(node: Node, out: list[str], old: bool) -> None:
    if isinstance(node, Literal):
        out.append(value_text(node.value, old=old))
    elif isinstance(node, Attr):
        if node.scope is not None:
            _write(node.scope, out, old)
        out.append(attr_text(node, old=old))
    elif isinstance(node, Binary):
        _write_binary(node, out, old)
    elif isinstance(node, Paren):
        out.append("(")
        _write(node.inner, out, old)
        out.append(")")
    elif isinstance(node, Unary):
        out.append(" " + node.op)
        _write(node.inner, out, old)
    elif isinstance(node, Ternary):
        _write(node.test, out, old)
        out.append(" ? ")
        _write(node.yes, out, old)
        out.append(" : ")
        _write(node.no, out, old)
    elif isinstance(node, Call):
        out.append(word_text(node.name, old=old) + "(")
        _write_items(node.args, out, old)
        out.append(")")
    elif isinstance(node, ListNode):
        out.append("{ ")
        _write_items(node.items, out, old)
        out.append(" }")
    elif isinstance(node, AdNode):
        _write_ad(node.items, out, old)


def _write_items(items: tuple[Node, ...], out: list[str], old: bool) -> None:
    for index, item in enumerate(items):
        if index:
            out.append(",")
        _write(item, out, old)


def _write_ad(items: Any, out: list[str], old: bool) -> None:
    out.append("[ ")
    for index, (name, item) in enumerate(items):
        out.append(("; " if index else "") + name_text(name, old=old) + " = ")
        _write(item, out, old)
    out.append(" ]")


def _write_binary(node: Binary, out: list[str], old: bool) -> None:
    """Walks down the left side in a loop: chains of one operator may have thousands of links."""
    spine: list[Binary] = []
    left: Node = node
    while isinstance(left, Binary):
        spine.append(left)
        left = left.left
    _write(left, out, old)
    for link in reversed(spine):
        if link.op == "[]":
            out.append("[")
            _write(link.right, out, old)
            out.append("]")
            continue
        op = link.op if old else {"=?=": "is", "=!=": "isnt"}.get(link.op, link.op)
        out.append(f" {op} ")
        _write(link.right, out, old)


def value_text(value: Any, *, old: bool = True) -> str:
    """A value as text that reads back as the same value."""
    kind = type(value)
    if kind is str:
        return quote_string(value) if old else quote_new(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return real_text(value, old)
    if kind is Value:
        return "undefined" if value == Value.Undefined else "error"
    return _structured_text(value, old)


def _structured_text(value: Any, old: bool) -> str:
    if isinstance(value, (AbsTime, RelTime)):
        from condor_py.lang.classad.times import format_abs_time, format_rel_time

        if isinstance(value, AbsTime):
            return f'absTime("{format_abs_time(value)}")'
        return f'relTime("{format_rel_time(value.span)}")'
    out: list[str] = []
    if isinstance(value, ListValue):
        check_size(*value.items)
        out.append("{ ")
        _write_items(value.items, out, old)
        out.append(" }")
    else:
        _write_ad([(binding.name, binding.node) for binding in value.bindings()], out, old)
    return "".join(out)

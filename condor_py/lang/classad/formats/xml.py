"""XML: ``<c>`` an ad, ``<a n="Name">`` an attribute, one tag a type of value, ``<e>`` any other expression."""

from __future__ import annotations

from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node
from condor_py.lang.classad.record import Binding, constant
from condor_py.lang.classad.times import format_abs_time
from condor_py.lang.classad.unparse import escape_new, real_text, unparse
from condor_py.lang.classad.values import ERROR, UNDEFINED, AbsTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

HEADER = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
FOOTER = "</classads>\n"


def escape(text: str) -> str:
    """``text`` for XML; quotes stay."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ad_to_xml(bindings: Iterable[Binding]) -> str:
    """One ad in the given order, indented by four, ended by a newline."""
    out: list[str] = []
    _write_ad([(binding.name, binding.node) for binding in bindings], out, 0)
    return "".join(out)


def _write_ad(items: Sequence[tuple[str, Node]], out: list[str], indent: int) -> None:
    out.append("<c>\n")
    for name, node in items:
        out.append(" " * (indent + 4) + f'<a n="{escape(escape_new(name))}">')
        _write(node, out, indent + 4)
        out.append("</a>\n")
    out.append(" " * indent + "</c>")
    if indent == 0:
        out.append("\n")


def _write(node: Node, out: list[str], indent: int) -> None:
    if isinstance(node, Literal):
        out.append(_constant(constant(node)))
    elif isinstance(node, AdNode):
        _write_ad(node.items, out, indent)
    elif isinstance(node, ListNode):
        out.append("<l>")
        for item in node.items:
            _write(item, out, indent)
        out.append("</l>")
    else:
        out.append(f"<e>{escape(unparse(node, old=False))}</e>")


def _constant(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return f"<s>{escape(escape_new(value)).replace(chr(92) + chr(34), chr(34))}</s>"
    if kind is bool:
        return f'<b v="{"t" if value else "f"}"/>'
    if kind is int:
        return f"<i>{value}</i>"
    if kind is float:
        return f"<r>{_real(value)}</r>"
    if value is UNDEFINED:
        return "<un/>"
    if value is ERROR:
        return "<er/>"
    if kind is AbsTime:
        return f"<at>{format_abs_time(value)}</at>"
    raise AssertionError(f"not a constant: {value!r}")


def _real(value: float) -> str:
    if value == 0.0:
        return "0.0"
    text = real_text(value, old=False)
    return {'real("NaN")': "NaN", 'real("INF")': "INF", 'real("-INF")': "-INF"}.get(text, text)

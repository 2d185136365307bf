"""JSON: constants, lists and ads as JSON values, every other expression as the string ``"\\/Expr(…)\\/"``."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node
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

"""Conditions on one attribute that cannot hold together: ``Memory > 8 && Memory < 4``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.lang.classad.checks.subject import Finding, Subject, bare, chains, is_constant
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.named import named
from condor_py.lang.classad.nodes import Attr, Binary, Unary
from condor_py.lang.classad.spans import Part
from condor_py.lang.classad.values import UNDEFINED, fold

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=", "=?=": "=?="}


class Allowed(NamedTuple):
    """The values of an attribute for which a condition is true.

    A number between ``low`` and ``high``, both included unless ``open_low`` or ``open_high``; or, where ``text`` is
    not None, that string without case. ``other_than`` turns it round; ``missing`` means undefined.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    text: str | None = None
    other_than: bool = False
    missing: bool = False


def check_contradictions(subject: Subject) -> Iterator[Finding]:
    """Pairs of conditions in a chain of ``&&`` of which at most one can be true."""
    for operands in chains(subject.root, "&&"):
        seen: list[tuple[tuple[str, str], Allowed, Part]] = []
        for part in operands:
            found = allowed(part)
            if found is None:
                continue
            name, values = found
            against = [before for other, known, before in seen if other == name and not _overlap(known, values)]
            if against:
                yield subject.finding(
                    "contradiction", part, f"{subject.shown(part)} and {subject.shown(against[0])} are never both true",
                    "write || if one of them is enough, or leave one out",
                )  # fmt: skip
            seen.append((name, values, part))


def allowed(part: Part) -> tuple[tuple[str, str], Allowed] | None:
    """The attribute (scope and name in lower case) that a condition is about, and its values; None for others."""
    node = part.node
    if isinstance(node, Attr):
        return _about(part, Allowed(0.0, 0.0, other_than=True))
    if isinstance(node, Unary) and node.op == "!":
        return _about(bare(part.parts[0]), Allowed(0.0, 0.0))
    if not isinstance(node, Binary) or node.op not in _TURNED:
        return None
    left, right = bare(part.parts[0]), bare(part.parts[1])
    op = node.op
    if is_constant(left.node):
        left, right, op = right, left, _TURNED[op]
    if not is_constant(right.node):
        return None
    try:
        values = _values(op, ExprTree.of(right.node).raw())
    except ClassAdEvaluationError:
        return None
    return None if values is None else _about(left, values)


def _about(part: Part, values: Allowed) -> tuple[tuple[str, str], Allowed] | None:
    names = list(named(part.node)) if isinstance(part.node, Attr) else []
    if len(names) != 1 or (isinstance(part.node, Attr) and part.node.key != names[0][1].lower()):
        return None
    return (names[0][0], names[0][1].lower()), values


def _values(op: str, value: object) -> Allowed | None:
    if value is UNDEFINED:
        return Allowed(missing=True) if op == "=?=" else None
    if isinstance(value, str):
        return Allowed(text=fold(value), other_than=op == "!=") if op in ("==", "=?=", "!=") else None
    if type(value) not in (bool, int, float):
        return None
    number = float(value)  # type: ignore[arg-type]  # one of the three types above
    if op in ("<", "<="):
        return Allowed(high=number, open_high=op == "<")
    if op in (">", ">="):
        return Allowed(low=number, open_low=op == ">")
    return Allowed(number, number, other_than=op == "!=")


def _overlap(a: Allowed, b: Allowed) -> bool:
    """Whether some value satisfies both."""
    if a.missing or b.missing:
        return a.missing and b.missing
    if (a.text is None) != (b.text is None):
        return False
    if a.other_than or b.other_than:
        if a.other_than and b.other_than:
            return True
        one, other = (a, b) if a.other_than else (b, a)
        if one.text is not None:
            return one.text != other.text
        return not (other.low == other.high == one.low)
    if a.text is not None:
        return a.text == b.text
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low < high:
        return True
    closed = not any(part.open_low and part.low == low for part in (a, b))
    return low == high and closed and not any(part.open_high and part.high == high for part in (a, b))

"""The conversions of classad2 between this package's values and Python's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node
from condor_py.lang.classad.record import Face, Record, constant, record_of
from condor_py.lang.classad.values import ERROR, UNDEFINED, AbsTime, ListValue, RelTime, Value

if TYPE_CHECKING:
    from datetime import datetime


def to_python(value: Any) -> Any:
    """A value as classad2 returns it.

    Absolute times become aware datetimes in UTC, relative times floats; in lists, constants become values and
    everything else an ExprTree; an ad becomes a ClassAd of its own.
    """
    kind = type(value)
    if kind is AbsTime:
        from datetime import UTC, datetime

        try:
            return datetime.fromtimestamp(value.secs, UTC)
        except (ValueError, OverflowError):  # a year that Python has not
            return ERROR
    if kind is RelTime:
        return value.secs
    if kind is ListValue:
        return [node_to_python(item) for item in value.items]
    if isinstance(value, Record):
        return _loose_ad(value)
    return value


def node_to_python(node: Node) -> Any:
    """A constant, list or ad as a Python value; any other expression as an ExprTree."""
    if isinstance(node, Literal):
        return to_python(constant(node))
    if isinstance(node, ListNode):
        return [node_to_python(item) for item in node.items]
    if isinstance(node, AdNode):
        return _loose_ad(record_of(node, None))
    return Face.tree.of(node)


def _loose_ad(record: Record) -> Any:
    """A ClassAd: a copy of the ad (chained to the same parent), out of the ad that it was nested in."""
    ad = Face.ad()
    ad.attrs = dict(record.attrs)
    ad.parent = record.parent
    return ad


def from_python(value: Any) -> Node:
    """The tree of a Python value. None is undefined; TypeError where there is no such ClassAd value."""
    kind = type(value)
    if kind in (bool, float, Value):
        return Literal(value)
    if kind is int:
        if not -(1 << 63) <= value < (1 << 63):
            raise OverflowError("integers of a ClassAd have 64 bits")
        return Literal(value)
    if value is None:
        return Literal(UNDEFINED)
    if isinstance(value, Face.tree):
        node: Node = value.node
        return node
    if isinstance(value, Record):
        return AdNode([(binding.name, binding.node) for binding in value.bindings()])
    if isinstance(value, str):
        return Literal(str(value))
    if isinstance(value, bytes):
        return Literal(value.decode("utf-8", "surrogateescape"))
    if isinstance(value, Value):
        return Literal(value)
    if isinstance(value, bool):
        return Literal(bool(value))
    if isinstance(value, int):
        return from_python(int(value))
    if isinstance(value, float):
        return Literal(float(value))
    return _from_structure(value)


def _from_structure(value: Any) -> Node:
    from datetime import datetime

    if isinstance(value, datetime):
        return Literal(AbsTime(_utc_seconds(value), 0))
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("ClassAd keys are strings")
        return AdNode([(name, from_python(item)) for name, item in value.items() if name])
    if isinstance(value, Iterable):
        return ListNode([from_python(item) for item in value])
    raise ClassAdEvaluationError("Unable to convert Python object to a ClassAd expression.")


def _utc_seconds(moment: datetime) -> int:
    """Whole seconds since the epoch; a naive datetime is local time."""
    return int(moment.timestamp() // 1)

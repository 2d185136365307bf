"""Do two ads match, and how well."""

from __future__ import annotations

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.record import COMPUTED, Record
from condor_py.lang.classad.values import ERROR, RelTime, as_bool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from condor_py.lang.classad.nodes import Node


def _attribute(ad: Record, key: str, target: Record) -> Any:
    binding = ad.find(key)
    if binding is None:
        return None
    value = binding.value
    if value is not COMPUTED:
        return value
    try:
        return evaluate.run_binding(binding, ad, target)
    except ClassAdEvaluationError:
        return None


def requirements_match(left: Record, right: Record) -> bool:
    """Whether the Requirements of ``left`` accept ``right``: true, or a number or duration other than 0. Missing:
    False."""
    value = _attribute(left, "requirements", right)
    if type(value) is RelTime:
        return value.secs != 0.0
    return value is True or (value is not None and as_bool(value) is True)


def symmetric_match(left: Record, right: Record) -> bool:
    """Whether the Requirements of both accept each other."""
    return requirements_match(left, right) and requirements_match(right, left)


def symmetric_matches(ad: Record, others: Sequence[Record]) -> list[bool]:
    """``symmetric_match`` of an ad with each of the others."""
    return [symmetric_match(ad, other) for other in others]


def run_each(node: Node, ads: Sequence[Record], target: Record) -> list[Any]:
    """The value of a tree in each of the ads, matched with one; error beyond the limits."""
    return [_value(node, ad, target) for ad in ads]


def _value(node: Node, ad: Record, target: Record) -> Any:
    try:
        return evaluate.run(node, ad, target)
    except ClassAdEvaluationError:
        return ERROR


if native is not None and not TYPE_CHECKING:
    requirements_match, symmetric_match = native.requirements_match, native.symmetric_match
    symmetric_matches, run_each = native.symmetric_matches, native.run_each


def rank(ad: Record, target: Record, name: str = "Rank") -> float:
    """The value of ``name`` in ``ad`` as a number: booleans count 1 and 0, what is no number counts 0."""
    value = _attribute(ad, name.lower(), target)
    return float(value) if type(value) in (bool, int, float) else 0.0

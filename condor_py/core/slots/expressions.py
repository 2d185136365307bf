"""The few things that the startd asks of ClassAd expressions."""

from __future__ import annotations

from typing import Any

from condor_py.lang.classad import ClassAd, Value, finite, parse

_NUMERIC = (bool, int, float)


def evaluate(text: str, my: ClassAd, target: ClassAd | None) -> Any:
    """The value of ``text`` with ``my`` as MY and ``target`` as TARGET; an empty text is undefined."""
    if not text:
        return Value.Undefined
    return my.raw(parse(text), target)


def constant(text: str) -> Any:
    """The value of an expression that needs no ad."""
    return evaluate(text, ClassAd(), None)


def as_bool(value: object) -> bool | None:
    """A condition's value: numbers are true unless 0; None for everything that is no condition."""
    if isinstance(value, Value) or not isinstance(value, _NUMERIC):
        return None
    return bool(value)


def number(ad: ClassAd, name: str, target: ClassAd | None) -> float | None:
    """An attribute as a number; None when it is missing or no number."""
    return finite(ad.raw(name, target))


def text_of(value: object) -> str:
    """A string value; empty for everything else."""
    return value if isinstance(value, str) else ""

"""Between ads and text: what the tools ask of ads and expressions, in one place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from condor_py.classad.ad import ClassAd
from condor_py.classad.nodes import Attr, Node
from condor_py.classad.parser import parse_node
from condor_py.classad.unparse import unparse
from condor_py.classad.unparse import value_text as literal_text
from condor_py.classad.values import RelTime, real_to_int

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = frozenset(("true", "false", "undefined", "error"))


def is_attribute(text: str) -> bool:
    """True when ``text`` is nothing but an attribute name."""
    return _NAME.match(text) is not None and text.lower() not in _WORDS


@lru_cache(maxsize=512)
def check_expression(text: str) -> Node:
    """The tree of ``text``; raises ClassAdParseError."""
    return parse_node(text)


def is_reference(text: str) -> bool:
    """True when ``text`` is an attribute name or a scoped one (``MY.x``)."""
    return isinstance(check_expression(text), Attr)


def raw_text(text: str) -> str:
    """The expression ``text`` as the old format writes it."""
    return unparse(check_expression(text), old=True)


def number(value: Any) -> int | float | None:
    """``value`` as a number (booleans count as 0 and 1), else None."""
    if isinstance(value, bool):
        return int(value)
    return value if type(value) is int or type(value) is float else None


def integer(value: Any) -> int | None:
    """``value`` as an integer, reals truncated; None for what is no number."""
    found = number(value)
    return real_to_int(found) if isinstance(found, float) else found


def value_text(value: Any, *, quoted: bool = False) -> str:
    """``value`` as ``%v`` shows it (strings bare) or, ``quoted``, as ``%V`` does."""
    if isinstance(value, str) and not quoted:
        return value
    if isinstance(value, RelTime):
        value = value.secs
    return literal_text(value, old=True)


def text_of(ad: ClassAd, name: str) -> str | None:
    """The value of attribute ``name`` if it is a string."""
    value = ad.evaluate(name)
    return value if isinstance(value, str) else None


def int_of(ad: ClassAd, name: str) -> int | None:
    """The value of attribute ``name`` as an integer if it is a number."""
    return integer(ad.evaluate(name))


def float_of(ad: ClassAd, name: str) -> float | None:
    """The value of attribute ``name`` as a real if it is a number."""
    found = number(ad.evaluate(name))
    return None if found is None else float(found)


def true_of(ad: ClassAd, name: str) -> bool:
    """True when attribute ``name`` is true (or a number that is not 0)."""
    return bool(number(ad.evaluate(name)))

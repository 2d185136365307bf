"""Between ads and text: what the tools ask of ads and expressions, in one place."""

from __future__ import annotations

from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.nodes import Attr
from condor_py.lang.classad.unparse import value_text as literal_text
from condor_py.lang.classad.values import RelTime, real_to_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORDS = frozenset(("true", "false", "undefined", "error"))


def is_attribute(text: str) -> bool:
    """True when ``text`` is nothing but an attribute name."""
    return text.isidentifier() and text.isascii() and text.lower() not in _WORDS


def source_of(text: str) -> str | ExprTree:
    """Return ``text`` if it is the name of an attribute, else its expression. Raises ClassAdParseError."""
    return text if is_attribute(text) else parse(text)


def is_reference(text: str) -> bool:
    """True when ``text`` is an attribute name or a scoped one (``MY.x``)."""
    return is_attribute(text) or isinstance(parse(text).node, Attr)


def raw_text(text: str) -> str:
    """The expression ``text`` as the old format writes it."""
    return parse(text).text


def number(value: Any) -> int | float | None:
    """``value`` as a number (booleans count as 0 and 1), else None."""
    kind = type(value)
    if kind is bool:
        return int(value)
    if kind is int or kind is float:
        found: int | float = value
        return found
    return None


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


def is_true(value: Any) -> bool:
    """True for true and for numbers that are not 0, as constraints count."""
    return bool(number(value))

"""The operators on values. Strict operators give error for an error operand, else undefined for undefined.

Integers wrap at 64 bits. A real result of +infinity is error, -infinity is a value: HTCondor tests for one of them.
"""

from __future__ import annotations

import operator

from condor_py.lang.classad.errors import remember
from condor_py.lang.classad.values import (
    ERROR,
    INT_MAX,
    INT_MIN,
    UNDEFINED,
    AbsTime,
    ListValue,
    RelTime,
    Value,
    as_bool,
    fold,
    moment,
    wrap,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_INF = float("inf")
_NUMBERS = frozenset((bool, int, float))
_ARITHMETIC = frozenset((bool, int, float, AbsTime, RelTime))
_SCALARS = frozenset((bool, int, float, str, AbsTime, RelTime))


def exceptional(a: Any, b: Any) -> Value | None:
    """The result of a strict operator where an operand is error or undefined, else None."""
    if a is ERROR or b is ERROR:
        return Value.Error
    if a is UNDEFINED or b is UNDEFINED:
        return Value.Undefined
    return None


def arithmetic(op: str, a: Any, b: Any) -> Any:
    """``a op b`` for ``+ - * / %`` on any two values."""
    bad = exceptional(a, b)
    if bad is not None:
        return bad
    kind_a, kind_b = type(a), type(b)
    if kind_a not in _ARITHMETIC or kind_b not in _ARITHMETIC:
        return ERROR
    if kind_a is AbsTime or kind_b is AbsTime or kind_a is RelTime or kind_b is RelTime:
        return _time_arithmetic(op, a, b)
    if kind_a is float or kind_b is float:
        return _real_arithmetic(op, float(a), float(b))
    return _integer_arithmetic(op, int(a), int(b))


def _integer_arithmetic(op: str, a: int, b: int) -> Any:
    if op == "+":
        return wrap(a + b)
    if op == "-":
        return wrap(a - b)
    if op == "*":
        return wrap(a * b)
    if b == 0:
        return ERROR
    if a == INT_MIN and b == -1:
        return INT_MAX if op == "/" else 0
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if op == "/" else a - b * quotient


def _real_arithmetic(op: str, a: float, b: float) -> Any:
    if op == "+":
        result = a + b
    elif op == "-":
        result = a - b
    elif op == "*":
        result = a * b
    elif op == "/":
        result = _divide(a, b)
    else:
        return ERROR
    return ERROR if result == _INF else result


def _divide(a: float, b: float) -> float:
    """IEEE division, which Python refuses for zero."""
    if b != 0.0:
        return a / b
    if a != a or a == 0.0:
        return float("nan")
    negative = (a < 0) != (str(b)[0] == "-")
    return -_INF if negative else _INF


def _time_arithmetic(op: str, a: Any, b: Any) -> Any:
    kinds = (type(a), type(b))
    if op == "+" or op == "-":
        sign = 1 if op == "+" else -1
        if kinds == (AbsTime, RelTime):
            return moment(a.secs + sign * int(b.span), a.offset)
        if kinds == (RelTime, RelTime):
            return RelTime(a.secs + sign * b.secs)
        if op == "+" and kinds == (RelTime, AbsTime):
            return moment(b.secs + int(a.span), b.offset)
        if op == "-" and kinds == (AbsTime, AbsTime):
            return RelTime(a.secs - b.secs)
        return ERROR
    if kinds in ((RelTime, int), (RelTime, float)):
        if op == "*":
            return RelTime(a.secs * b)
        if op == "/":
            return RelTime(_divide(a.secs, float(b)))
    if op == "*" and kinds in ((int, RelTime), (float, RelTime)):
        return RelTime(a * b.secs)
    return ERROR


def negate(value: Any) -> Any:
    """Unary minus."""
    kind = type(value)
    if kind is int:
        return wrap(-value)
    if kind is float:
        return -value
    if kind is RelTime:
        return RelTime(-value.secs)
    return value if kind is Value else ERROR


def positive(value: Any) -> Any:
    """Unary plus: the value itself where it is a number or a duration."""
    return value if type(value) in (int, float, Value, RelTime) else ERROR


def logical_not(value: Any) -> Any:
    """``!``; numbers count as booleans."""
    if type(value) is Value:
        return value
    truth = as_bool(value)
    return ERROR if truth is None else not truth


def bitwise_not(value: Any) -> Any:
    """``~`` of an integer."""
    if type(value) is int:
        return ~value
    return value if type(value) is Value else ERROR


def combine(a: Any, b: Any, decisive: bool) -> Any:
    """``a && b`` (``decisive`` False) or ``a || b`` (True) once ``a`` is known not to decide alone, nor to be error.

    Undefined with the decisive value gives that value; a type that is no boolean gives error.
    """
    if a is not UNDEFINED:
        truth = as_bool(a)
        if truth is None:
            return ERROR
    if type(b) is not Value:
        other = as_bool(b)
        if other is None:
            return ERROR
        b = other
    if a is not UNDEFINED or type(b) is not bool:
        return b
    return decisive if b is decisive else UNDEFINED


def equal(a: Any, b: Any) -> Any:
    """``a == b``; strings without case."""
    return compare("==", a, b)


def compare(op: str, a: Any, b: Any) -> Any:
    """``a op b`` for the six strict comparisons."""
    bad = exceptional(a, b)
    if bad is not None:
        return bad
    kind_a, kind_b = type(a), type(b)
    if kind_a in _NUMBERS and kind_b in _NUMBERS:
        if kind_a is float or kind_b is float:
            return ORDER[op](float(a), float(b))
        return ORDER[op](a, b)
    if kind_a is str and kind_b is str:
        a, b = fold(a), fold(b)
        if a.isascii() and b.isascii():
            return ORDER[op](a, b)
        return ORDER[op](sort_key(a), sort_key(b))
    if kind_a is kind_b and kind_a in (AbsTime, RelTime):
        return ORDER[op](a.secs, b.secs)
    if kind_a is str or kind_b is str:
        remember("strings can only be compared to strings")
    return ERROR


def sort_key(text: str) -> bytes:
    """The bytes of ``text``, whose order is that of strings."""
    return text.encode("utf-8", "surrogateescape")


ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def identical(a: Any, b: Any) -> Any:
    """``a =?= b``: true only for the same type and value; never undefined. Lists and ads do not compare: error."""
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is Value:
        return bool(a is b)
    if kind in _SCALARS:
        return bool(a == b)
    return False if kind is ListValue and a.made is not b.made else ERROR


def not_identical(a: Any, b: Any) -> Any:
    """``a =!= b``."""
    result = identical(a, b)
    return result if result is ERROR else not result


def bitwise(op: str, a: Any, b: Any) -> Any:
    """``a op b`` for ``| & ^ << >> >>>`` on integers; shift counts are taken modulo 64 as the processor does."""
    bad = exceptional(a, b)
    if bad is not None:
        return bad
    if type(a) is not int or type(b) is not int:
        return ERROR
    if op == "|":
        return a | b
    if op == "&":
        return a & b
    if op == "^":
        return a ^ b
    if op == "<<":
        return wrap(a << (b & 63))
    if a >= 0:
        return a >> (b & 63)
    if op == ">>":
        return a >> min(64, b) if b > 0 else a
    return ((a >> 1) & INT_MAX) >> ((b - 1) & 63)


_BITWISE = frozenset(("|", "&", "^", "<<", ">>", ">>>"))
_ARITH_OPS = frozenset("+-*/%")


def apply(op: str, a: Any, b: Any) -> Any:
    """Any binary operator but the lazy ones on two values (subscripts need a scope, see evaluate)."""
    if op in _ARITH_OPS:
        return arithmetic(op, a, b)
    if op in ORDER:
        return compare(op, a, b)
    if op in _BITWISE:
        return bitwise(op, a, b)
    if op == "=?=":
        return identical(a, b)
    if op == "=!=":
        return not_identical(a, b)
    if op == "&&":
        return and_values(a, b)
    if op == "||":
        return or_values(a, b)
    raise AssertionError(f"not a binary operator on values: {op}")


def and_values(a: Any, b: Any) -> Any:
    """``a && b`` with both known."""
    if a is ERROR:
        return ERROR
    return False if as_bool(a) is False else combine(a, b, False)


def or_values(a: Any, b: Any) -> Any:
    """``a || b`` with both known."""
    if a is ERROR:
        return ERROR
    return True if as_bool(a) is True else combine(a, b, True)


UNARY: dict[str, Callable[[Any], Any]] = {
    "!": logical_not,
    "-": negate,
    "+": positive,
    "~": bitwise_not,
}


def apply_unary(op: str, value: Any) -> Any:
    """Any unary operator."""
    return UNARY[op](value)

"""Values that Python has no type for: undefined, error, the two times, and lists that are evaluated lazily.

Here a value is one of: ``bool``, ``int`` (signed 64 bit), ``float``, ``str`` (UTF-8, bytes that are not as
surrogate escapes), ``Value.Undefined``, ``Value.Error``, AbsTime, RelTime, ListValue or a Record (an ad).
"""

from __future__ import annotations

from enum import IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from condor_py.lang.classad.nodes import Node


class Value(IntEnum):
    """The two values outside every type."""

    Error = 1
    Undefined = 2


UNDEFINED = Value.Undefined
ERROR = Value.Error


def is_true(value: object) -> bool:
    """Whether a constraint or policy with this value holds: true, and numbers other than 0."""
    return type(value) in (bool, int, float) and bool(value)  # by type: Undefined and Error are numbers to isinstance


#: Types whose values are the same inside and outside of this package.
PLAIN = frozenset((bool, int, float, str, Value))

INT_MAX = (1 << 63) - 1
INT_MIN = -(1 << 63)


class AbsTime:
    """A moment: seconds since 1970-01-01 UTC, and the offset in seconds east of UTC in which it is shown."""

    __slots__ = ("offset", "secs")

    def __init__(self, secs: int, offset: int) -> None:
        self.secs = secs
        self.offset = offset

    def __eq__(self, other: object) -> bool:
        return type(other) is AbsTime and self.secs == other.secs and self.offset == other.offset

    def __hash__(self) -> int:
        return hash(("AbsTime", self.secs, self.offset))

    def __repr__(self) -> str:
        return f"AbsTime({self.secs!r}, {self.offset!r})"


#: Seconds up to which the C library has a year for a moment.
_LAST_MOMENT = 6e16


def moment(secs: int, offset: int) -> AbsTime | Value:
    """A point in time; error beyond all years."""
    return AbsTime(secs, offset) if abs(secs) < _LAST_MOMENT else ERROR


class RelTime:
    """A duration in seconds."""

    __slots__ = ("secs",)

    def __init__(self, secs: float) -> None:
        self.secs = float(secs)

    @property
    def span(self) -> float:
        """The seconds for parts, integers and texts: what no integer holds is the smallest of 32 bits there, as the x86
        conversion gives it."""
        return self.secs if abs(self.secs) < 1 << 63 else -2147483648.0

    def __eq__(self, other: object) -> bool:
        return type(other) is RelTime and self.secs == other.secs

    def __hash__(self) -> int:
        return hash(("RelTime", self.secs))

    def __repr__(self) -> str:
        return f"RelTime({self.secs!r})"


class ListValue:
    """A list: its element expressions and ``scope``, the Record in which they are evaluated (None for literals).

    ``made`` tells the result of a function from a list that was written: ``=?=`` takes them for different types.
    """

    __slots__ = ("items", "made", "scope")

    def __init__(self, items: tuple[Node, ...], scope: Any, made: bool = False) -> None:
        self.items = items
        self.scope = scope
        self.made = made

    def __len__(self) -> int:
        return len(self.items)


def wrap(number: int) -> int:
    """``number`` as signed 64-bit arithmetic would leave it."""
    if INT_MIN <= number <= INT_MAX:
        return number
    return ((number + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def real_to_int(number: float) -> int:
    """Truncation as the x86 conversion does it: what does not fit is the smallest integer."""
    if number != number or not -9.3e18 < number < 9.3e18:
        return INT_MIN
    whole = int(number)
    return whole if INT_MIN <= whole <= INT_MAX else INT_MIN


def real_to_int32(number: float) -> int:
    """Truncation to 32 bits as the x86 conversion does it."""
    return int(number) if -2147483649.0 < number < 2147483648.0 else -2147483648


def int32(number: int) -> int:
    """The low 32 bits of ``number``, signed."""
    return ((number + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def fold(text: str) -> str:
    """``text`` with A-Z lowered and nothing else touched, the way strcasecmp compares."""
    if text.isascii():
        return text.lower()
    return text.translate(_LOWER)


_LOWER = {code: code + 32 for code in range(65, 91)}


def as_bool(value: Any) -> bool | None:
    """True or False where ``value`` counts as a boolean (booleans and numbers), else None."""
    kind = type(value)
    if kind is bool:
        return bool(value)
    if kind is int or kind is float:
        return bool(value != 0)
    return None

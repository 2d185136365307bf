"""Functions on string lists: texts whose items are separated by commas and spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.functions import on_values
from condor_py.lang.classad.functions.types import strtod
from condor_py.lang.classad.values import ERROR, UNDEFINED, fold, real_to_int

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_SPACE = " \t\n\v\f\r"
#: The smallest and largest 32-bit reals, with which HTCondor starts its bounds.
_FLT_MIN = float.fromhex("0x1p-126")
_FLT_MAX = float.fromhex("0x1.fffffep127")


def tokens(text: str, delimiters: str) -> list[str]:
    """The items of ``text`` between ``delimiters``, without spaces around them; empty ones do not count."""
    found: list[str] = []
    start = 0
    skip = delimiters + _SPACE
    while start < len(text):
        while start < len(text) and text[start] in skip:
            start += 1
        end = start
        while end < len(text) and text[end] not in delimiters:
            end += 1
        if end > start:
            found.append(text[start:end].rstrip(_SPACE))
        start = end
    return found


def size(text: Any, delimiters: Any = ", ") -> Any:
    """stringListSize(list[, delimiters])."""
    if type(text) is not str or type(delimiters) is not str:
        return ERROR
    return len(tokens(text, delimiters))


def _without_digits(item: str) -> bool:
    """Whether ``item`` begins like a hexadecimal number and has no digit of one (``0x``), which scanf refuses."""
    number = item.lower().removeprefix("-").removeprefix("+")
    return number.startswith("0x") and number[2:3] not in tuple("0123456789abcdef.")


def _summary(start: float, join: Callable[[float, float], float], *, empty: Any, mean: bool = False) -> Function:
    """A number made of all items: a real if an item looks like one, else an integer."""

    def call(text: Any, delimiters: Any = ", ") -> Any:
        if type(text) is not str or type(delimiters) is not str:
            return ERROR
        result = start
        real = False
        items = tokens(text, delimiters)
        for item in items:
            number = strtod(item)
            if number is None or _without_digits(item):
                return ERROR
            real = real or bool(item.strip("+-0123456789"))
            result = join(number, result)
        if not items:
            return empty
        if mean:
            result /= len(items)
        return result if real else real_to_int(result)

    return on_values(call, 1, 2)


def _arguments(values: tuple[Any, ...]) -> Any:
    """The three strings of a membership test (undefined counts as empty), or the value to return."""
    if any(type(value) is not str and value is not UNDEFINED for value in values):
        return ERROR
    if values[0] is UNDEFINED and values[1] is UNDEFINED:
        return UNDEFINED
    item, text = ("" if value is UNDEFINED else value for value in values[:2])
    delimiters = values[2] if len(values) > 2 and values[2] is not UNDEFINED else ", \t\r\n"
    return item, text, delimiters


def _member(same: Callable[[str], str]) -> Function:
    def call(*values: Any) -> Any:
        known = _arguments(values)
        if type(known) is not tuple:
            return known
        item, text, delimiters = known
        return same(item) in [same(entry) for entry in tokens(text, delimiters)]

    return on_values(call, 2, 3)


def _subset(same: Callable[[str], str]) -> Function:
    def call(*values: Any) -> Any:
        known = _arguments(values)
        if type(known) is not tuple:
            return known
        item, text, delimiters = known
        if not item:
            return True
        wanted = tokens(item, delimiters)
        every = {same(entry) for entry in tokens(text, delimiters)}
        return bool(wanted) and all(same(entry) in every for entry in wanted)

    return on_values(call, 2, 3)


def intersect(first: Any, second: Any, delimiters: Any = "") -> Any:
    """stringListsIntersect(a, b[, delimiters]): whether they share an item."""
    if any(value is ERROR for value in (first, second, delimiters)):
        return ERROR
    if any(value is UNDEFINED for value in (first, second, delimiters)):
        return UNDEFINED
    if any(type(value) is not str for value in (first, second, delimiters)):
        return ERROR
    return not _plain_items(first, delimiters).isdisjoint(_plain_items(second, delimiters))


def _intersect(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """An argument that cannot be evaluated makes the result error: this function alone does not fail with it."""
    try:
        return _of_values(st, fns, args)
    except ClassAdEvaluationError:
        if st.steps < 0:
            raise
        return ERROR


_of_values = on_values(intersect, 2, 3)


def _plain_items(text: str, delimiters: str) -> set[str]:
    for char in delimiters or " ,":
        text = text.replace(char, "\0")
    return {item for item in text.split("\0") if item}


def _exact(text: str) -> str:
    return text


FUNCTIONS: dict[str, Function] = {
    "stringlistsize": on_values(size, 1, 2),
    "stringlistsum": _summary(0.0, lambda a, b: a + b, empty=0.0),
    "stringlistavg": _summary(0.0, lambda a, b: a + b, empty=0.0, mean=True),
    "stringlistmin": _summary(_FLT_MAX, min, empty=UNDEFINED),
    "stringlistmax": _summary(_FLT_MIN, max, empty=UNDEFINED),
    "stringlistmember": _member(_exact),
    "stringlistimember": _member(fold),
    "stringlistsubsetmatch": _subset(_exact),
    "stringlistisubsetmatch": _subset(fold),
    "stringlistsintersect": _intersect,
}

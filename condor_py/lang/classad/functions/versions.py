"""Version strings, compared so that numbers inside them count as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.functions import on_values
from condor_py.lang.classad.functions.types import to_string
from condor_py.lang.classad.values import ERROR, UNDEFINED

if TYPE_CHECKING:
    from condor_py.lang.classad.functions import Function

_ZERO, _NINE = 48, 57


def natural_compare(first: str, second: str) -> int:
    """Negative, 0 or positive as ``first`` orders before, with or after ``second``.

    Digits around the first difference are compared as a number, fewer leading zeros first; otherwise the result is
    the difference of the two bytes.
    """
    a = first.encode("utf-8", "surrogateescape") + b"\0"
    b = second.encode("utf-8", "surrogateescape") + b"\0"
    at = 0
    while a[at] and a[at] == b[at]:
        at += 1
    if a[at] == b[at]:
        return 0
    begin = at
    while begin > 0 and _digit(a[begin - 1]):
        begin -= 1
    mismatch = _signed(a[at]) - _signed(b[at])
    if begin == at and not (_digit(a[at]) and _digit(b[at])):
        return mismatch
    zeros_a, zeros_b = _zeros_end(a, begin), _zeros_end(b, begin)
    if zeros_a != zeros_b:
        return zeros_b - zeros_a
    if zeros_a > begin:
        return mismatch
    length_a, length_b = _number_end(a, zeros_a), _number_end(b, zeros_b)
    return length_a - length_b if length_a != length_b else mismatch


def _digit(byte: int) -> bool:
    return _ZERO <= byte <= _NINE


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _zeros_end(data: bytes, begin: int) -> int:
    """Behind the leading zeros; a final zero counts as a digit, not as leading."""
    end = begin
    while data[end] == _ZERO:
        end += 1
    return end - 1 if end > begin and not _digit(data[end]) else end


def _number_end(data: bytes, begin: int) -> int:
    end = begin
    while _digit(data[end]):
        end += 1
    return end


def _comparison(result: Callable[[int], Any]) -> Function:
    def call(a: Any, b: Any) -> Any:
        if a is UNDEFINED or b is UNDEFINED:
            return UNDEFINED
        first, second = to_string(a), to_string(b)
        if type(first) is not str or type(second) is not str:
            return ERROR
        return result(natural_compare(first, second))

    return on_values(call, 2)


def version_in_range(version: Any, least: Any, most: Any) -> Any:
    """Whether ``least`` <= ``version`` <= ``most``."""
    if least is UNDEFINED or most is UNDEFINED:
        return UNDEFINED
    texts = [to_string(value) for value in (version, least, most)]
    if any(type(text) is not str for text in texts):
        return ERROR
    return natural_compare(texts[1], texts[0]) <= 0 and natural_compare(texts[0], texts[2]) <= 0


FUNCTIONS: dict[str, Function] = {
    "versioncmp": _comparison(lambda order: order),
    "versionle": _comparison(lambda order: order <= 0),
    "versionlt": _comparison(lambda order: order < 0),
    "versionge": _comparison(lambda order: order >= 0),
    "versiongt": _comparison(lambda order: order > 0),
    "versioneq": _comparison(lambda order: order == 0),
    "version_in_range": on_values(version_in_range, 3),
}

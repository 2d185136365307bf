"""Functions on strings. Strings are bytes: positions and lengths count those of the UTF-8 form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.functions import charge_result, elements, list_of, on_values
from condor_py.lang.classad.functions.types import to_string
from condor_py.lang.classad.operators import sort_key
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue, fold, int32

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_UPPER = {code: code - 32 for code in range(97, 123)}


def strcat(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """strcat(…): the texts of all arguments; undefined as soon as one is."""
    parts: list[str] = []
    length = 0
    for fn in fns:
        text = to_string(fn(st))
        if type(text) is not str:
            return text
        parts.append(text)
        length += len(text)
        charge_result(st, length)
    return "".join(parts)


def join(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """join(sep, …), join(sep, list) or join(list): defined texts with ``sep`` between the non-empty ones."""
    separator = ""
    parts: list[str] = []
    length = 0
    undefined = defined = False
    for index, value in enumerate(_join_values(st, fns)):
        part = to_string(value)
        if part is ERROR:
            return ERROR
        if part is UNDEFINED:
            undefined = True
        elif index == 0:
            separator = part
        else:
            defined = True
            if parts:
                parts.append(separator)
            if parts or part:
                parts.append(part)
            length += len(separator) + len(part)
            charge_result(st, length)
    return UNDEFINED if undefined and not defined else "".join(parts)


def _join_values(st: State, fns: tuple[Fn, ...]) -> Iterator[Any]:
    """Separator and texts, one by one, so that nothing is evaluated behind an error."""
    if 1 <= len(fns) <= 2:
        last = fns[-1](st)
        if type(last) is ListValue:
            yield fns[0](st) if len(fns) == 2 else ""
            yield from elements(st, last)
            return
    for fn in fns:
        yield fn(st)


def _change_case(change: Callable[[str], str]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        text = to_string(value)
        return change(text) if type(text) is str else text

    return call


def upper(text: str) -> str:
    """``text`` with a-z raised and nothing else touched."""
    return text.upper() if text.isascii() else text.translate(_UPPER)


def substr(text: Any, offset: Any, length: Any = None) -> Any:
    """substr(text, offset[, length]): negative ones count from the end, a length of 0 is empty."""
    if text is UNDEFINED or offset is UNDEFINED or length is UNDEFINED:
        return UNDEFINED
    if type(text) is not str or type(offset) is not int or (length is not None and type(length) is not int):
        return ERROR
    data = text.encode("utf-8", "surrogateescape")
    size = len(data)
    offset = int32(offset)
    start = max(0, size + offset) if offset < 0 else min(offset, size)
    if length is None:
        end = size
    else:
        length = int32(length)
        end = min(start + length, size) if length >= 0 else size + length
    return data[start : max(start, end)].decode("utf-8", "surrogateescape")


def _compare(key: Callable[[str], Any]) -> Callable[[Any, Any], Any]:
    def call(a: Any, b: Any) -> Any:
        if a is UNDEFINED or b is UNDEFINED:
            return UNDEFINED
        first, second = to_string(a), to_string(b)
        if type(first) is not str or type(second) is not str:
            return ERROR
        x, y = key(first), key(second)
        return (x > y) - (x < y)

    return call


def split(text: Any, separators: Any = ", \t") -> Any:
    """split(text[, characters]): the parts; a separator given twice, and not a space, has an empty part between."""
    if type(text) is not str or type(separators) is not str:
        return ERROR
    parts: list[str] = []
    last = 0
    before = ""
    for index, char in enumerate(text):
        if char not in separators:
            continue
        if index > last:
            parts.append(text[last:index])
        elif before and char == before:
            parts.append("")
        if char not in " \t\n\v\f\r":
            before = char
        last = index + 1
    if last < len(text):
        parts.append(text[last:])
    return list_of(parts)


def _split_at(alone_first: bool) -> Callable[[Any], Any]:
    """splitUserName and splitSlotName: the two sides of the first ``@``."""

    def call(text: Any) -> Any:
        if type(text) is not str:
            return ERROR
        first, at, second = text.partition("@")
        if not at:
            first, second = (text, "") if alone_first else ("", text)
        return list_of((first, second))

    return call


FUNCTIONS: dict[str, Function] = {
    "strcat": strcat,
    "join": join,
    "toupper": on_values(_change_case(upper), 1),
    "tolower": on_values(_change_case(fold), 1),
    "substr": on_values(substr, 2, 3),
    "strcmp": on_values(_compare(sort_key), 2),
    "stricmp": on_values(_compare(lambda text: sort_key(fold(text))), 2),
    "split": on_values(split, 1, 2),
    "splitusername": on_values(_split_at(True), 1),
    "splitslotname": on_values(_split_at(False), 1),
}

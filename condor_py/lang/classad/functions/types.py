"""Type tests, conversions, and the functions that read expressions instead of values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.functions import on_values
from condor_py.lang.classad.lexer import from_hex
from condor_py.lang.classad.nodes import Attr, Ternary
from condor_py.lang.classad.pretty import pretty
from condor_py.lang.classad.record import Record
from condor_py.lang.classad.times import format_rel_time
from condor_py.lang.classad.unparse import value_text
from condor_py.lang.classad.values import ERROR, UNDEFINED, AbsTime, ListValue, RelTime, as_bool, real_to_int

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_FLOAT = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan))",
    re.I,
)
_HEX = re.compile(r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.I)


def strtod(text: str) -> float | None:
    """The number at the start of ``text`` as C reads it; None without one."""
    match = _HEX.match(text)
    if match is not None:
        return from_hex(match[1])
    match = _FLOAT.match(text)
    return None if match is None else float(match[1])


def _is(test: Callable[[Any], bool]) -> Function:
    return on_values(test, 1)


def to_integer(value: Any) -> Any:
    """int(): truncates reals, reads numbers at the start of strings."""
    kind = type(value)
    if kind is int:
        return value
    if kind is float:
        return real_to_int(value)
    if kind is bool:
        return int(value)
    if kind is str:
        number = strtod(value)
        return ERROR if number is None else real_to_int(number)
    if kind is AbsTime:
        return value.secs
    if kind is RelTime:
        return int(value.span)
    return UNDEFINED if value is UNDEFINED else ERROR


def to_real(value: Any) -> Any:
    """real(): also of "INF", "-INF" and "NaN"."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int or kind is bool:
        return float(value)
    if kind is str:
        number = strtod(value)
        return ERROR if number is None else number
    if kind is AbsTime:
        return float(value.secs)
    if kind is RelTime:
        return float(int(value.span))
    return UNDEFINED if value is UNDEFINED else ERROR


def to_string(value: Any) -> Any:
    """string(): text of any value, in the new format."""
    kind = type(value)
    if kind is str or value is UNDEFINED or value is ERROR:
        return value
    if kind is RelTime:
        return format_rel_time(int(value.span))
    text = value_text(value, old=False)
    return text[9:-2] if kind is AbsTime else text


def to_bool(value: Any) -> Any:
    """bool(): numbers, and the words true and false."""
    if value is UNDEFINED:
        return UNDEFINED
    kind = type(value)
    if kind is str:
        word = value.lower()
        if word in ("true", "false"):
            return word == "true"
        return UNDEFINED
    if kind is RelTime:
        return int(value.span) != 0
    truth = as_bool(value)
    return ERROR if truth is None else truth


def if_then_else(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """ifThenElse(test, yes, no): evaluates only the branch it needs."""
    if len(fns) != 3:
        return ERROR
    test = fns[0](st)
    if test is UNDEFINED:
        return UNDEFINED
    truth = as_bool(test)
    if truth is None:
        return ERROR
    return fns[1](st) if truth else fns[2](st)


#: What reading a text counts at least.
_PARSE_STEPS = 200


def eval_text(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """eval(text): the value of the expression in a string; of anything else its text is evaluated."""
    if len(fns) != 1:
        return ERROR
    value = to_string(fns[0](st))
    if type(value) is not str:
        return ERROR
    if st.rem <= 1:
        return ERROR
    try:
        node = _parse_for_eval(value)
    except ClassAdParseError:
        return ERROR
    st.rem -= 1
    st.steps -= node.size + _PARSE_STEPS
    if node.height > st.rem or st.steps < 0:
        raise evaluate.too_deep()
    result = evaluate.compiled(node)(st)
    st.rem += 1
    return result


def _parse_for_eval(text: str) -> Node:
    """The tree of ``text``. As in HTCondor, text behind a conditional (``a ? b : c``) is ignored, and refused
    elsewhere."""
    from condor_py.lang.classad.parser import parse_node

    try:
        return parse_node(text, old=False)
    except ClassAdParseError:
        node = parse_node(text, old=False, full=False)
        if isinstance(node, Ternary):
            return node
        raise


def unparse_attribute(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """unparse(name): the text of the expression of the attribute, "" for an unknown one."""
    if len(args) != 1 or not isinstance(args[0], Attr):
        return ERROR
    binding = None if st.ad is None else st.ad.find(pretty(args[0]).lower())
    return "" if binding is None else pretty(binding.node)


def find_binding(st: State, attr: Attr) -> tuple[Node, Record] | None:
    """The tree that a reference leads to, unevaluated, and the ad that it is in."""
    start: Any = st.ad if attr.scope is None else evaluate.compiled(attr.scope)(st)
    found = _find_from(start, attr.key)
    if found is None and attr.scope is None and st.left is not None and st.right is not None:
        if st.ad is st.left:
            return _find_from(st.right, attr.key)
        if st.ad is st.right:
            return _find_from(st.left, attr.key)
    return found


def _find_from(start: Any, key: str) -> tuple[Node, Record] | None:
    while isinstance(start, Record):
        binding = start.find(key)
        if binding is not None:
            return binding.node, start
        start = start.scope
    return None


def debug(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """debug(x): x. (HTCondor also logs the evaluation.)"""
    return fns[0](st) if len(fns) == 1 else ERROR


FUNCTIONS: dict[str, Function] = {
    "isundefined": _is(lambda v: v is UNDEFINED),
    "iserror": _is(lambda v: v is ERROR),
    "isstring": _is(lambda v: type(v) is str),
    "isinteger": _is(lambda v: type(v) is int),
    "isreal": _is(lambda v: type(v) is float),
    "islist": _is(lambda v: type(v) is ListValue),
    "isclassad": _is(lambda v: isinstance(v, Record)),
    "isboolean": _is(lambda v: type(v) is bool),
    "isabstime": _is(lambda v: type(v) is AbsTime),
    "isreltime": _is(lambda v: type(v) is RelTime),
    "int": on_values(to_integer, 1),
    "real": on_values(to_real, 1),
    "string": on_values(to_string, 1),
    "bool": on_values(to_bool, 1),
    "ifthenelse": if_then_else,
    "eval": eval_text,
    "unparse": unparse_attribute,
    "debug": debug,
}

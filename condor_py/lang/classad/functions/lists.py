"""Functions on lists: membership, sums, bounds, comparisons, and evaluation in each of several ads."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import evaluate, operators
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.functions import charge, elements, list_of
from condor_py.lang.classad.functions.types import find_binding
from condor_py.lang.classad.nodes import Attr, ListNode
from condor_py.lang.classad.record import Record
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue, as_bool

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_NUMBERS = (bool, int, float)


def _member(identical: bool) -> Function:
    """member(x, list) compares with ==, identicalMember with =?=."""
    compare = operators.identical if identical else operators.equal

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        if len(fns) != 2:
            return ERROR
        wanted, where = fns[0](st), fns[1](st)
        if where is UNDEFINED or (not identical and wanted is UNDEFINED):
            return UNDEFINED
        if type(where) is not ListValue or type(wanted) is ListValue or isinstance(wanted, Record):
            return ERROR
        if not identical and wanted is ERROR:
            return ERROR
        return any(compare(value, wanted) is True for value in elements(st, where))

    return call


def size(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """size(x): elements of a list, attributes of an ad, bytes of a string."""
    if len(fns) != 1:
        return ERROR
    value = fns[0](st)
    if type(value) is str:
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogateescape"))
    if type(value) is ListValue:
        return len(value)
    if isinstance(value, Record):
        return len(value.attrs)
    return UNDEFINED if value is UNDEFINED else ERROR


def _numbers(st: State, fns: tuple[Fn, ...]) -> Any:
    """The defined numbers of the one argument, a list; else the value to return."""
    if len(fns) != 1:
        return ERROR
    where = fns[0](st)
    if where is UNDEFINED:
        return UNDEFINED
    if type(where) is not ListValue:
        return ERROR
    found = []
    for value in elements(st, where):
        if value is UNDEFINED:
            continue
        if type(value) not in _NUMBERS:
            return ERROR
        found.append(value)
    return found


def _sum(values: list[Any]) -> Any:
    if not values:
        return 0
    total = values[0]
    for value in values[1:]:
        total = operators.arithmetic("+", total, value)
    return total


def total(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """sum(list): 0 for an empty one."""
    values = _numbers(st, fns)
    return _sum(values) if type(values) is list else values


def average(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """avg(list): a real; 0 for an empty list."""
    values = _numbers(st, fns)
    if type(values) is not list:
        return values
    return operators.arithmetic("/", _sum(values), float(len(values))) if values else 0


def _bound(op: str, choose: Callable[[list[Any]], Any]) -> Function:
    """min and max; ``choose`` does the same of plain numbers. Comparing an integer with a real makes reals of both,
    whichever wins."""

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        """The best of the numbers in a list."""
        values = _numbers(st, fns)
        if type(values) is not list:
            return values
        if not values:
            return UNDEFINED
        kinds = set(map(type, values))
        if kinds == {int}:
            return choose(values)
        if bool not in kinds and not any(map(isnan, values)):
            return choose(list(map(float, values)))
        best = values[0]
        for value in values[1:]:
            if type(value) is float or type(best) is float:
                value, best = float(value), float(best)
            else:
                value, best = int(value), int(best)
            if operators.compare(op, value, best) is True:
                best = value
        return best

    return call


#: Operators that anyCompare() and allCompare() take, and how operators.apply() spells them. ``=?=`` and ``=!=`` are
#: none of them, as in HTCondor.
_COMPARISONS = {**{op: op for op in operators.ORDER}, "is": "=?=", "isnt": "=!="}


def _compare_all(need_all: bool) -> Function:
    """allCompare(op, list, x) and anyCompare(op, list, x)."""

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        """Whether the comparison holds for one, or all, of the values in a list."""
        if len(fns) != 3:
            return ERROR
        op = fns[0](st)
        if type(op) is not str:
            return UNDEFINED if op is UNDEFINED else ERROR
        op = _COMPARISONS.get(op)
        if op is None:
            return ERROR
        where = fns[1](st)
        if type(where) is not ListValue:
            return UNDEFINED if where is UNDEFINED else ERROR
        wanted = fns[2](st)
        for value in elements(st, where):
            result = operators.apply(op, value, wanted)
            if type(result) is not bool:
                return False if result is UNDEFINED else ERROR
            if result is not need_all:
                return result
        return need_all

    return call


def _each_ad(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """The values of the first argument's expression in every ad of the second, a list; else what to return."""
    if len(args) != 2:
        return ERROR
    expr = args[0]
    if isinstance(expr, Attr):
        found = find_binding(st, expr)
        expr = expr if found is None else found[0]
    if isinstance(args[1], ListNode):
        ads = args[1].items
    else:
        try:
            where = fns[1](st)
        except ClassAdEvaluationError:
            return ERROR
        if type(where) is not ListValue:
            return UNDEFINED if where is UNDEFINED else ERROR
        ads = where.items
    values = []
    for ad in ads:
        charge(st, _CONTEXT_STEPS)
        values.append(_in_context(st, expr, ad))
    return values


#: What the evaluation in one context counts at least: its result takes memory.
_CONTEXT_STEPS = 128


def _in_context(st: State, expr: Node, reference: Node) -> Any:
    try:
        record = evaluate.node_value(st, reference, st.ad)
    except ClassAdEvaluationError:
        return ERROR
    if not isinstance(record, Record):
        return UNDEFINED if record is UNDEFINED else ERROR
    inner = evaluate.State(record)
    inner.rem, inner.steps = st.rem - 1, st.steps
    inner.left, inner.right = st.left, st.right
    side = _side(st, record)
    if side is not None and st.left is not None and st.right is not None:
        inner.outer = (record, st.right if side is st.left else st.left)
    try:
        return evaluate.run_in(inner, expr)
    except ClassAdEvaluationError:
        return ERROR
    finally:
        st.steps = inner.steps


def _side(st: State, record: Record) -> Record | None:
    """Return the ad of the match that encloses ``record``; None when neither does."""
    above: Record | None = record.scope
    while above is not None:
        if above is st.left or above is st.right:
            return above
        for side in (st.left, st.right):
            if side is not None and side.parent is above:
                return side
        above = above.scope
    return None


def each_context(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """evalInEachContext(expr, ads): the list of the values of ``expr`` in each ad."""
    values = _each_ad(st, fns, args)
    return list_of(values) if type(values) is list else values


def count_matches(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """countMatches(expr, ads): in how many of the ads ``expr`` is true."""
    values = _each_ad(st, fns, args)
    if type(values) is list:
        return sum(1 for value in values if as_bool(value) is True)
    return 0 if values is UNDEFINED else values


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "member": _member(False),
    "identicalmember": _member(True),
    "size": size,
    "sum": total,
    "avg": average,
    "min": _bound("<", min),
    "max": _bound(">", max),
    "anycompare": _compare_all(False),
    "allcompare": _compare_all(True),
    "evalineachcontext": each_context,
    "countmatches": count_matches,
}

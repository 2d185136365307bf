"""Compiled nodes in pure Python: each maker returns a function of the evaluation state. Twin of csrc/code.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import operators
from condor_py.lang.classad.evaluate import CALL_STEPS, fetch, too_long, value_of
from condor_py.lang.classad.record import COMPUTED
from condor_py.lang.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, as_bool, fold

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node


def literal(value: Any) -> Fn:
    """A constant."""
    return lambda st: value


def reference(key: str, depth: int) -> Fn:
    """The lower-case name ``key``, which is under ``depth`` operators."""

    def look_up(st: State) -> Any:
        ad = st.ad
        if ad is None:
            return UNDEFINED
        binding = ad.attrs.get(key)
        if binding is None:
            return fetch(st, ad, key, depth, True)
        value = binding.value
        return value_of(st, ad, binding, depth) if value is COMPUTED else value

    return look_up


def target_reference(key: str, depth: int, general: Fn) -> Fn:
    """``TARGET.key``, straight into the other ad; ``general`` evaluates it where that is not the whole story."""

    def look_up(st: State) -> Any:
        ad = st.ad
        if ad is st.left:
            other = st.right
        elif ad is st.right:
            other = st.left
        else:
            return general(st)
        if ad is None or other is None or ad.find("target") is not None:
            return general(st)
        binding = other.attrs.get(key)
        if binding is None:
            return fetch(st, other, key, depth, False)
        value = binding.value
        return value_of(st, other, binding, depth) if value is COMPUTED else value

    return look_up


def my_reference(key: str, depth: int, general: Fn) -> Fn:
    """``MY.key``, straight into the current ad."""

    def look_up(st: State) -> Any:
        ad = st.ad
        if ad is None or ad.find("my") is not None:
            return general(st)
        binding = ad.attrs.get(key)
        if binding is None:
            return fetch(st, ad, key, depth, False)
        value = binding.value
        return value_of(st, ad, binding, depth) if value is COMPUTED else value

    return look_up


def unary(op: str, inner: Fn) -> Fn:
    """A unary operator."""
    apply = operators.UNARY[op]
    return lambda st: apply(inner(st))


def chain(decisive: bool, parts: tuple[Fn, ...]) -> Fn:
    """A chain of ``&&`` (``decisive`` False) or ``||`` runs as a loop: same result as nested pairs, fewer calls."""
    first, *rest = parts
    others = tuple(rest)

    def run(st: State) -> Any:
        value = first(st)
        for part in others:
            if value is decisive or value is ERROR:
                return value
            if type(value) is not bool:
                if as_bool(value) is decisive:
                    return decisive
                value = operators.combine(value, part(st), decisive)
            else:
                following = part(st)
                value = following if type(following) is bool else operators.combine(value, following, decisive)
        return value

    return run


def ternary(test: Fn, yes: Fn, no: Fn) -> Fn:
    """``test ? yes : no``."""

    def choose(st: State) -> Any:
        value = test(st)
        if value is True:
            return yes(st)
        if value is False:
            return no(st)
        if value is UNDEFINED or value is ERROR:
            return value
        truth = as_bool(value)
        if truth is None:
            # HTCondor evaluates both branches here, which matters when one of them goes beyond the limits.
            yes(st)
            no(st)
            return ERROR
        return yes(st) if truth else no(st)

    return choose


def elvis(left: Fn, right: Fn) -> Fn:
    """``left ?: right``."""

    def choose(st: State) -> Any:
        value = left(st)
        return right(st) if value is UNDEFINED else value

    return choose


def call(name: str, function: Function, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Fn:
    """A function call, which counts as CALL_STEPS steps."""

    def result(st: State) -> Any:
        st.steps -= CALL_STEPS
        if st.steps < 0:
            raise too_long()
        return function(st, fns, args)

    return result


def binary(op: str, left: Fn, right: Fn) -> Fn:
    """A binary operator on values."""
    if op in ("==", "!="):
        return _equality(left, right, op)
    if op in operators.ORDER:
        return _ordering(op, left, right)
    if op == "=?=":
        return lambda st: operators.identical(left(st), right(st))
    if op == "=!=":
        return lambda st: operators.not_identical(left(st), right(st))
    if op == "+":
        return _addition(left, right)
    return lambda st: operators.apply(op, left(st), right(st))


def _equality(left: Fn, right: Fn, op: str) -> Fn:
    wanted = op == "=="

    def equality(st: State) -> Any:
        a = left(st)
        b = right(st)
        kind = type(a)
        if kind is type(b):
            if kind is str:
                return (a == b or fold(a) == fold(b)) is wanted
            if kind is int:
                return (a == b) is wanted
        return operators.compare(op, a, b)

    return equality


def _ordering(op: str, left: Fn, right: Fn) -> Fn:
    test = operators.ORDER[op]

    def ordering(st: State) -> Any:
        a = left(st)
        b = right(st)
        if type(a) is int and type(b) is int:
            return test(a, b)
        return operators.compare(op, a, b)

    return ordering


def _addition(left: Fn, right: Fn) -> Fn:
    def add(st: State) -> Any:
        a = left(st)
        b = right(st)
        if type(a) is int and type(b) is int:
            total = a + b
            if INT_MIN <= total <= INT_MAX:
                return total
        return operators.arithmetic("+", a, b)

    return add

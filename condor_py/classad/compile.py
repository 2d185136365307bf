"""Trees to closures: every node becomes a function of the State, specialised for what is common in matchmaking.

``build`` is called once per tree; the closures call back into ``evaluate`` for names, lists and limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.classad import operators
from condor_py.classad.errors import ClassAdEvaluationError
from condor_py.classad.evaluate import Fn, State, fetch, match_name, select_from, subscript, value_of
from condor_py.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.classad.record import COMPUTED, constant, lower, record_of
from condor_py.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, ListValue, as_bool, fold


def build(node: Node, depth: int) -> Fn:
    """The closure of ``node``, which stands under ``depth`` operators of its expression."""
    return _BUILDERS[type(node)](node, depth)


def _build_literal(node: Literal, depth: int) -> Fn:
    value = constant(node)
    return lambda st: value


def _build_paren(node: Paren, depth: int) -> Fn:
    return build(node.inner, depth + 1)


def _build_list(node: ListNode, depth: int) -> Fn:
    items = node.items
    if all(type(item) is Literal for item in items):
        constant = ListValue(items, None)
        return lambda st: constant
    mark = id(node)
    return lambda st: ListValue(items, None if mark in st.loose else st.ad)


def _build_ad(node: AdNode, depth: int) -> Fn:
    def make(st: State) -> Any:
        if st.nested is None:
            st.nested = {}
        mark = (id(node), id(st.ad))
        known = st.nested.get(mark)
        if known is None:
            scope = None if mark[0] in st.loose else st.ad
            known = st.nested[mark] = (record_of(node, scope), node)
        return known[0]

    return make


def _build_attr(node: Attr, depth: int) -> Fn:
    if node.scope is not None:
        inner = node.scope
        if type(inner) is Attr and inner.scope is None and not inner.absolute:
            if inner.key == "target":
                return _build_target(node, depth)
            if inner.key == "my":
                return _build_my(node, depth)
        return _build_selection(node, depth)
    key = lower(node.name)
    if node.absolute:
        return _build_absolute(key, depth)

    def reference(st: State) -> Any:
        ad = st.ad
        if ad is None:
            return UNDEFINED
        binding = ad.attrs.get(key)
        if binding is None:
            return fetch(st, ad, key, depth, True)
        value = binding.value
        return value_of(st, ad, binding, depth) if value is COMPUTED else value

    return reference


def _build_absolute(key: str, depth: int) -> Fn:
    def absolute(st: State) -> Any:
        if st.root is None:
            raise ClassAdEvaluationError("an absolute reference needs an ad to be evaluated in")
        if st.left is not None:
            return match_name(st, st.left, key) if key in ("left", "right") else UNDEFINED
        return fetch(st, st.root, key, depth, False)

    return absolute


def _build_selection(node: Attr, depth: int) -> Fn:
    assert node.scope is not None
    inner = build(node.scope, depth + 1)
    key = lower(node.name)

    def select(st: State) -> Any:
        return select_from(st, inner(st), key, depth)

    return select


def _build_target(node: Attr, depth: int) -> Fn:
    """``TARGET.x``, straight into the other ad."""
    key = lower(node.name)
    general = _build_selection(node, depth)

    def target_reference(st: State) -> Any:
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

    return target_reference


def _build_my(node: Attr, depth: int) -> Fn:
    """``MY.x``, straight into the ad at hand."""
    key = lower(node.name)
    general = _build_selection(node, depth)

    def my_reference(st: State) -> Any:
        ad = st.ad
        if ad is None or ad.find("my") is not None:
            return general(st)
        binding = ad.attrs.get(key)
        if binding is None:
            return fetch(st, ad, key, depth, False)
        value = binding.value
        return value_of(st, ad, binding, depth) if value is COMPUTED else value

    return my_reference


def _build_unary(node: Unary, depth: int) -> Fn:
    inner = build(node.inner, depth + 1)
    apply = operators.UNARY[node.op]
    return lambda st: apply(inner(st))


def _build_ternary(node: Ternary, depth: int) -> Fn:
    test = build(node.test, depth + 1)
    yes = build(node.yes, depth + 1)
    no = build(node.no, depth + 1)

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


def _build_binary(node: Binary, depth: int) -> Fn:
    op = node.op
    if op in ("&&", "||"):
        return _build_logical(node, depth)
    left = build(node.left, depth + 1)
    right = build(node.right, depth + 1)
    if op == "==" and type(node.right) is Literal and type(node.right.value) is str:
        return _string_equal(left, node.right.value)
    special = _SPECIAL_BINARY.get(op)
    if special is not None:
        return special(left, right)
    if op in operators.ORDER:
        return _ordering(op, left, right)
    return lambda st: operators.apply(op, left(st), right(st))


def _build_logical(node: Binary, depth: int) -> Fn:
    """A chain of one logical operator runs as a loop: same result as nested pairs, fewer calls."""
    op = node.op
    parts: list[Fn] = []
    link: Node = node
    level = depth
    while type(link) is Binary and link.op == op:
        level += 1
        parts.append(build(link.right, level))
        link = link.left
    parts.append(build(link, level))
    first, *rest = reversed(parts)
    decisive = op == "||"
    join = operators.logical_or if decisive else operators.logical_and
    others = tuple(rest)

    def chain(st: State) -> Any:
        value = first(st)
        for part in others:
            if value is decisive or value is ERROR:
                return value
            if type(value) is not bool:
                if as_bool(value) is decisive:
                    return decisive
                value = join(value, part(st))
            else:
                following = part(st)
                value = following if type(following) is bool else join(value, following)
        return value

    return chain


def _string_equal(left: Fn, text: str) -> Fn:
    wanted = fold(text)

    def string_equal(st: State) -> Any:
        value = left(st)
        if type(value) is str:
            return value == text or fold(value) == wanted
        return operators.equal(value, text)

    return string_equal


def _equality(left: Fn, right: Fn, op: str) -> Fn:
    def equality(st: State) -> Any:
        a = left(st)
        b = right(st)
        kind = type(a)
        if kind is type(b):
            if kind is str:
                return (fold(a) == fold(b)) is (op == "==")
            if kind is int:
                return (a == b) is (op == "==")
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


def _elvis(left: Fn, right: Fn) -> Fn:
    def elvis(st: State) -> Any:
        value = left(st)
        return right(st) if value is UNDEFINED else value

    return elvis


def _subscript(left: Fn, right: Fn) -> Fn:
    return lambda st: subscript(st, left(st), right(st))


def _build_call(node: Call, depth: int) -> Fn:
    from condor_py.classad.functions import find_function

    function = find_function(node.name)
    if function is None:
        return lambda st: ERROR
    fns = tuple([build(arg, depth) for arg in node.args])
    args = node.args
    return lambda st: function(st, fns, args)


_SPECIAL_BINARY: dict[str, Callable[[Fn, Fn], Fn]] = {
    "==": lambda left, right: _equality(left, right, "=="),
    "!=": lambda left, right: _equality(left, right, "!="),
    "=?=": lambda left, right: lambda st: operators.identical(left(st), right(st)),
    "=!=": lambda left, right: lambda st: operators.not_identical(left(st), right(st)),
    "+": _addition,
    "?:": _elvis,
    "[]": _subscript,
}

_BUILDERS: dict[type[Node], Callable[[Any, int], Fn]] = {
    Literal: _build_literal,
    Attr: _build_attr,
    Paren: _build_paren,
    Unary: _build_unary,
    Binary: _build_binary,
    Ternary: _build_ternary,
    Call: _build_call,
    ListNode: _build_list,
    AdNode: _build_ad,
}

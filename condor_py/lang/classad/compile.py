"""Trees to callables of the State: every node becomes one, specialised for what is common in matchmaking.

``build`` is called once per tree. Nodes are made by the extension or by its twin ``closures``; the rare kinds are
closures here for both. What is constant is computed now: operators, and functions that depend on nothing but
their arguments, of constants.
"""

from __future__ import annotations

from condor_py.lang.classad.errors import ClassAdError, ClassAdEvaluationError
from condor_py.lang.classad.evaluate import Fn, State, fetch, match_name, select_from, subscript
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.record import constant, lower, record_of
from condor_py.lang.classad.values import ERROR, PLAIN, UNDEFINED, ListValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

if native is None:
    from condor_py.lang.classad import closures

    make: Any = closures
else:
    make = native


class _Varies:
    """Stands for the value of what has to be evaluated."""

    __slots__ = ()


_VARIES = _Varies()


class _Part:
    """A compiled node, and its value where that is known already."""

    __slots__ = ("fn", "value")

    def __init__(self, fn: Fn, value: Any = _VARIES) -> None:
        self.fn = fn
        self.value = value


#: Functions whose value depends on their arguments alone, and costs little.
_PURE = frozenset((
    "isundefined", "iserror", "isstring", "isinteger", "isreal", "isboolean", "int", "real", "string", "bool",
    "strcat", "toupper", "tolower", "substr", "strcmp", "stricmp", "size", "floor", "ceil", "ceiling", "round", "pow",
    "versioncmp", "versionle", "versionlt", "versionge", "versiongt", "versioneq", "version_in_range",
    "stringlistsize", "stringlistmember", "stringlistimember", "ifthenelse",
))  # fmt: skip


def build(node: Node, depth: int) -> Fn:
    """The callable of ``node``, which is under ``depth`` operators of its expression."""
    return _part(node, depth).fn


def _part(node: Node, depth: int) -> _Part:
    return _BUILDERS[type(node)](node, depth)


def _constant(value: Any) -> _Part:
    return _Part(make.literal(value), value)


def _folded(fn: Fn, *parts: _Part) -> _Part:
    """``fn`` computed now where all its parts are constants and so is its result."""
    if any(part.value is _VARIES for part in parts):
        return _Part(fn)
    try:
        value = fn(State(None))
    except ClassAdError:
        return _Part(fn)
    return _constant(value) if type(value) in PLAIN else _Part(fn)


def _build_literal(node: Literal, depth: int) -> _Part:
    return _constant(constant(node))


def _build_paren(node: Paren, depth: int) -> _Part:
    return _part(node.inner, depth + 1)


def _build_list(node: ListNode, depth: int) -> _Part:
    items = node.items
    if all(type(item) is Literal for item in items):
        return _Part(make.literal(ListValue(items, None)))
    mark = id(node)
    return _Part(lambda st: ListValue(items, None if mark in st.loose else st.ad))


def _build_ad(node: AdNode, depth: int) -> _Part:
    def nested(st: State) -> Any:
        if st.nested is None:
            st.nested = {}
        mark = (id(node), id(st.ad))
        known = st.nested.get(mark)
        if known is None:
            scope = None if mark[0] in st.loose else st.ad
            known = st.nested[mark] = (record_of(node, scope), node)
        return known[0]

    return _Part(nested)


def _build_attr(node: Attr, depth: int) -> _Part:
    key = lower(node.name)
    inner = node.scope
    if inner is None:
        return _Part(_absolute(key, depth) if node.absolute else make.reference(key, depth))
    general = _selection(inner, key, depth)
    if type(inner) is Attr and inner.scope is None and not inner.absolute:
        if inner.key == "target":
            return _Part(make.target_reference(key, depth, general))
        if inner.key == "my":
            return _Part(make.my_reference(key, depth, general))
    return _Part(general)


def _absolute(key: str, depth: int) -> Fn:
    def absolute(st: State) -> Any:
        if st.root is None:
            raise ClassAdEvaluationError("an absolute reference needs an ad to be evaluated in")
        if st.left is not None:
            return match_name(st, st.left, key) if key in ("left", "right") else UNDEFINED
        return fetch(st, st.root, key, depth, False)

    return absolute


def _selection(scope: Node, key: str, depth: int) -> Fn:
    inner = build(scope, depth + 1)

    def select(st: State) -> Any:
        return select_from(st, inner(st), key, depth)

    return select


def _build_unary(node: Unary, depth: int) -> _Part:
    inner = _part(node.inner, depth + 1)
    return _folded(make.unary(node.op, inner.fn), inner)


def _build_ternary(node: Ternary, depth: int) -> _Part:
    parts = [_part(part, depth + 1) for part in (node.test, node.yes, node.no)]
    return _folded(make.ternary(*[part.fn for part in parts]), *parts)


def _build_binary(node: Binary, depth: int) -> _Part:
    op = node.op
    if op in ("&&", "||"):
        return _build_logical(node, depth)
    left = _part(node.left, depth + 1)
    right = _part(node.right, depth + 1)
    if op == "[]":
        one, two = left.fn, right.fn
        return _Part(lambda st: subscript(st, one(st), two(st)))
    if op == "?:":
        return _folded(make.elvis(left.fn, right.fn), left, right)
    return _folded(make.binary(op, left.fn, right.fn), left, right)


def _build_logical(node: Binary, depth: int) -> _Part:
    """A chain of one logical operator is one node: same result as nested pairs, fewer calls."""
    op = node.op
    parts: list[_Part] = []
    link: Node = node
    level = depth
    while type(link) is Binary and link.op == op:
        level += 1
        parts.append(_part(link.right, level))
        link = link.left
    parts.append(_part(link, level))
    parts.reverse()
    return _folded(make.chain(op == "||", tuple([part.fn for part in parts])), *parts)


def _build_call(node: Call, depth: int) -> _Part:
    from condor_py.lang.classad.functions import find_function

    function = find_function(node.name)
    if function is None:
        return _constant(ERROR)
    parts = [_part(arg, depth) for arg in node.args]
    fn = make.call(node.name, function, tuple([part.fn for part in parts]), node.args)
    return _folded(fn, *parts) if node.name.lower() in _PURE else _Part(fn)


_BUILDERS: dict[type[Node], Callable[[Any, int], _Part]] = {
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

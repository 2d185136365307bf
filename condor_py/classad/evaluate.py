"""The evaluator: trees become closures once, closures run in a State.

Names: an unscoped name is looked up in the ad at hand, its chained parent, the ads around it, and, while two ads are
being matched, in the other ad. ``MY.x`` and ``TARGET.x`` name one of the two.

Limits are HTCondor's: 400 nested operators and references, 10 million steps; beyond, ClassAdEvaluationError. An
attribute that refers to itself is undefined. The depth of an expression is known from its tree, so only
references count at run time; an expression too deep fails even where a lazy operator might have skipped its deep part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.classad import clock, operators
from condor_py.classad.errors import ClassAdEvaluationError
from condor_py.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary, children
from condor_py.classad.record import COMPUTED, Binding, Record, constant, lower, record_of
from condor_py.classad.recursion import with_deep_stack
from condor_py.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, ListValue, RelTime, as_bool, fold, real_to_int

MAX_DEPTH = 400
MAX_STEPS = 10_000_000

Fn = Callable[["State"], Any]


class State:
    """One evaluation: the ad at hand, the two ads of a match, and what is left of the limits."""

    __slots__ = ("ad", "left", "loose", "nested", "outer", "rem", "right", "root", "stack", "steps")

    def __init__(self, ad: Record | None, target: Record | None = None) -> None:
        self.ad = ad
        if target is None or target is ad or ad is None:
            self.left: Record | None = None
            self.right: Record | None = None
        else:
            self.left = ad
            self.right = target
        root = ad
        while root is not None and root.scope is not None:
            root = root.scope
        self.root = root
        self.rem = MAX_DEPTH
        self.steps = MAX_STEPS
        self.stack: list[tuple[int, int]] = []
        self.nested: dict[tuple[int, int], tuple[Record, AdNode]] | None = None
        #: A nested ad whose unknown names come from the second ad (see evalInEachContext).
        self.outer: tuple[Record, Record] | None = None
        #: Lists and ads (by id of their tree) that do not see the ad at hand (see loose_nodes).
        self.loose: frozenset[int] = frozenset()


def run(node: Node, ad: Record | None, target: Record | None = None) -> Any:
    """The value of ``node`` in ``ad`` (matched with ``target``). ClassAdEvaluationError beyond the limits."""
    fn = compiled(node)
    try:
        return fn(State(ad, target))
    except RecursionError:
        return with_deep_stack(lambda: fn(State(ad, target)))


def run_binding(binding: Binding, ad: Record, target: Record | None = None) -> Any:
    """The value of an attribute of ``ad``; an attribute beyond the limits raises ClassAdEvaluationError."""
    value = binding.value
    if value is not COMPUTED:
        return value
    try:
        return _enter(State(ad, target), ad, binding)
    except RecursionError:
        return with_deep_stack(lambda: _enter(State(ad, target), ad, binding))


def _enter(st: State, ad: Record, binding: Binding) -> Any:
    """Evaluates a top-level attribute: like a reference that is not counted."""
    node = binding.node
    if binding.value is not COMPUTED:
        return binding.value
    if node.height > st.rem:
        raise too_deep()
    st.stack.append((id(ad), id(binding)))
    st.ad = ad
    return compiled(node)(st)


def too_deep() -> ClassAdEvaluationError:
    return ClassAdEvaluationError("expression is nested too deeply to be evaluated")


def compiled(node: Node) -> Fn:
    """The closure of a whole expression, made once per tree."""
    try:
        return node.fn
    except AttributeError:
        fn = with_deep_stack(lambda: build(node, 0)) if node.height <= MAX_DEPTH else _fail
        node.fn = fn
        return fn


def _fail(st: State) -> Any:
    raise too_deep()


def value_of(st: State, ad: Record, binding: Binding, depth: int) -> Any:
    """The value of an attribute reached by a reference that stands under ``depth`` operators."""
    value = binding.value
    if value is not COMPUTED:
        return value
    mark = (id(ad), id(binding))
    stack = st.stack
    if mark in stack:
        return UNDEFINED
    node = binding.node
    if binding.value is not COMPUTED:
        return binding.value
    before_rem = st.rem
    rem = before_rem - depth - 1
    if rem < node.height or rem < 0:
        raise too_deep()
    st.steps -= node.size
    if st.steps < 0:
        raise ClassAdEvaluationError("expression needs too many steps to be evaluated")
    before_ad = st.ad
    st.rem = rem
    st.ad = ad
    stack.append(mark)
    value = compiled(node)(st)
    stack.pop()
    st.ad = before_ad
    st.rem = before_rem
    return value


_CURRENT = frozenset(("toplevel", "root", "self", "my", "parent", "currenttime"))
_MATCH = frozenset(("target", "other", "ad", "left", "right"))


def fetch(st: State, start: Record | None, key: str, depth: int, alternate: bool) -> Any:
    """The value of the name ``key`` seen from ``start``; ``alternate`` lets the other ad of a match supply it."""
    ad = start
    while ad is not None:
        binding = ad.find(key)
        if binding is not None:
            return value_of(st, ad, binding, depth)
        if key in _CURRENT:
            return _current(st, ad, key)
        if ad.scope is None or ad is st.left or ad is st.right:
            if key in _MATCH and (ad is st.left or ad is st.right):
                return _match_name(st, ad, key)
            break
        ad = ad.scope
    if alternate and start is not None and st.left is not None:
        if start is st.left:
            return fetch(st, st.right, key, depth, False)
        if start is st.right:
            return fetch(st, st.left, key, depth, False)
        if st.outer is not None and start is st.outer[0]:
            return fetch(st, st.outer[1], key, depth, False)
    return UNDEFINED


def loose_nodes(node: Node) -> frozenset[int]:
    """The outermost lists and ads of a tree that belongs to no ad; to State.loose, for classad2's flatten and refs."""
    found: list[int] = []
    work = [node]
    while work:
        current = work.pop()
        if isinstance(current, (ListNode, AdNode)):
            found.append(id(current))
        if not isinstance(current, AdNode):
            work.extend(children(current))
    return frozenset(found)


def run_in(st: State, node: Node) -> Any:
    """The value of ``node`` in a state made for it."""
    if node.height > st.rem:
        raise too_deep()
    return compiled(node)(st)


def _current(st: State, ad: Record, key: str) -> Any:
    """The names that every ad knows without defining them."""
    if key == "my" or key == "self":
        return ad
    if key == "currenttime":
        return int(clock.now())
    if key == "parent":
        return UNDEFINED if ad.scope is None else ad.scope
    if st.left is not None or st.root is None:
        return Record()
    return st.root


def _match_name(st: State, ad: Record, key: str) -> Any:
    if key == "ad":
        return ad
    if key == "left":
        return st.left
    if key == "right":
        return st.right
    return st.right if ad is st.left else st.left


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
            return _match_name(st, st.left, key) if key in ("left", "right") else UNDEFINED
        return fetch(st, st.root, key, depth, False)

    return absolute


def _build_selection(node: Attr, depth: int) -> Fn:
    assert node.scope is not None
    inner = build(node.scope, depth + 1)
    key = lower(node.name)

    def select(st: State) -> Any:
        return select_from(st, inner(st), key, depth)

    return select


def select_from(st: State, value: Any, key: str, depth: int) -> Any:
    """``value.key``: an attribute of an ad, or the list of that attribute of every element of a list."""
    if isinstance(value, Record):
        binding = value.attrs.get(key)
        if binding is not None:
            return value_of(st, value, binding, depth)
        return fetch(st, value, key, depth, False)
    if value is UNDEFINED:
        return UNDEFINED
    if type(value) is ListValue:
        return ListValue(
            tuple([as_node(select_from(st, item_value(st, value, i), key, depth)) for i in range(len(value))]), None
        )
    return ERROR


def as_node(value: Any) -> Node:
    """A tree whose value is ``value``."""
    if type(value) is ListValue:
        return ListNode(value.items)
    if isinstance(value, Record):
        return AdNode([(binding.name, binding.node) for binding in value.bindings()])
    if type(value) is RelTime:
        return Literal(RelTime(real_to_int(value.secs)))
    return Literal(value)


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


def subscript(st: State, value: Any, index: Any) -> Any:
    """``value[index]``: an element of a list by number (else error), an attribute of an ad by name."""
    bad = operators.exceptional(value, index)
    if bad is not None:
        return bad
    if type(value) is ListValue and type(index) is int:
        index = ((index + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
        if not 0 <= index < len(value):
            return ERROR
        return item_value(st, value, index)
    if isinstance(value, Record) and type(index) is str:
        binding = value.find(lower(index))
        return UNDEFINED if binding is None else _loose(value_of(st, value, binding, 0))
    return ERROR


def _loose(value: Any) -> Any:
    """An ad or list taken out of what encloses it, which a subscript by name does (and ``ad.name`` does not)."""
    if isinstance(value, Record):
        alone = Record()
        alone.attrs, alone.parent = value.attrs, value.parent
        return alone
    return ListValue(value.items, None, True) if type(value) is ListValue else value


def item_value(st: State, value: ListValue, index: int) -> Any:
    """The value of one element of a list, evaluated where the list was written."""
    return node_value(st, value.items[index], value.scope)


def node_value(st: State, node: Node, scope: Record | None) -> Any:
    """The value of a list element in ``scope``; counts as one nesting."""
    if type(node) is Literal:
        return constant(node)
    before_ad, before_rem = st.ad, st.rem
    rem = before_rem - 1
    if rem < node.height or rem < 0:
        raise too_deep()
    st.steps -= node.size
    if st.steps < 0:
        raise ClassAdEvaluationError("expression needs too many steps to be evaluated")
    st.ad = scope
    st.rem = rem
    result = compiled(node)(st)
    st.ad = before_ad
    st.rem = before_rem
    return result


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

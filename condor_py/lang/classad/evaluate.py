"""The evaluator: trees become callables once (see compile, which ``connect`` passes in), which run in a State.

The extension replaces State and the functions that look up names by its own (see the end of this module and
csrc/evaluate.c); what is here is their twin.

Names: an unscoped name is looked up in the ad at hand, its chained parent, the ads around it, and, while two ads are
being matched and names are not ``strict``, in the other ad. ``MY.x`` and ``TARGET.x`` name one of the two.

Limits are HTCondor's: 400 nested operators and references, 4 million steps; beyond, ClassAdEvaluationError. An
attribute that refers to itself is undefined. The depth of an expression is known from its tree, so only
references count at run time; an expression too deep fails even where a lazy operator might have skipped its deep part.
"""

from __future__ import annotations

from condor_py.lang.classad import clock, operators
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node, children
from condor_py.lang.classad.record import COMPUTED, Binding, Record, constant, lower
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue, RelTime, real_to_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

MAX_DEPTH = 400
MAX_STEPS = 4_000_000
#: What the call of a function counts as steps: one in Python takes as long as so many others. As in csrc/native.h.
CALL_STEPS = 10

#: Steps left to all evaluations together (see the module ``allowance``).
NO_ALLOWANCE = (1 << 63) - 1
_left = NO_ALLOWANCE
_strict = False

Fn: TypeAlias = "Callable[[State], Any]"


class State:
    """One evaluation: the ad at hand, the two ads of a match, and what is left of the limits."""

    __slots__ = ("ad", "given", "left", "loose", "nested", "outer", "rem", "right", "root", "stack", "steps")

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
        self.steps = self.given = min(MAX_STEPS, max(0, _left))
        self.stack: list[tuple[int, int]] = []
        self.nested: dict[tuple[int, int], tuple[Record, AdNode]] | None = None
        #: A nested ad whose unknown names come from the second ad (see evalInEachContext).
        self.outer: tuple[Record, Record] | None = None
        #: Lists and ads (by id of their tree) that do not see the ad at hand (see loose_nodes).
        self.loose: frozenset[int] = frozenset()


def run(node: Node, ad: Record | None, target: Record | None = None) -> Any:
    """The value of ``node`` in ``ad`` (matched with ``target``). ClassAdEvaluationError beyond the limits."""
    try:
        return _run_once(node, ad, target)
    except RecursionError:
        return with_deep_stack(lambda: _run_once(node, ad, target))


def _run_once(node: Node, ad: Record | None, target: Record | None) -> Any:
    fn = compiled(node)
    st = State(ad, target)
    try:
        return fn(st)
    finally:
        spend(st.given - st.steps + node.size)


def run_binding(binding: Binding, ad: Record, target: Record | None = None) -> Any:
    """The value of an attribute of ``ad``; an attribute beyond the limits raises ClassAdEvaluationError."""
    value = binding.value
    if value is not COMPUTED:
        return value
    try:
        return _enter(State(ad, target), ad, binding)
    except RecursionError:
        return with_deep_stack(lambda: _enter(State(ad, target), ad, binding))


def run_deeper(what: Node | Binding, ad: Record, target: Record | None) -> Any:
    """For the extension, after a RecursionError in a function: the same once more, with more stack."""
    once = native.run if isinstance(what, Node) else native.run_binding
    return with_deep_stack(lambda: once(what, ad, target, True))


def _enter(st: State, ad: Record, binding: Binding) -> Any:
    """Evaluates a top-level attribute: as its expression, which may refer to the attribute once."""
    node = binding.node
    if binding.value is not COMPUTED:
        return binding.value
    if node.height > st.rem:
        raise too_deep()
    try:
        return compiled(node)(st)
    finally:
        spend(st.given - st.steps + node.size)


def strict(flag: bool) -> bool:
    """Set whether a name without a scope is never looked up in the other ad of a match, and return what it was
    (STRICT_CLASSAD_EVALUATION)."""
    global _strict
    before, _strict = _strict, flag
    return before


def allowance(steps: int | None = None) -> int:
    """Steps left to all evaluations together, NO_ALLOWANCE without a limit; ``steps`` replaces them."""
    global _left
    before = _left
    if steps is not None:
        _left = steps
    return before


def spend(steps: int) -> None:
    """Takes steps from what all evaluations have together."""
    left = allowance()
    if left != NO_ALLOWANCE:
        allowance(left - steps)


def too_deep() -> ClassAdEvaluationError:
    """Return the error of an expression that is nested deeper than evaluation may go."""
    return ClassAdEvaluationError("expression is nested too deeply to be evaluated")


def too_long() -> ClassAdEvaluationError:
    """Return the error of an expression that has used up the steps that it may take."""
    return ClassAdEvaluationError("expression needs too many steps to be evaluated")


#: Makes the closure of a whole expression (see ``compile_with``).
_build: Callable[[Node], Fn]


def compile_with(build: Callable[[Node], Fn]) -> None:
    """Take the compiler, which builds on this module."""
    global _build
    _build = build


def compiled(node: Node) -> Fn:
    """The closure of a whole expression, made once per tree."""
    try:
        return node.fn
    except AttributeError:
        fn = with_deep_stack(lambda: _build(node)) if node.height <= MAX_DEPTH else _fail
        node.fn = fn
        return fn


def _fail(st: State) -> Any:
    raise too_deep()


def value_of(st: State, ad: Record, binding: Binding, depth: int) -> Any:
    """The value of an attribute reached by a reference that is under ``depth`` operators."""
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
        raise too_long()
    before_ad = st.ad
    st.rem = rem
    st.ad = ad
    stack.append(mark)
    try:
        return compiled(node)(st)
    finally:
        stack.pop()
        st.ad = before_ad
        st.rem = before_rem


CURRENT_NAMES = frozenset(("toplevel", "root", "self", "my", "parent", "currenttime"))
MATCH_NAMES = frozenset(("target", "other", "ad", "left", "right"))


def fetch(st: State, start: Record | None, key: str, depth: int, alternate: bool) -> Any:
    """The value of the name ``key`` seen from ``start``; ``alternate`` lets the other ad of a match supply it."""
    ad = start
    while ad is not None:
        binding = ad.find(key)
        if binding is not None:
            return value_of(st, ad, binding, depth)
        if key in CURRENT_NAMES:
            return current_name(st, ad, key)
        if ad.scope is None or ad is st.left or ad is st.right:
            if key in MATCH_NAMES and (ad is st.left or ad is st.right):
                return match_name(st, ad, key)
            break
        ad = ad.scope
    if alternate and not _strict and start is not None and st.left is not None:
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


def current_name(st: State, ad: Record, key: str) -> Any:
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


def match_name(st: State, ad: Record, key: str) -> Any:
    """The names that an ad knows in a match."""
    if key == "ad":
        return ad
    if key == "left":
        return st.left
    if key == "right":
        return st.right
    return st.right if ad is st.left else st.left


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
        raise too_long()
    st.ad = scope
    st.rem = rem
    try:
        return compiled(node)(st)
    finally:
        st.ad = before_ad
        st.rem = before_rem


if native is not None and not TYPE_CHECKING:
    State, run, run_binding = native.State, native.run, native.run_binding
    value_of, fetch, allowance, strict = native.value_of, native.fetch, native.allowance, native.strict

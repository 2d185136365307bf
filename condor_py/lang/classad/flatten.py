"""Partial evaluation: what an ad determines is computed, the rest of the expression stays.

Sums, products and logical chains may be split into a constant part and a rest (``x + 1 + 2`` is ``3 + x``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from condor_py.lang.classad import evaluate, operators
from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.record import Record, constant, record_of
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue, as_bool


class Partial(NamedTuple):
    """The outcome of flattening: a value; a tree; or, with ``op``, both joined by that operator."""

    value: Any
    tree: Node | None = None
    op: str = ""

    def node(self) -> Node:
        """The outcome as one tree."""
        if self.tree is None:
            return evaluate.as_node(self.value)
        return Binary(self.op, evaluate.as_node(self.value), self.tree) if self.op else self.tree


_UNSPLIT = frozenset(("<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", "-", "/", "%", "<<", ">>", ">>>"))


def flatten(ad: Record, expr: ExprTree) -> Any:
    """``expr`` as far as ``ad`` determines it: a Python value, or the ExprTree that is left.

    ClassAdParseError (a ValueError, as in classad2) where it is nested or recursive beyond the limits.
    """
    from condor_py.lang.classad.convert import to_python
    from condor_py.lang.classad.recursion import with_deep_stack

    try:
        result = with_deep_stack(lambda: _Flattener(ad, expr.node).flat(expr.node))
    except ClassAdEvaluationError as error:
        raise ClassAdParseError("Unable to flatten expression.") from error
    return to_python(result.value) if result.tree is None else ExprTree.of(result.node())


class _Flattener:
    def __init__(self, ad: Record, node: Node) -> None:
        self.state = evaluate.State(ad)
        self.state.loose = evaluate.loose_nodes(node)

    def flat(self, node: Node) -> Partial:
        """The outcome, never split."""
        result = self.split(node)
        return Partial(None, result.node()) if result.op else result

    def split(self, node: Node) -> Partial:
        if isinstance(node, Literal):
            return Partial(constant(node))
        if isinstance(node, Attr):
            return self.attribute(node)
        if isinstance(node, Binary):
            return self.binary(node)
        if isinstance(node, (Paren, Unary)):
            inner = self.flat(node.inner)
            if isinstance(node, Paren):
                return inner if inner.tree is None else Partial(None, Paren(inner.tree))
            if inner.tree is not None:
                return Partial(None, Unary(node.op, inner.tree))
            return Partial(operators.UNARY[node.op](inner.value))
        if isinstance(node, Ternary):
            return self.ternary(node)
        if isinstance(node, Call):
            return self.call(node)
        if isinstance(node, ListNode):
            return Partial(None, ListNode([self.flat(item).node() for item in node.items]))
        assert isinstance(node, AdNode)
        return self.nested(node)

    def compute(self, node: Node) -> Any:
        if node.height > self.state.rem:
            raise evaluate.too_deep()
        return evaluate.compiled(node)(self.state)

    def nested(self, node: AdNode) -> Partial:
        before = self.state.ad
        self.state.ad = record_of(node, None if id(node) in self.state.loose else before)
        items = [(name, self.flat(item).node()) for name, item in node.items]
        self.state.ad = before
        return Partial(None, AdNode(items))

    def attribute(self, node: Attr) -> Partial:
        state = self.state
        start = state.ad
        if node.scope is not None:
            value = self.compute(node.scope)
            if value is UNDEFINED:
                return Partial(None, node)
            if not isinstance(value, Record):
                return Partial(None, node) if type(value) is ListValue else Partial(ERROR)
            start = value
        elif node.absolute:
            start = state.root
        while start is not None:
            binding = start.find(node.key)
            if binding is not None:
                return self.definition(node, start, binding.node)
            start = start.scope
        value = self.compute(node)
        return Partial(None, node) if value is UNDEFINED or isinstance(value, Record) else Partial(value)

    def definition(self, node: Attr, owner: Record, found: Node) -> Partial:
        """A reference becomes its value where the whole definition has one."""
        state = self.state
        if isinstance(found, AdNode):
            return Partial(None, node)
        if state.rem <= 0:
            raise evaluate.too_deep()
        before = state.ad
        state.ad = owner
        state.rem -= 1
        result = self.flat(found)
        state.rem += 1
        state.ad = before
        return result if result.tree is None else Partial(None, node)

    def ternary(self, node: Ternary) -> Partial:
        test = self.flat(node.test)
        if test.tree is None and test.value is not UNDEFINED:
            truth = as_bool(test.value)
            if truth is None:
                return Partial(ERROR)
            return self.flat(node.yes if truth else node.no)
        yes, no = self.flat(node.yes).node(), self.flat(node.no).node()
        return Partial(None, Ternary(test.tree if test.tree is not None else node.test, yes, no))

    def call(self, node: Call) -> Partial:
        from condor_py.lang.classad.functions import find_function

        if find_function(node.name) is None:
            return Partial(ERROR)
        args = [self.flat(arg) for arg in node.args]
        if any(arg.tree is None and isinstance(arg.value, (ListValue, Record)) for arg in args):
            raise ClassAdEvaluationError("a computed list or ad cannot become part of an expression")
        if all(arg.tree is None for arg in args):
            return Partial(self.compute(node))
        return Partial(None, Call(node.name, [arg.node() for arg in args]))

    def binary(self, node: Binary) -> Partial:
        op = node.op
        if op in _UNSPLIT or op in ("?:", "[]"):
            left, right = self.flat(node.left), self.flat(node.right)
            if left.tree is None and right.tree is None:
                return Partial(self.operate(op, left.value, right.value))
            return Partial(None, Binary(op, left.node(), right.node()))
        left, right = self.split(node.left), self.split(node.right)
        if op in ("&&", "||"):
            left, right = _truth(left), _truth(right)
        return self.combine(op, left, right)

    def operate(self, op: str, a: Any, b: Any) -> Any:
        """``a op b`` of two values. Logical operators read both operands here."""
        if op == "?:":
            return b if a is UNDEFINED else a
        if op == "[]":
            return evaluate.subscript(self.state, a, b)
        if op in ("&&", "||") and any(as_bool(v) is None and v is not UNDEFINED and v is not ERROR for v in (a, b)):
            return ERROR
        return operators.apply(op, a, b)

    def combine(self, op: str, left: Partial, right: Partial) -> Partial:
        """Joins two outcomes by an operator that may be regrouped."""
        if op in ("&&", "||") and (left.tree is None) != (right.tree is None):
            decided = self.one_sided(op, left, right)
            if decided is not None:
                return decided
        if left.tree is None and right.tree is None:
            return Partial(self.operate(op, left.value, right.value))
        if left.tree is None and right.op == "":
            return Partial(left.value, right.tree, op)
        if right.tree is None and left.op == "":
            return Partial(right.value, left.tree, op)
        if op not in (left.op, right.op):
            return Partial(None, Binary(op, left.node(), right.node()))
        return self.regroup(op, left, right)

    def one_sided(self, op: str, left: Partial, right: Partial) -> Partial | None:
        """A logical operator with one known operand."""
        a = left.value if left.tree is None else UNDEFINED
        b = right.value if right.tree is None else UNDEFINED
        value = self.operate(op, a, b)
        if type(value) is bool:
            return Partial(value)
        if op == "&&" and as_bool(a) is True:
            return Partial(None, right.node())
        if op == "&&" and as_bool(b) is True:
            return Partial(None, left.node())
        return None

    def regroup(self, op: str, left: Partial, right: Partial) -> Partial:
        """At least one side is a constant joined to a tree by the same operator."""
        if left.op == op and right.op == op:
            assert left.tree is not None
            assert right.tree is not None
            return Partial(self.operate(op, left.value, right.value), Binary(op, left.tree, right.tree), op)
        kept, other = (left, right) if left.op == op else (right, left)
        assert kept.tree is not None
        if other.tree is None:
            return Partial(self.operate(op, left.value, right.value), kept.tree, op)
        rest = Partial(None, other.node())
        assert rest.tree is not None
        joined = Binary(op, kept.tree, rest.tree) if kept is left else Binary(op, rest.tree, kept.tree)
        return Partial(kept.value, joined, op)


def _truth(part: Partial) -> Partial:
    """A number that is an operand of a logical operator becomes a boolean."""
    truth = as_bool(part.value) if part.tree is None else None
    return part if truth is None else Partial(truth)

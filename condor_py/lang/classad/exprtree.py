"""Expressions as objects, and the memory of texts already parsed."""

from __future__ import annotations

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import Literal, Node, same
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.record import Face, Record, parse_attributes
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import ERROR, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ExprTree:
    """An expression, not bound to any ad. Compatible with ``classad2.ExprTree``."""

    __slots__ = ("node",)
    node: Node

    def __init__(self, expr: str | ExprTree | None = None) -> None:
        """From text in new format, from another expression, or undefined. ClassAdParseError for bad text."""
        if expr is None:
            self.node = parse_node("undefined")
        elif isinstance(expr, ExprTree):
            self.node = expr.node
        else:
            self.node = _parse_like_classad2(str(expr))

    @classmethod
    def of(cls, node: Node) -> ExprTree:
        """The expression of a tree."""
        tree = cls.__new__(cls)
        tree.node = node
        return tree

    @property
    def text(self) -> str:
        """Old-format text, as the tools print it."""
        return unparse(self.node)

    def raw(self, scope: Record | None = None, target: Record | None = None) -> Any:
        """The value in this package's own types (see values). ClassAdEvaluationError beyond the limits."""
        return evaluate.run(self.node, scope, target)

    def eval(self, scope: Record | None = None, target: Record | None = None) -> Any:
        """The value as a Python object: see ``convert.to_python``. ``target`` counts only together with ``scope``."""
        if target is not None or scope is None:
            _check_ad(scope, "scope")
            _check_ad(target, "target")
            target = None if scope is None else target
        try:
            value = evaluate.run(self.node, scope, target)
        except TypeError:
            _check_ad(scope, "scope")
            raise
        if type(value) in PLAIN:
            return value
        from condor_py.lang.classad.convert import to_python

        return to_python(value)

    def simplify(self, scope: Record | None = None, target: Record | None = None) -> ExprTree:
        """The value as an expression."""
        _check_ad(scope, "scope")
        _check_ad(target, "target")
        return ExprTree.of(evaluate.as_node(self.raw(scope, target if scope is not None else None)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExprTree) and same(self.node, other.node)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from condor_py.lang.classad.pretty import pretty

        return pretty(self.node)

    def __repr__(self) -> str:
        return unparse(self.node, old=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return (ExprTree, (repr(self),))


Face.tree = ExprTree


def _check_ad(ad: object, what: str) -> None:
    if ad is not None and not isinstance(ad, Record):
        raise TypeError(f"{what} must be a ClassAd")


def _parse_like_classad2(text: str) -> Node:
    """classad2 reads the text inside ``[expression = …]``, so what follows a ``]`` or ``;`` goes unnoticed."""
    if native is not None and "]" not in text and ";" not in text:
        node: Node | None = native.parse_node(text, False, True)
        if node is not None:
            return node
    attrs, _ = parse_attributes(f"[expression = {text}]")
    binding = attrs.get("expression")
    return Literal(ERROR) if binding is None else binding.node


_parsed: dict[str, ExprTree] = {}
#: Texts of others come here, too: what is remembered must not fill the memory.
_LONGEST_REMEMBERED = 4096


def parse(text: str) -> ExprTree:
    """The expression ``text`` in old format (which is new format but for backslashes in strings).

    Results are remembered. ClassAdParseError, with the offset, where it does not parse to its end.
    """
    tree = _parsed.get(text)
    if tree is None:
        tree = ExprTree.of(parse_node(text))
        if len(_parsed) >= 4096:
            _parsed.clear()
        if len(text) <= _LONGEST_REMEMBERED:
            _parsed[text] = tree
    return tree


def is_valid(text: str) -> bool:
    """Whether ``text`` parses as an expression."""
    try:
        parse(text)
    except ClassAdParseError:
        return False
    return True

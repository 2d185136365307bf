"""``ExprTree`` of the first version: it remembers its ad, and operators make new expressions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from condor_py.bindings.first.errors import ClassAdEvaluationError, ClassAdValueError, translate, translated
from condor_py.bindings.first.numbered import Numbered, numbered
from condor_py.lang import classad as second
from condor_py.lang.classad.convert import from_python
from condor_py.lang.classad.nodes import Attr, Binary, Call, ListNode, Literal, Node, Paren, same

_UNSUBSCRIPTABLE = "ClassAd expression is unsubscriptable."
_NO_NUMBER = "Unable to convert expression to numeric type."
_NO_EXPRESSION = "Unable to convert Python object to a ClassAd expression."
_ORDER = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "is": 6, "isnt": 6, "<": 7, "<=": 7, ">": 7}
_ORDER |= {">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}


class _Value(Numbered):
    """Undefined and error: they have no number, and operators make expressions of them."""

    def __bool__(self) -> bool:
        return False

    def __int__(self) -> int:
        raise ClassAdValueError(_NO_NUMBER)

    def __float__(self) -> float:
        raise ClassAdValueError(_NO_NUMBER)

    def __index__(self) -> int:
        return int.__index__(self)

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __eq__(self, other: object) -> Any:
        return True if self is other else _binary("==", self, other)

    @property
    def name(self) -> str:
        return "Error" if int.__eq__(self, 1) else "Undefined"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_value_named, (self.name,))


Value: Any = numbered("classad.classad", "Value", {"Error": 1, "Undefined": 2}, _Value)


def _value_named(name: str) -> Any:
    return Value.names[name]


class ExprTree(second.ExprTree):
    """An expression. ``and_``, ``or_``, ``is_``, ``isnt_`` and Python's operators make new ones of it.

    What was taken from an ad is evaluated in it.
    """

    __slots__ = ("_home",)
    _home: Any

    def __init__(self, expr: Any) -> None:
        self._home = None
        if isinstance(expr, str):
            translate(super().__init__, expr)
        else:
            self.node = node_of(expr)
            self._home = getattr(expr, "_home", None)

    @classmethod
    def made(cls, node: Node, home: Any = None) -> ExprTree:
        """The expression of a tree, taken from the ad ``home``."""
        tree = cls.__new__(cls)
        tree.node = node
        tree._home = home
        return tree

    def eval(self, scope: Any = None, target: Any = None) -> Any:
        """The value in ``scope``, or in the ad from which this was taken."""
        place = scope if isinstance(scope, second.ClassAd) else self._home
        with translated():
            return outward(super().eval(place, target), place)

    def simplify(self, scope: Any = None, target: Any = None) -> ExprTree:
        """The value as an expression."""
        place = scope if isinstance(scope, second.ClassAd) else self._home
        with translated():
            return ExprTree.made(super().simplify(place, target).node)

    def sameAs(self, expr: ExprTree) -> bool:
        """Whether both are written alike."""
        return isinstance(expr, second.ExprTree) and same(self.node, expr.node)

    def and_(self, expr: Any) -> ExprTree:
        """``self && expr``."""
        return _binary("&&", self, expr)

    def or_(self, expr: Any) -> ExprTree:
        """``self || expr``."""
        return _binary("||", self, expr)

    def is_(self, expr: Any) -> ExprTree:
        """``self =?= expr``."""
        return _binary("is", self, expr)

    def isnt_(self, expr: Any) -> ExprTree:
        """``self =!= expr``."""
        return _binary("isnt", self, expr)

    def _get(self, index: Any) -> ExprTree:
        return ExprTree.made(Binary("[]", self.node, node_of(index)), self._home)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(self.node, ListNode) or not isinstance(index, int):
            value = self.eval()
            if not isinstance(value, list) or not isinstance(index, int):
                raise ClassAdValueError(_UNSUBSCRIPTABLE)
            return value[index]
        try:
            node = self.node.items[index]
        except IndexError:
            raise IndexError("list index out of range") from None
        return outward(second.ExprTree.of(node).eval() if isinstance(node, Literal) else second.ExprTree.of(node), None)

    def __bool__(self) -> bool:
        value = self.eval()
        if value is Value.Error:
            raise ClassAdEvaluationError("Unable to evaluate expression.")
        return value is not Value.Undefined and bool(value)

    def __int__(self) -> int:
        return int(self._number())

    def __float__(self) -> float:
        return float(self._number())

    def _number(self) -> float:
        value = self.eval()
        if isinstance(value, str):
            try:
                return float(value) if "." in value or "e" in value.lower() else int(value)
            except ValueError:
                raise ClassAdValueError("Unable to convert string to integer.") from None
        if isinstance(value, (bool, int, float)) and not isinstance(value, _Value):
            return value
        raise ClassAdValueError(_NO_NUMBER)

    def __eq__(self, other: object) -> Any:
        return _binary("==", self, other)

    def __ne__(self, other: object) -> Any:
        return _binary("!=", self, other)

    def __hash__(self) -> int:  # type: ignore[override]
        return object.__hash__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (ExprTree, (repr(self),))


def outward(value: Any, home: Any) -> Any:
    """A value of the second version as programs of the first know it. Expressions belong to the ad ``home``."""
    if isinstance(value, second.Value):
        return Value.Error if value is second.Value.Error else Value.Undefined
    if isinstance(value, second.ExprTree):
        return ExprTree.made(value.node, home)
    if isinstance(value, list):
        return [outward(item, None) for item in value]
    if isinstance(value, second.ClassAd):
        return {name: outward(second.ClassAd.__getitem__(value, name), None) for name in value}
    if isinstance(value, datetime):
        return value.astimezone().replace(tzinfo=None)
    return value


def inward(value: Any) -> Any:
    """A value that a program of the first version gives, for the second."""
    if isinstance(value, _Value):
        return second.Value.Error if value is Value.Error else second.Value.Undefined
    if isinstance(value, Numbered):
        return int(value)
    if isinstance(value, dict):
        return {name: inward(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [inward(item) for item in value]
    return value


def node_of(value: Any) -> Node:
    """The tree of a Python value. ClassAdValueError when it does not exist."""
    try:
        return from_python(inward(value))
    except (second.ClassAdException, TypeError):
        raise ClassAdValueError(_NO_EXPRESSION) from None


def _binary(op: str, left: Any, right: Any) -> ExprTree:
    home = getattr(left, "_home", None) or getattr(right, "_home", None)
    before = _enclosed(node_of(left), _ORDER[op])
    return ExprTree.made(Binary(op, before, _enclosed(node_of(right), _ORDER[op] + 1)), home)


def _enclosed(node: Node, least: int) -> Node:
    """A tree in brackets where the operator around it would take it apart."""
    return Paren(node) if isinstance(node, Binary) and _ORDER.get(node.op, 0) < least else node


def _operator(op: str, *, swapped: bool = False) -> Any:
    def combine(self: ExprTree, other: Any) -> ExprTree:
        return _binary(op, other, self) if swapped else _binary(op, self, other)

    return combine


_PYTHON = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "mod": "%", "lshift": "<<", "rshift": ">>"}
_PYTHON |= {"and": "&", "or": "|", "xor": "^"}
for _name, _op in _PYTHON.items():
    setattr(ExprTree, f"__{_name}__", _operator(_op))
    setattr(ExprTree, f"__r{_name}__", _operator(_op, swapped=True))
for _name, _op in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(ExprTree, f"__{_name}__", _operator(_op))


def Attribute(name: str) -> ExprTree:
    """A reference to an attribute."""
    return ExprTree.made(Attr(None, name))


def Function(name: str, *args: Any) -> ExprTree:
    """A call of a function of the ClassAd language."""
    return ExprTree.made(Call(name, [node_of(arg) for arg in args]))


def Literal_(obj: Any) -> ExprTree:
    """A constant, or what an expression evaluates to. ClassAdValueError for lists and ads."""
    tree = ExprTree.made(node_of(obj))
    node = tree.node if isinstance(tree.node, Literal) else tree.simplify().node
    if not isinstance(node, Literal):
        raise ClassAdValueError("Unable to convert expression to literal")
    return ExprTree.made(node)

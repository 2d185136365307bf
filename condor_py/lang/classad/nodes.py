"""The expression tree: immutable nodes, shared between ads.

Every node knows its ``height`` (operators on the longest path that evaluation nests) and ``size`` (nodes in it), so
that the evaluator can keep HTCondor's limits without counting at every step.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Node:
    """Base of all nodes. ``fn`` is the compiled expression, set by the evaluator for the roots it has met."""

    __slots__ = ("fn", "height", "size")
    fn: Callable[[Any], Any]
    height: int
    size: int


class Literal(Node):
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value
        self.height = 0
        self.size = 1


class Attr(Node):
    """``name``, ``.name`` (absolute) or ``scope.name``."""

    __slots__ = ("absolute", "key", "name", "scope")

    def __init__(self, scope: Node | None, name: str, absolute: bool = False) -> None:
        self.scope = scope
        self.name = name
        self.key = name.lower()
        self.absolute = absolute
        self.height = 0 if scope is None else scope.height + 1
        self.size = 1 if scope is None else scope.size + 1


class Paren(Node):
    """An expression in parentheses; kept because HTCondor prints them as they were written."""

    __slots__ = ("inner",)

    def __init__(self, inner: Node) -> None:
        self.inner = inner
        self.height = inner.height + 1
        self.size = inner.size + 1


class Unary(Node):
    """``op`` is one of ``+ - ! ~``."""

    __slots__ = ("inner", "op")

    def __init__(self, op: str, inner: Node) -> None:
        self.op = op
        self.inner = inner
        self.height = inner.height + 1
        self.size = inner.size + 1


class Binary(Node):
    """``op`` is a binary operator, ``?:`` or ``[]`` (subscript)."""

    __slots__ = ("left", "op", "right")

    def __init__(self, op: str, left: Node, right: Node) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.height = 1 + (left.height if left.height > right.height else right.height)
        self.size = 1 + left.size + right.size


class Ternary(Node):
    """``test ? yes : no``."""

    __slots__ = ("no", "test", "yes")

    def __init__(self, test: Node, yes: Node, no: Node) -> None:
        self.test = test
        self.yes = yes
        self.no = no
        self.height = 1 + max(test.height, yes.height, no.height)
        self.size = 1 + test.size + yes.size + no.size


class Call(Node):
    """A function call."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, args: Sequence[Node]) -> None:
        self.name = name
        self.args = tuple(args)
        self.height = max((a.height for a in self.args), default=0)
        self.size = 1 + sum(a.size for a in self.args)


class ListNode(Node):
    """``{ a, b }``; its elements are evaluated only when used."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[Node]) -> None:
        self.items = tuple(items)
        self.height = 0
        self.size = 1 + sum(a.size for a in self.items)


class AdNode(Node):
    """``[ a = 1; b = 2 ]``: pairs of name and expression, in storage order, names unique without case."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[tuple[str, Node]]) -> None:
        unique: dict[str, tuple[str, Node]] = {}
        for name, node in items:
            key = name.lower()
            unique[key] = (unique[key][0] if key in unique else name, node)
        self.items = tuple(sorted(unique.values(), key=storage_key))
        self.height = 0
        self.size = 1 + sum(node.size for _, node in self.items)


def storage_key(pair: tuple[str, Any]) -> tuple[int, str]:
    """Sort key of HTCondor's storage order: length of the name in bytes, then the name without case."""
    name = pair[0]
    return (len(name) if name.isascii() else len(name.encode("utf-8", "surrogateescape")), name.lower())


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-expressions of ``node``."""
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, (Paren, Unary)):
        return (node.inner,)
    if isinstance(node, Ternary):
        return (node.test, node.yes, node.no)
    if isinstance(node, Call):
        return node.args
    if isinstance(node, ListNode):
        return node.items
    if isinstance(node, AdNode):
        return tuple(item for _, item in node.items)
    if isinstance(node, Attr) and node.scope is not None:
        return (node.scope,)
    return ()


def same(first: Node, second: Node) -> bool:
    """Whether two trees are equal as HTCondor compares them (attribute and function names with case)."""
    work = [(first, second)]
    while work:
        a, b = work.pop()
        if a is b:
            continue
        if type(a) is not type(b) or _label(a) != _label(b):
            return False
        below_a, below_b = children(a), children(b)
        if len(below_a) != len(below_b):
            return False
        work.extend(zip(below_a, below_b, strict=True))
    return True


def _label(node: Node) -> tuple[Any, ...]:
    """Return what distinguishes a node apart from its children."""
    if isinstance(node, Literal):
        return (type(node.value), node.value)
    if isinstance(node, Attr):
        return (node.name, node.absolute)
    if isinstance(node, (Unary, Binary)):
        return (node.op,)
    if isinstance(node, Call):
        return (node.name,)
    if isinstance(node, AdNode):
        return tuple(name.lower() for name, _ in node.items)
    return ()

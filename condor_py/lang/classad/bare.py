"""Bare words in expressions: names of attributes that no ad has, where a string was meant."""

from __future__ import annotations

from condor_py.lang.classad.errors import ClassAdError
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.nodes import Attr, Binary, Call, Literal, Node, Paren, Ternary, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COMPARED = frozenset(("==", "!=", "=?=", "=!="))
#: Functions that ask whether something is there at all.
_ASKING = frozenset(("isundefined", "ifthenelse"))


def bare_words(text: str, known: Callable[[str], bool]) -> Iterator[str]:
    """The names in ``text`` that are compared, or are all of it, and that ``known`` does not know."""
    if not text.strip():
        return
    try:
        root = parse(text).node
    except ClassAdError:
        return
    yield from dict.fromkeys(_in(root, known, whole=True))


def _in(node: Node, known: Callable[[str], bool], *, whole: bool = False) -> Iterator[str]:
    inner = _inside(node)
    if whole and (name := _unknown(inner, known)):
        yield name
    elif isinstance(inner, Ternary):
        yield from _in(inner.test, known)
        for branch in (inner.yes, inner.no):
            yield from _in(branch, known, whole=whole)
        return
    elif isinstance(inner, Binary) and inner.op in _COMPARED:
        left, right = _inside(inner.left), _inside(inner.right)
        for one, other in ((left, right), (right, left)):
            if (name := _unknown(one, known)) and isinstance(other, Attr) and known(other.name):
                yield name
    for child in children(inner):
        yield from _in(child, known)


def _inside(node: Node) -> Node:
    while isinstance(node, Paren):
        node = node.inner
    return node


def _unknown(node: Node, known: Callable[[str], bool]) -> str:
    """The name of an attribute that is written without a scope and not known; "" for anything else."""
    return node.name if isinstance(node, Attr) and node.scope is None and not known(node.name) else ""


def unguarded(text: str, known: Callable[[str], bool]) -> Iterator[str]:
    """The names without a scope that ``known`` does not know and that the text does not expect to be undefined."""
    try:
        root = parse(text).node
    except ClassAdError:
        return
    found: dict[str, None] = {}
    guarded: set[str] = set()
    _collect(root, known, found, guarded)
    yield from (name for name in found if name.lower() not in guarded)


def _collect(node: Node, known: Callable[[str], bool], found: dict[str, None], guarded: set[str]) -> None:
    inner = _inside(node)
    if name := _unknown(inner, known):
        found[name] = None
    elif isinstance(inner, Binary) and inner.op in ("=?=", "=!=", "?:"):
        sides = (inner.left,) if inner.op == "?:" else (inner.left, inner.right)
        guarded.update(side.name.lower() for side in map(_inside, sides) if isinstance(side, Attr))
    elif isinstance(inner, Call) and inner.name.lower() in _ASKING:
        guarded.update(one.name.lower() for one in map(_inside, inner.args) if isinstance(one, Attr))
    if not isinstance(inner, Literal):
        for child in children(inner):
            _collect(child, known, found, guarded)

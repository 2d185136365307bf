"""The attributes that an expression names, and the values that they have."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.nodes import AdNode, Attr, Call, Node, children
from condor_py.lang.classad.unparse import value_text
from condor_py.lang.classad.values import UNDEFINED

#: Scope (``MY``, ``TARGET``, or empty where no ad has the name), name, value as text.
Read = tuple[str, str, str]

_MINE = frozenset(("my", "self"))
_OTHERS = frozenset(("target", "other"))


def _scope(node: Attr) -> str | None:
    """``MY``, ``TARGET``, empty without scope, None for anything else in front of the dot."""
    if node.scope is None:
        return ""
    if isinstance(node.scope, Attr) and node.scope.scope is None and not node.scope.absolute:
        if node.scope.key in _MINE:
            return "MY"
        if node.scope.key in _OTHERS:
            return "TARGET"
    return None


def named(node: Node) -> Iterator[tuple[str, str]]:
    """Scope as written (``MY``, ``TARGET`` or empty) and name of the attributes in ``node``, in order of the text.

    Names that a nested ad in ``node`` defines are not attributes of the two ads and are left out.
    """
    work: list[tuple[Node, frozenset[str]]] = [(node, frozenset())]
    while work:
        current, hidden = work.pop()
        if isinstance(current, Attr):
            scope = _scope(current)
            if scope is not None:
                if scope or current.key not in hidden:
                    yield scope, current.name
                continue
        elif isinstance(current, AdNode):
            hidden = hidden | {name.lower() for name, _ in current.items}
        elif isinstance(current, Call) and current.name.lower() in _PER_CONTEXT and current.args:
            # The first argument is evaluated in each of the ads of the second one.
            current = current.args[-1]
            work.append((current, hidden))
            continue
        work.extend((child, hidden) for child in reversed(children(current)))


_PER_CONTEXT = frozenset(("evalineachcontext", "countmatches"))


def reads(node: Node, ad: ClassAd, target: ClassAd | None = None) -> tuple[Read, ...]:
    """The attributes that ``node`` names, each once, with their values; those that no ad has are undefined."""
    found: dict[tuple[str, str], Read] = {}
    for scope, name in named(node):
        if not scope:
            scope = "MY" if ad.has(name) else "TARGET" if target is not None and target.has(name) else ""
        key = (scope, name.lower())
        if key not in found:
            found[key] = (scope, name, _value(scope, name, ad, target))
    return tuple(found.values())


def _value(scope: str, name: str, ad: ClassAd, target: ClassAd | None) -> str:
    owner, other = (target, ad) if scope == "TARGET" else (ad, target)
    return value_text(UNDEFINED if owner is None else owner.raw(name, other))

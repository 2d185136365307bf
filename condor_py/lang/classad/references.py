"""The attributes that an expression refers to: the basis of significant attributes and of projections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSet
from typing import NamedTuple

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.nodes import AdNode, Attr, Node, children
from condor_py.lang.classad.record import Binding, Record, record_of
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import UNDEFINED


class NameSet(MutableSet[str]):
    """Attribute names without case; remembers how each was first spelled. Iterates in order without case."""

    __slots__ = ("_names",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        self.update(names)

    def add(self, value: str) -> None:
        """Add a name, unless it is there in another spelling."""
        self._names.setdefault(value.lower(), value)

    def update(self, names: Iterable[str]) -> None:
        """Adds every name."""
        for name in names:
            self.add(name)

    def discard(self, value: str) -> None:
        """Remove a name in whatever spelling."""
        self._names.pop(value.lower(), None)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value.lower() in self._names

    def __iter__(self) -> Iterator[str]:
        for key in sorted(self._names):
            yield self._names[key]

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"NameSet({list(self)!r})"


class References(NamedTuple):
    """Names that an expression takes from its own ad, and names that it needs from the other one."""

    my: NameSet
    target: NameSet


def attribute_references(expr: str | ExprTree, ad: Record | None = None) -> References:
    """The names that ``expr`` refers to, also through the attributes of ``ad`` that it uses.

    An unscoped name counts as the ad's own where ``ad`` defines it, else as one of the other ad.
    """
    node = (parse(expr) if isinstance(expr, str) else expr).node
    walk = _Matchmaking(ad)
    walk.visit(node)
    return References(walk.my, walk.target)


def external_references(expr: str | ExprTree, ad: Record | None = None) -> NameSet:
    """The names that ``expr``, evaluated in ``ad``, needs from the other ad of a match."""
    return attribute_references(expr, ad).target


class _Matchmaking:
    """Collects names for matchmaking: ``MY.x`` and ``TARGET.x`` decide by their prefix, never by evaluation."""

    def __init__(self, ad: Record | None) -> None:
        self.ad = ad
        self.my = NameSet()
        self.target = NameSet()
        self.seen: set[str] = set()

    def visit(self, node: Node) -> None:
        work = [node]
        while work:
            current = work.pop()
            if not isinstance(current, Attr):
                work.extend(children(current))
                continue
            follow = self.reference(current)
            if follow is not None:
                work.append(follow)

    def reference(self, attr: Attr) -> Node | None:
        """Note one reference; return the expression to continue with, if any."""
        scope = attr.scope
        if scope is None:
            return self.own(attr.name, attr.key)
        if isinstance(scope, Attr) and scope.scope is None and not scope.absolute:
            if scope.key in ("target", "other"):
                self.target.add(attr.name)
                return None
            if scope.key in ("my", "self"):
                return self.own(attr.name, attr.key, mine=True)
        return scope

    def own(self, name: str, key: str, mine: bool = False) -> Node | None:
        binding = self.ad.find(key) if self.ad is not None else None
        if binding is None:
            (self.my if mine else self.target).add(name)
            return None
        self.my.add(binding.name)
        if key in self.seen:
            return None
        self.seen.add(key)
        return binding.node


class _Walk:
    """The walk of classad2: scopes are evaluated, names found in the ad are followed."""

    def __init__(self, ad: Record, node: Node, match: evaluate.State | None = None) -> None:
        self.state = evaluate.State(ad)
        if match is None:
            self.state.loose = evaluate.loose_nodes(node)
        else:
            self.state.left, self.state.right = match.left, match.right
        self.root = ad
        self.names = NameSet()
        self.depth = 0
        self.as_scope = False

    def enter(self) -> None:
        self.depth += 1
        if self.depth > evaluate.MAX_DEPTH:
            raise ClassAdParseError("Unable to determine references.")

    def each_child(self, node: Node, visit: Callable[[Node], None]) -> None:
        for child in children(node):
            self.enter()
            visit(child)
            self.depth -= 1

    def follow(self, found: Record | Binding, owner: Record, visit: Callable[[Node], None]) -> None:
        """Continue in what a name refers to."""
        before = self.state.ad
        self.enter()
        if isinstance(found, Binding):
            self.state.ad = owner
            visit(found.node)
        else:
            self.state.ad = owner
            for binding in found.bindings():
                visit(binding.node)
        self.depth -= 1
        self.state.ad = before

    def locate(self, start: Record, key: str) -> tuple[Record | Binding, Record] | None:
        """Return what the name means seen from ``start``, and the ad in which it was found."""
        ad: Record | None = start
        while ad is not None:
            binding = ad.find(key)
            if binding is not None:
                return binding, ad
            if key in ("self", "my"):
                return ad, ad
            if key in ("toplevel", "root"):
                return self.root, ad
            if key == "parent":
                return None if ad.scope is None else (ad.scope, ad)
            ad = ad.scope
        return None

    def scope_value(self, node: Node) -> object:
        try:
            return evaluate.compiled(node)(self.state)
        except ClassAdEvaluationError as error:
            raise ClassAdParseError("Unable to determine references.") from error


def external_names(ad: Record, node: Node, match: evaluate.State | None = None) -> NameSet:
    """The names that ``node`` refers to and ``ad`` does not define, as classad2 finds them.

    ``match`` lends its two ads for the scopes in ``node``.
    ClassAdParseError where it gives up: cycles, and scopes that are no ad.
    """
    walk = _Walk(ad, node, match)

    def visit(current: Node) -> None:
        if isinstance(current, Attr):
            reference(current)
        elif isinstance(current, AdNode):
            nested(current)
        else:
            walk.each_child(current, visit)

    def nested(current: AdNode) -> None:
        for _, item in current.items:
            walk.enter()
            visit(item)
            walk.depth -= 1

    def reference(attr: Attr) -> None:
        """Note an attribute, and follow what it is."""
        start = walk.root if attr.absolute else walk.state.ad
        if attr.scope is not None:
            value = walk.scope_value(attr.scope)
            if value is UNDEFINED:
                walk.names.add(f"{unparse(attr.scope, old=False)}.{attr.name}")
                return
            if not isinstance(value, Record):
                raise ClassAdParseError("Unable to determine external references.")
            start = value
        if start is None:
            raise ClassAdParseError("Unable to determine external references.")
        found = walk.locate(start, attr.key)
        if found is None:
            if attr.key != "currenttime":
                walk.names.add(attr.name)
            return
        walk.follow(*found, visit)

    visit(node)
    return walk.names


def internal_names(ad: Record, node: Node) -> NameSet:
    """The names of attributes of ``ad`` that ``node`` refers to, also through others, as classad2 finds them."""
    walk = _Walk(ad, node)

    def visit(current: Node) -> None:
        if isinstance(current, Attr):
            reference(current)
        elif isinstance(current, AdNode):
            if not walk.as_scope:
                walk.follow(record_of(current, walk.state.ad), walk.state.ad or ad, visit)
        else:
            walk.each_child(current, visit)

    def reference(attr: Attr) -> None:
        """Note an attribute, and follow what it is."""
        start = walk.root if attr.absolute else walk.state.ad
        if attr.scope is not None:
            before, walk.as_scope = walk.as_scope, True
            visit(attr.scope)
            walk.as_scope = before
            value = walk.scope_value(attr.scope)
            if value is UNDEFINED:
                return
            if not isinstance(value, Record):
                raise ClassAdParseError("Unable to determine internal references.")
            start = value
        found = walk.locate(start, attr.key) if start is not None else None
        if found is None:
            return
        target, owner = found
        if owner is walk.root and isinstance(target, Binding):
            walk.names.add(attr.name)
        if isinstance(target, Binding) or not walk.as_scope:
            walk.follow(target, owner, visit)

    visit(node)
    return walk.names

"""Why an expression is not true: which of its clauses fails against an ad, and with which values.

The clauses are the conjuncts of the expression: through ``&&`` and parentheses, through ``?:`` (a clause of one branch
becomes ``test ? clause : true``) and through attributes of the own ad that are expressions themselves, such as Start.
Each is evaluated as the whole is: in its ad, matched with the other one.

The clauses, taken together, always come out as the whole. Where splitting would change that (an attribute that
refers to itself through the other ad, an expression near the limits, a random one), the whole is the only clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree
from condor_py.classad.nodes import AdNode, Attr, Binary, Call, Literal, Node, Paren, Ternary, children
from condor_py.classad.record import Record
from condor_py.classad.references import attribute_references
from condor_py.classad.unparse import unparse, value_text
from condor_py.classad.values import UNDEFINED, as_bool

Outcome = Choice["true", "false", "undefined", "error"]
#: Scope (``MY``, ``TARGET``, or empty where no ad has the name), name, value as text.
Read = tuple[str, str, str]

_MINE = frozenset(("my", "self"))
_OTHERS = frozenset(("target", "other"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One conjunct: its text, what it came out as, and the attributes it looks at with the values they have.

    ``via`` names the own attributes through which the clause was reached, outermost first.
    """

    text: str
    outcome: Outcome
    reads: tuple[Read, ...]
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """An expression against one ad: its outcome and its clauses in order."""

    outcome: Outcome
    clauses: tuple[Clause, ...]

    @property
    def failing(self) -> tuple[Clause, ...]:
        """The clauses that are not true; the first of them that is not undefined decides."""
        return tuple(clause for clause in self.clauses if clause.outcome != "true")


@dataclass(frozen=True, slots=True)
class ClauseCount:
    """One conjunct against many targets.

    ``satisfied`` targets make it true; for ``first`` it is the first one that is not; ``alone`` fail nothing but it,
    so they are what dropping it would gain. ``undefined`` and ``error`` count those outcomes among the rest.
    """

    text: str
    satisfied: int
    first: int
    alone: int
    undefined: int
    error: int
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """An expression against many targets.

    ``matched`` of ``total`` make it true. ``relax`` is the index of the clause whose absence adds the most matches,
    None where no single one adds any. ``nearest`` is the index of the target that fails the fewest clauses but at
    least one, None when all match; ``missing`` are the indexes of the clauses which it fails.
    """

    total: int
    matched: int
    clauses: tuple[ClauseCount, ...]
    relax: int | None
    nearest: int | None
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A part of an expression that must be true for the whole to be; see Clause for ``via``."""

    node: Node
    via: tuple[str, ...] = ()


def explain(ad: ClassAd, target: ClassAd | None = None, expr: str | ExprTree = "Requirements") -> Explanation:
    """The clauses of an attribute (by name) or expression of ``ad`` against ``target``."""
    tree = _tree(ad, expr)
    whole = outcome(ad, expr, target)
    parts = conjuncts(tree, ad)
    outcomes = [outcome(ad, ExprTree.of(part.node), target) for part in parts]
    if conjunction(outcomes) != whole:
        parts, outcomes = (Conjunct(tree.node),), [whole]
    found = [
        Clause(unparse(part.node), result, reads(part.node, ad, target), part.via)
        for part, result in zip(parts, outcomes, strict=True)
    ]
    return Explanation(whole, tuple(found))


def survey(ad: ClassAd, targets: Sequence[ClassAd], expr: str | ExprTree = "Requirements") -> Survey:
    """The clauses of an attribute (by name) or expression of ``ad`` against every one of ``targets``."""
    tree = _tree(ad, expr)
    parts = conjuncts(tree, ad)
    trees = [ExprTree.of(part.node) for part in parts]
    wholes = [outcome(ad, expr, target) for target in targets]
    rows = [[outcome(ad, part, target) for part in trees] for target in targets]
    if any(conjunction(row) != whole for row, whole in zip(rows, wholes, strict=True)):
        parts, rows = (Conjunct(tree.node),), [[whole] for whole in wholes]
    failed = [tuple(index for index, result in enumerate(row) if result != "true") for row in rows]
    counts = tuple(_count(part, index, rows, failed) for index, part in enumerate(parts))
    best = max(range(len(counts)), key=lambda index: counts[index].alone)
    short = [index for index, missing in enumerate(failed) if missing]
    nearest = min(short, key=lambda index: len(failed[index]), default=None)
    return Survey(
        total=len(targets),
        matched=len(targets) - len(short),
        clauses=counts,
        relax=best if counts[best].alone else None,
        nearest=nearest,
        missing=() if nearest is None else failed[nearest],
    )


def _count(part: Conjunct, index: int, rows: list[list[Outcome]], failed: list[tuple[int, ...]]) -> ClauseCount:
    column = [row[index] for row in rows]
    return ClauseCount(
        text=unparse(part.node),
        satisfied=column.count("true"),
        first=sum(1 for missing in failed if missing[:1] == (index,)),
        alone=failed.count((index,)),
        undefined=column.count("undefined"),
        error=column.count("error"),
        via=part.via,
    )


def outcome(ad: ClassAd, expr: str | ExprTree, target: ClassAd | None = None) -> Outcome:
    """What an attribute (by name) or expression of ``ad`` is as a condition; what is no boolean or number is error."""
    value = ad.raw(expr, target)
    if value is UNDEFINED:
        return "undefined"
    truth = as_bool(value)
    return "error" if truth is None else "true" if truth else "false"


def conjunction(outcomes: Sequence[Outcome]) -> Outcome:
    """``&&`` over the outcomes from left to right: the first false or error decides, else undefined counts."""
    decided: Outcome = "true"
    for one in outcomes:
        if one in ("false", "error"):
            return one
        if one == "undefined":
            decided = one
    return decided


def _tree(ad: ClassAd, expr: str | ExprTree) -> ExprTree:
    if isinstance(expr, ExprTree):
        return expr
    return ExprTree.of(Attr(None, expr)) if not ad.has(expr) else ad.lookup(expr)


# ---- splitting ----------------------------------------------------------------------------------------------


def conjuncts(expr: ExprTree, ad: Record | None = None) -> tuple[Conjunct, ...]:
    """The conjuncts of an expression of ``ad``, at least one. They do not depend on a target."""
    return tuple(_split(expr.node, ad, ())) or (Conjunct(expr.node),)


def _split(node: Node, ad: Record | None, via: tuple[str, ...]) -> Iterator[Conjunct]:
    """The conjuncts of ``node``; constants that are true are left out."""
    parts: list[Node] = []
    walk = node
    while True:
        while isinstance(walk, Paren):
            walk = walk.inner
        if not (isinstance(walk, Binary) and walk.op == "&&"):
            break
        parts.append(walk.right)
        walk = walk.left
    if parts:
        for part in (walk, *reversed(parts)):
            yield from _split(part, ad, via)
    elif isinstance(walk, Ternary):
        yield from _branches(walk, ad, via)
    elif isinstance(walk, Literal) and as_bool(walk.value) is True:
        return
    else:
        inside = _own_expression(walk, ad, via)
        if inside is None:
            yield Conjunct(walk, via)
        else:
            yield from _split(inside[1], ad, (*via, inside[0]))


def _branches(node: Ternary, ad: Record | None, via: tuple[str, ...]) -> Iterator[Conjunct]:
    """``t ? a && b : c`` as ``t ? a : true``, ``t ? b : true``, ``t ? true : c``; whole where nothing is gained."""
    yes = list(_split(node.yes, ad, via))
    no = list(_split(node.no, ad, via))
    if len(yes) <= 1 and len(no) <= 1:
        yield Conjunct(node, via)
        return
    for part in yes:
        yield Conjunct(Ternary(node.test, part.node, Literal(True)), part.via)
    for part in no:
        yield Conjunct(Ternary(node.test, Literal(True), part.node), part.via)


def _own_expression(node: Node, ad: Record | None, via: tuple[str, ...]) -> tuple[str, Node] | None:
    """Name and expression of the own attribute that ``node`` names, where it is a conjunction or the like."""
    if ad is None or not isinstance(node, Attr) or node.absolute or _scope(node) not in ("", "MY"):
        return None
    binding = ad.find(node.key)
    if binding is None or any(node.key == name.lower() for name in via):
        return None
    inner = binding.node
    while isinstance(inner, Paren):
        inner = inner.inner
    if isinstance(inner, Literal) or binding.name in attribute_references(ExprTree.of(inner), ad).my:
        return None
    return binding.name, inner


# ---- what a clause looks at ---------------------------------------------------------------------------------


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

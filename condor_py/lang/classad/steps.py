"""The steps of a condition as HTCondor's analysis numbers them (see `explain` for its clauses).

Where `explain` takes a condition apart into what all must hold, this follows every ``&&``, ``||`` and comparison, in
the order in which they are complete: ``A && B`` is [0] for A, [1] for B, [2] for both. What is neither (arithmetic,
``?:``, a function) is a step only where a truth is expected of it. `condor_py.lang.classad.stepcounts` counts what
steps let through.
"""

from __future__ import annotations

from collections.abc import Callable

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.nodes import Attr, Binary, Call, Literal, Node, Paren, Ternary, Unary, children
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.references import NameSet, external_names, internal_names
from condor_py.lang.classad.unparse import unparse

#: The operators whose operands are truths; "?" is ifThenElse() where its branches are steps.
NOT, OR, AND, BRANCH = "!", "||", "&&", "?"
_COMPARISONS = frozenset(("<", "<=", "!=", "==", ">=", ">", "=?=", "=!=", "is", "isnt"))
_NONE = -1


class Step:
    """One step of a condition.

    ``op`` joins the steps ``left``, ``right`` and ``other`` (numbers, -1: none); a step without one is a condition
    of its own, which may still have steps in it. ``counts`` are the targets that make it true, those as they are
    and those as they would be. ``constant`` is its value where it asks nothing of a target; it is ``variable`` where
    time has to do with it. ``stands_for`` is the step that decides in its place (-1: itself), ``dont_care`` says
    that it cannot matter.
    """

    __slots__ = (
        "constant", "counts", "dont_care", "label", "left", "node", "op", "other", "right", "stands_for", "text",
        "tree", "variable",
    )  # fmt: skip

    def __init__(self, node: Node, op: str, label: str, parts: tuple[int, int, int], variable: bool) -> None:
        self.left, self.right, self.other = parts
        self.op = op
        self.label = label
        self.variable = variable
        self.constant: bool | None = None
        self.stands_for = _NONE
        self.dont_care = False
        self.counts = [0, 0]
        self.become(node)

    def become(self, node: Node) -> None:
        """Makes this the step of ``node``."""
        self.node = node
        self.tree = ExprTree.of(node)
        self.text = unparse(node, old=False)

    @property
    def count(self) -> int:
        """The targets of both kinds."""
        return self.counts[0] + self.counts[1]

    @property
    def parts(self) -> tuple[int, int, int]:
        """The numbers of the steps that it is made of, -1 for none."""
        return self.left, self.right, self.other

    def joined(self) -> str:
        """``[0] && [1]``; "" where it joins no steps."""
        if self.op == NOT:
            return f" ! [{self.left}]" if self.left >= 0 else ""
        if self.op == BRANCH:
            return f"ifThenElse([{self.left}],[{self.right}],[{self.other}])"
        return f"[{self.left}] {self.op} [{self.right}]" if self.op else ""

    def shown(self) -> str:
        """Return the text of the step in the table of counts."""
        if not self.label:
            self.label = self.joined() or self.text
        return self.label

    def numbered(self) -> str:
        """Return the text of the step in the list of steps."""
        return self.joined() or (self.text if self.left < 0 else f"[{self.left}] {self.text}")


class _Frame:
    """The facts known of a node while its parts are visited."""

    __slots__ = ("inline", "label", "node", "op", "parts", "pushed", "wanted")

    def __init__(self, node: Node, wanted: bool, inline: frozenset[str]) -> None:
        self.node = node
        self.wanted = wanted
        self.inline = inline
        self.op = ""
        self.label = ""
        self.pushed = wanted
        self.parts: list[tuple[Node | None, bool]] = []


def steps_of(
    ad: ClassAd,
    condition: ExprTree,
    inline: frozenset[str] = frozenset(),
    *,
    branches: bool = False,
    shared: bool = True,
) -> list[Step]:
    """Every step of a ``condition`` of ``ad``, not counted.

    Attributes of the ad whose lower-case names are in ``inline`` are taken apart like their expressions, once.
    With ``branches`` what ifThenElse() chooses from are steps as well. A condition that HTCondor shares between ads
    (what it has read in the long form, but for lists and ads) is looked into as if no truth were expected of it.
    """
    node = condition.node

    def collect() -> list[Step]:
        found: list[Step] = []
        number, variable = _collect(ad, node, not shared, inline, found, branches)
        if number < 0:
            found.append(Step(node, "", "", (_NONE, _NONE, _NONE), variable))
        return found

    return with_deep_stack(collect)


def _collect(
    ad: ClassAd, node: Node, wanted: bool, inline: frozenset[str], found: list[Step], branches: bool
) -> tuple[int, bool]:
    """Adds the steps of a node; the number of its own (-1: none) and whether time has to do with it."""
    frame = _Frame(node, wanted, inline)
    variable = _describe(ad, frame, branches)
    numbers = [_NONE, _NONE, _NONE]
    for index, (part, asked) in enumerate(frame.parts):
        if part is not None:
            numbers[index], varies = _collect(ad, part, asked, frame.inline, found, branches)
            variable = variable or varies
    alone = len(frame.parts) == 1
    if not frame.pushed:
        return numbers[0] if alone else _NONE, variable
    if alone and numbers[0] >= 0:
        if frame.op == NOT and numbers[0] == len(found) - 1:
            _negate(found[-1], node)
        return numbers[0], variable
    left, right, other = numbers
    found.append(Step(node, frame.op, frame.label, (left, right, other), variable))
    return len(found) - 1, variable


def _negate(step: Step, node: Node) -> None:
    """The step before a ``!`` becomes that of the whole."""
    step.become(node)
    step.op = NOT
    if step.label:
        step.label = "! " + step.label


def _describe(ad: ClassAd, frame: _Frame, branches: bool) -> bool:
    """Fills a frame in; whether the node itself is about time."""
    node = frame.node
    if isinstance(node, Attr):
        return _describe_name(ad, frame, node)
    if isinstance(node, Call):
        return _describe_call(frame, node, branches)
    if isinstance(node, Literal):
        frame.label = unparse(node, old=False)
    elif isinstance(node, Paren):
        frame.pushed = False
        frame.parts = [(node.inner, True)]
    elif isinstance(node, Unary):
        negated = node.op == NOT
        frame.op = NOT if negated else ""
        frame.pushed = frame.wanted or negated
        frame.parts = [(node.inner, negated)]
    elif isinstance(node, Binary):
        logical = node.op in (AND, OR)
        frame.op = node.op if logical else ""
        frame.pushed = frame.wanted or logical or node.op in _COMPARISONS
        frame.parts = [(node.left, logical), (node.right, logical)]
    elif isinstance(node, Ternary):
        frame.parts = [(part, False) for part in children(node)]
    return False


def _describe_name(ad: ClassAd, frame: _Frame, node: Attr) -> bool:
    if node.scope is not None:
        frame.parts = [(node.scope, False)]
        return False
    if node.absolute:
        return False
    if node.key in frame.inline:
        binding = ad.find(node.key)
        frame.inline = frozenset()
        if binding is not None:
            frame.parts = [(binding.node, False)]
    return node.key == "currenttime"


def _describe_call(frame: _Frame, node: Call, branches: bool) -> bool:
    frame.label = unparse(node, old=False) if frame.wanted else ""
    name = node.name.lower()
    if branches and name == "ifthenelse" and len(node.args) == 3:
        frame.pushed = True
        frame.op = BRANCH
        frame.parts = [(part, True) for part in node.args]
    return name == "time" and not node.args


def own_names(ad: ClassAd, condition: ExprTree) -> NameSet:
    """The attributes of ``ad`` that a condition of it uses, also through others; none where they go in circles."""
    return _names(lambda: internal_names(ad, condition.node), external=False)


def target_names(ad: ClassAd, condition: ExprTree) -> NameSet:
    """The attributes that a condition of ``ad`` asks of a target; none where that is unknown."""
    return _names(lambda: external_names(ad, condition.node), external=True)


_SCOPES = ("target.", "other.", ".left.", ".right.", ".")


def _names(find: Callable[[], NameSet], *, external: bool) -> NameSet:
    found = NameSet()
    try:
        names = with_deep_stack(find)
    except (ClassAdParseError, ClassAdEvaluationError):
        return found
    for name in names:
        scopes = _SCOPES if external else _SCOPES[-1:]
        scope = next((scope for scope in scopes if name.lower().startswith(scope)), "")
        found.add(name[len(scope) :].partition(".")[0].partition("[")[0])
    return found

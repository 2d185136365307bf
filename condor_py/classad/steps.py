"""The steps of a condition as condor_q -better-analyze counts them (see `explain` for its clauses).

Where `explain` takes a condition apart into what all must hold, this follows every ``&&`` and ``||``. Steps are
numbered in the order in which they are complete: ``A && B`` is [0] for A, [1] for B, [2] for both. Counted against
targets, steps that say nothing beyond others are left out, by the rules of HTCondor's analysis (`condition_counts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree
from condor_py.classad.nodes import Binary, Node, Paren
from condor_py.classad.references import attribute_references
from condor_py.classad.values import as_bool

_AND, _OR = "&&", "||"


class Step(NamedTuple):
    """One step: its number, what it says (a condition, or ``[0] && [1]``), and what came of counting.

    ``matched`` targets make it true; ``constant`` is its value when it asks nothing of a target, else None.
    """

    number: int
    text: str
    matched: int = 0
    constant: bool | None = None


def condition_steps(expr: ExprTree) -> list[Step]:
    """Every step of a condition, not counted."""
    return [Step(number, step.label()) for number, step in enumerate(_steps(expr.node))]


def condition_counts(ad: ClassAd, expr: ExprTree, targets: Sequence[ClassAd]) -> list[Step]:
    """The steps of a condition of ``ad`` that decide, counted against ``targets``."""
    steps = _steps(expr.node)
    _fold_constants(ad, steps)
    for step in steps:
        if step.stands_for < 0 and not step.dont_care and step.constant is None:
            _count(ad, steps, step, targets)
    return [
        Step(number, step.label(), step.count, step.constant)
        for number, step in enumerate(steps)
        if step.stands_for < 0 and not step.dont_care
    ]


def step_counts(ad: ClassAd, expr: ExprTree, targets: Sequence[ClassAd]) -> list[Step]:
    """Every step of a condition of ``ad``, each counted by itself against ``targets``."""
    found = []
    for number, step in enumerate(_steps(expr.node)):
        if not step.op and not attribute_references(step.tree, ad).target:
            step.constant = step.is_true(ad)
        step.count = sum(1 for target in targets if step.is_true(ad, target))
        found.append(Step(number, step.label(), step.count, step.constant))
    return found


class _Step:
    """A step while it is being counted: a leaf condition, or two earlier steps joined by ``op``.

    ``stands_for`` is the number of the step that decides in place of this one, -1 when it decides itself.
    """

    __slots__ = ("constant", "count", "dont_care", "left", "op", "right", "stands_for", "tree")

    def __init__(self, node: Node, op: str = "", left: int = -1, right: int = -1) -> None:
        self.tree = ExprTree.of(node)
        self.op = op
        self.left = left
        self.right = right
        self.constant: bool | None = None
        self.stands_for = -1
        self.dont_care = False
        self.count = 0

    def label(self) -> str:
        return f"[{self.left}] {self.op} [{self.right}]" if self.op else self.tree.text

    def is_true(self, ad: ClassAd, target: ClassAd | None = None) -> bool:
        return as_bool(ad.raw(self.tree, target)) is True


def _steps(condition: Node) -> list[_Step]:
    found: list[_Step] = []
    _collect(condition, found)
    return found


def _collect(node: Node, found: list[_Step]) -> int:
    while isinstance(node, Paren):
        node = node.inner
    if isinstance(node, Binary) and node.op in (_AND, _OR):
        spine = []
        walk: Node = node
        while isinstance(walk, Binary) and walk.op in (_AND, _OR):
            spine.append(walk)
            walk = walk.left
        number = _collect(walk, found)
        for link in reversed(spine):
            right = _collect(link.right, found)
            found.append(_Step(link, link.op, number, right))
            number = len(found) - 1
        return number
    found.append(_Step(node))
    return len(found) - 1


def _fold_constants(ad: ClassAd, steps: list[_Step]) -> None:
    for step in steps:
        if not step.op:
            if not attribute_references(step.tree, ad).target:
                step.constant = step.is_true(ad)
            continue
        left, right = steps[step.left], steps[step.right]
        absorbing = step.op == _OR
        for own, other in ((step.left, step.right), (step.right, step.left)):
            value = steps[own].constant
            if value is absorbing:
                step.constant = absorbing
                step.stands_for = _deciding(steps, own)
                _drop(steps, other)
                break
            if value is (not absorbing) and steps[other].constant is None:
                step.stands_for = _deciding(steps, other)
                _drop(steps, own)
                break
        else:
            if left.constant is not None and left.constant is right.constant:
                step.constant = left.constant
        step.left = _deciding(steps, step.left)
        step.right = _deciding(steps, step.right)


def _drop(steps: list[_Step], index: int) -> None:
    """A step that cannot matter, and what it is made of."""
    work = [index]
    while work:
        step = steps[work.pop()]
        step.dont_care = True
        work.extend(part for part in (step.left, step.right) if part >= 0)


def _deciding(steps: list[_Step], index: int) -> int:
    while steps[index].stands_for >= 0:
        index = steps[index].stands_for
    return index


def _count(ad: ClassAd, steps: list[_Step], step: _Step, targets: Sequence[ClassAd]) -> None:
    if step.op:
        _prune_before(steps, step, len(targets))
    step.count = sum(1 for target in targets if step.is_true(ad, target))
    if step.op == _AND:
        _prune_after(steps, step)
    if step.op:
        step.left, step.right = _deciding(steps, step.left), _deciding(steps, step.right)


def _prune_before(steps: list[_Step], step: _Step, everything: int) -> None:
    """What the counts of the two parts alone decide."""
    left, right = steps[step.left].count, steps[step.right].count
    keep = drop = -1
    if step.op == _AND:
        keep = step.left if left == 0 else step.right if right == 0 else -1
    elif left == everything or (left != 0 and right == 0):
        keep, drop = step.left, step.right
    elif right == everything or (left == 0 and right != 0):
        keep, drop = step.right, step.left
    if drop >= 0:
        _drop(steps, drop)
    if keep >= 0:
        step.stands_for = _deciding(steps, keep)


def _prune_after(steps: list[_Step], step: _Step) -> None:
    """An ``&&`` that lets through what one part lets through says nothing new."""
    for own, other in ((step.left, step.right), (step.right, step.left)):
        if steps[own].count == step.count:
            step.stands_for = _deciding(steps, own)
            if steps[other].count > step.count:
                steps[other].dont_care = True
            return

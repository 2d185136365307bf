"""Counts what the steps of a condition let through, and leaves out those that say nothing beyond others.

The rules are those of HTCondor's analysis, also where it compares numbers of targets and not the targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.steps import AND, BRANCH, NOT, OR, Step, target_names
from condor_py.lang.classad.values import as_bool


class Target(NamedTuple):
    """An ad to count; ``supposed`` ones are counted apart, as what could be."""

    ad: ClassAd
    supposed: bool = False


def holds(ad: ClassAd, tree: ExprTree, target: ClassAd | None = None) -> bool:
    """Whether a condition of ``ad`` is true, or a number that is not 0."""
    try:
        return as_bool(ad.raw(tree, target)) is True
    except ClassAdEvaluationError:
        return False


def count_steps(ad: ClassAd, steps: list[Step], targets: Sequence[Target]) -> None:
    """Counts the steps of a condition of ``ad``: those that decide have counts or a constant afterwards."""
    for step in steps:
        if not target_names(ad, step.tree):
            step.constant = holds(ad, step.tree)
    _Folding(steps).fold()
    _follow(steps)
    for step in steps:
        if step.stands_for < 0 and not step.dont_care and step.constant is None:
            _count(ad, steps, step, targets)


def decides(step: Step) -> bool:
    """Whether a step is to be shown."""
    return step.stands_for < 0 and not step.dont_care


# ---- what is constant ---------------------------------------------------------------------------------------


class _Known(NamedTuple):
    """The facts known of a part: its constant value, and whether time may change it."""

    value: bool | None
    soft: bool

    def mark(self) -> str:
        """The letter behind its number."""
        if self.value is None:
            return ""
        letter = "T" if self.value else "F"
        return letter.lower() if self.soft else letter


class _Folding:
    """Finds what steps are constant because of their parts, and what then cannot matter."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    def fold(self) -> None:
        """Goes through all steps in their order."""
        for step in self.steps:
            if not step.op:
                continue
            idle, soft = self._fold_one(step)
            if step.stands_for >= 0:
                idle, soft = self._settle(step, idle, soft)
            if idle >= 0 and not soft:
                drop(self.steps, idle)

    def _fold_one(self, step: Step) -> tuple[int, bool]:
        """The part that cannot matter (-1: none), and whether time may change that."""
        left, right, other = (self._known(part) for part in step.parts)
        if step.op == NOT:
            if not step.label and step.left >= 0:
                step.label = f" ! [{step.left}]{left.mark()}"
            return -1, False
        if step.op == BRANCH:
            step.label = (
                f"ifThenElse([{step.left}]{left.mark()}, [{step.right}]{right.mark()}, [{step.other}]{other.mark()})"
            )
            return self._fold_branch(step, left)
        step.label = f"[{step.left}]{left.mark()} {step.op} [{step.right}]{right.mark()}"
        return self._fold_or(step, left, right) if step.op == OR else self._fold_and(step, left, right)

    def _known(self, index: int) -> _Known:
        if index < 0 or self.steps[index].constant is None:
            return _Known(None, False)
        part = self.steps[index]
        return _Known(part.constant, part.variable)

    @staticmethod
    def _fold_or(step: Step, left: _Known, right: _Known) -> tuple[int, bool]:
        if left.value or right.value:
            step.constant = True
            step.variable = left.soft and right.soft
            if left.value:
                step.stands_for = step.left
                return step.right, left.soft and (right.value is not False or right.soft)
            step.stands_for = step.right
            return step.left, right.soft and (left.value is not False or left.soft)
        if left.value is False and right.value is False:
            step.constant = False
            step.variable = left.soft or right.soft
        elif left.value is False:
            step.stands_for = step.right
            return step.left, left.soft
        elif right.value is False:
            step.stands_for = step.left
            return step.right, right.soft
        return -1, False

    @staticmethod
    def _fold_and(step: Step, left: _Known, right: _Known) -> tuple[int, bool]:
        if left.value is False or right.value is False:
            step.constant = False
            step.variable = left.soft or right.soft
            if left.value is False:
                step.stands_for = step.left
                return step.right, left.soft
            step.stands_for = step.right
            return step.left, right.soft
        if left.value and right.value:
            step.constant = True
            step.variable = left.soft or right.soft
        elif left.value:
            step.stands_for = step.right
        elif right.value:
            step.stands_for = step.left
        return -1, False

    def _fold_branch(self, step: Step, test: _Known) -> tuple[int, bool]:
        if test.value is None:
            return -1, False
        chosen, idle = (step.right, step.other) if test.value else (step.other, step.right)
        step.stands_for = chosen
        if chosen >= 0 and self.steps[chosen].constant is not None:
            step.constant = self.steps[chosen].constant
            step.variable = test.soft
        return idle, test.soft

    def _settle(self, step: Step, idle: int, soft: bool) -> tuple[int, bool]:
        """Follow what a step represents to its end; the part of it that cannot matter."""
        if idle < 0:
            if step.stands_for == step.left:
                idle = step.right
            if step.stands_for == step.right:
                idle = step.left
            soft = soft or step.variable
        step.stands_for = deciding(self.steps, step.stands_for)
        return idle, soft


def drop(steps: list[Step], index: int) -> None:
    """A step that cannot matter, and what it is made of."""
    work = [index]
    while work:
        step = steps[work.pop()]
        step.dont_care = True
        work.extend(part for part in step.parts if part >= 0)


def deciding(steps: list[Step], index: int) -> int:
    """The number of the step that decides in place of step ``index``."""
    while steps[index].stands_for >= 0:
        index = steps[index].stands_for
    return index


def _follow(steps: list[Step]) -> None:
    """Replace parts by the parts that represent them."""
    for step in steps:
        before = step.parts
        step.left, step.right, step.other = (_instead(steps, part) for part in before)
        if step.parts != before:
            step.label = ""


def _instead(steps: list[Step], index: int) -> int:
    return steps[index].stands_for if index >= 0 and steps[index].stands_for >= 0 else index


# ---- what targets say ---------------------------------------------------------------------------------------


def _count(ad: ClassAd, steps: list[Step], step: Step, targets: Sequence[Target]) -> None:
    joins = bool(step.op) and step.left >= 0 and step.right >= 0
    parts = step.left, step.right
    if joins:
        _prune_before(steps, step, len(targets))
    for target in targets:
        if holds(ad, step.tree, target.ad):
            step.counts[target.supposed] += 1
    if joins:
        _prune_after(steps, step, *parts)


def _prune_before(steps: list[Step], step: Step, everything: int) -> None:
    """Prune what the counts of the two parts alone decide."""
    left, right = steps[step.left].count, steps[step.right].count
    keep = idle = -1
    if step.op == AND:
        keep = step.left if left == 0 else step.right if right == 0 else -1
    elif step.op == OR and (left == everything or (right != everything and left != 0 and right == 0)):
        keep, idle = step.left, step.right
    elif step.op == OR and (right == everything or (left == 0 and right != 0)):
        keep, idle = step.right, step.left
    if idle >= 0:
        drop(steps, idle)
    _stand_for(steps, step, keep, step.left, step.right, relabel=False)


def _prune_after(steps: list[Step], step: Step, left: int, right: int) -> None:
    """An ``&&`` that lets through what one part lets through says nothing new."""
    keep = -1
    if step.op == AND:
        for own, other in ((left, right), (right, left)):
            if steps[own].count == step.count:
                keep = own
                if steps[other].count > step.count:
                    steps[other].dont_care = True
                break
    _stand_for(steps, step, keep, left, right, relabel=True)


def _stand_for(steps: list[Step], step: Step, keep: int, left: int, right: int, *, relabel: bool) -> None:
    """Lets step ``keep`` decide in place of a step; where it is -1, its parts give way to what decides for them."""
    if keep >= 0:
        step.stands_for = deciding(steps, keep)
        if relabel:
            step.label = ""
        return
    if steps[left].stands_for >= 0:
        step.left = steps[left].stands_for
        step.label = ""
    if steps[right].stands_for >= 0:
        step.right = steps[right].stands_for
        step.label = ""

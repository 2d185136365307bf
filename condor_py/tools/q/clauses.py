"""The clauses of a Requirements expression and how many slots each of them lets through (cli.md 2.6).

Clauses are numbered in the order in which they are complete: ``A && B`` is [0] for A, [1] for B, [2] for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree
from condor_py.classad.nodes import Binary, Node, Paren
from condor_py.classad.references import attribute_references
from condor_py.tools.output.values import is_true

_AND, _OR = "&&", "||"


class Clause:
    """One step: a leaf condition, or two earlier clauses joined by ``op``.

    ``constant`` is the value of a leaf that asks nothing of the slot, None otherwise. ``stands_for`` is the number
    of the clause that decides in place of this one, -1 when it decides itself. ``count`` counts matching slots.
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
        """The condition, or ``[0] && [1]``."""
        return f"[{self.left}] {self.op} [{self.right}]" if self.op else self.tree.text


def clauses_of(requirements: Node) -> list[Clause]:
    """The clauses of an expression, numbered by position."""
    found: list[Clause] = []
    _collect(requirements, found)
    return found


def _collect(node: Node, found: list[Clause]) -> int:
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
            found.append(Clause(link, link.op, number, right))
            number = len(found) - 1
        return number
    found.append(Clause(node))
    return len(found) - 1


def numbered(clauses: Sequence[Clause]) -> str:
    """One line a clause: ``    [0]    : TARGET.Arch == "X86_64"``."""
    return "".join(f"    {f'[{index}]':<6} : {clause.label()}\n" for index, clause in enumerate(clauses))


def reduced(job: ClassAd, clauses: list[Clause], slots: Sequence[ClassAd], counted: str = "Slots") -> str:
    """The table of the conditions that decide, with the number of slots (or of what is ``counted``) that pass each.

    Turned round, ``job`` is a slot and ``slots`` are jobs.
    """
    _fold_constants(job, clauses)
    for clause in clauses:
        if clause.stands_for < 0 and not clause.dont_care and clause.constant is None:
            _count(job, clauses, clause, slots)
    lines = [f"{counted:>13}", "Step   Matched  Condition", "----- --------- ---------"]
    for index, clause in enumerate(clauses):
        if clause.stands_for >= 0 or clause.dont_care:
            continue
        shown = str(clause.count) if clause.constant is None else ("always" if clause.constant else "never")
        lines.append(f"{f'[{index}]':<5} {shown:>9}  {clause.label()}")
    return "\n".join(lines) + "\n"


def _fold_constants(job: ClassAd, clauses: list[Clause]) -> None:
    for clause in clauses:
        if not clause.op:
            if not attribute_references(clause.tree, job).target:
                clause.constant = is_true(job.raw(clause.tree))
            continue
        left, right = clauses[clause.left], clauses[clause.right]
        absorbing = clause.op == _OR
        for own, other in ((clause.left, clause.right), (clause.right, clause.left)):
            value = clauses[own].constant
            if value is absorbing:
                clause.constant = absorbing
                clause.stands_for = _deciding(clauses, own)
                _drop(clauses, other)
                break
            if value is (not absorbing) and clauses[other].constant is None:
                clause.stands_for = _deciding(clauses, other)
                if clause.op == _OR:
                    _drop(clauses, own)
                break
        else:
            if left.constant is not None and left.constant is right.constant:
                clause.constant = left.constant
        clause.left = _deciding(clauses, clause.left)
        clause.right = _deciding(clauses, clause.right)


def _drop(clauses: list[Clause], index: int) -> None:
    """A clause that cannot matter, and what it is made of."""
    work = [index]
    while work:
        clause = clauses[work.pop()]
        clause.dont_care = True
        work.extend(part for part in (clause.left, clause.right) if part >= 0)


def _deciding(clauses: list[Clause], index: int) -> int:
    while clauses[index].stands_for >= 0:
        index = clauses[index].stands_for
    return index


def _count(job: ClassAd, clauses: list[Clause], clause: Clause, slots: Sequence[ClassAd]) -> None:
    if clause.op:
        _prune_before(clauses, clause, len(slots))
    clause.count = sum(1 for slot in slots if is_true(_value(job, clause, slot)))
    if clause.op == _AND and clause.stands_for < 0:
        _prune_after(clauses, clause)
    if clause.op:
        clause.left, clause.right = _deciding(clauses, clause.left), _deciding(clauses, clause.right)


def _value(job: ClassAd, clause: Clause, slot: ClassAd) -> Any:
    return job.raw(clause.tree, slot)


def _prune_before(clauses: list[Clause], clause: Clause, everything: int) -> None:
    """What the counts of the two parts alone decide."""
    left, right = clauses[clause.left].count, clauses[clause.right].count
    keep = drop = -1
    if clause.op == _AND:
        keep = clause.left if left == 0 else clause.right if right == 0 else -1
    elif left == everything or (left != 0 and right == 0):
        keep, drop = clause.left, clause.right
    elif right == everything or (left == 0 and right != 0):
        keep, drop = clause.right, clause.left
    if drop >= 0:
        _drop(clauses, drop)
    if keep >= 0:
        clause.stands_for = _deciding(clauses, keep)


def _prune_after(clauses: list[Clause], clause: Clause) -> None:
    """An ``&&`` that lets through what one part lets through says nothing new."""
    for own, other in ((clause.left, clause.right), (clause.right, clause.left)):
        if clauses[own].count == clause.count:
            clause.stands_for = _deciding(clauses, own)
            if clauses[other].count > clause.count:
                clauses[other].dont_care = clauses[other].dont_care or bool(clauses[other].op)
            return

"""Steps for many evaluations together: whose expressions cost much has less left, and others do not wait for them.

One evaluation has its own limit (`evaluate`). Where the expressions of several users are evaluated in turns, each user
gets an Allowance, and what is evaluated for them is evaluated  inside of it::

    steps = Allowance(1_000_000)
    with steps:
        fits = requirements_match(job, slot)
    if steps.used_up: ...  # what was evaluated last may have failed for want of steps

When nothing is left, an expression that refers to anything that must be computed fails like one beyond its limit.
A million steps are about a tenth of a second, and less than one whatever functions are called: what takes longer
is charged more (`functions.costly`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.ad import ClassAd

if TYPE_CHECKING:
    from types import TracebackType

#: A tenth of a second, as a rule. A job's turn takes some hundred steps, so that no other owner comes near it.
STEPS_A_SECOND = 1_000_000


def exhausted() -> bool:
    """Whether the allowance that pays now is used up: what was evaluated last may have failed for want of steps."""
    return evaluate.allowance() <= 0


class Allowance:
    """A context manager. Inside of another one only the inner one pays; inside of itself it continues to pay."""

    __slots__ = ("_before", "_depth", "_left")

    def __init__(self, steps: int) -> None:
        self._left = steps
        self._before = 0
        self._depth = 0

    @property
    def left(self) -> int:
        """Steps that are left; 0 or less when the last evaluation wanted more."""
        return evaluate.allowance() if self._depth else self._left

    @property
    def used_up(self) -> bool:
        """Whether nothing is left."""
        return (evaluate.allowance() if self._depth else self._left) <= 0

    def __enter__(self) -> None:
        if self._depth == 0:
            self._before = evaluate.allowance(self._left)
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._left = evaluate.allowance(self._before)


class OwnerBudgets:
    """The evaluation steps that the expressions of each owner's jobs may cost, renewed every second. What is evaluated
    beyond that counts as undefined, like what is beyond the limit of one evaluation."""

    def __init__(self) -> None:
        self._second = 0
        self._of: dict[str, Allowance] = {}

    def of(self, ad: ClassAd | None, now: float) -> Allowance:
        """Return the allowance that pays at ``now`` (Unix seconds) for a job with that ad."""
        if int(now) != self._second:
            self._second = int(now)
            self._of.clear()
        owner = "" if ad is None else ad.text("Owner") or ""
        known = self._of.get(owner)
        if known is None:
            known = self._of[owner] = Allowance(STEPS_A_SECOND)
        return known

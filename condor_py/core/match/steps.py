"""Budgets for the cost of each account's expressions in a cycle, so that no account waits for another's.

The steps are those of ClassAd evaluations (``classad.allowance``). Accounts are owners of jobs: one may use any number
of submitters (accounting groups), but has one budget.
"""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import Allowance, exhausted

#: Steps of one account in one cycle: a fifth of a second, as a rule. A request of the usual kind takes a few hundred.
STEPS_A_CYCLE = 2_000_000


class OutOfSteps(Exception):
    """The account for which something was evaluated has nothing left; the value means nothing."""


class Budgets:
    """The allowances of a cycle by account."""

    def __init__(self, steps: int = STEPS_A_CYCLE) -> None:
        self._steps = steps
        self._of: dict[str, Allowance] = {}

    def of(self, submitter: str, ad: ClassAd) -> Allowance:
        """Budget that pays for the jobs that ``ad`` represents."""
        account = ad.text("Owner") or submitter
        known = self._of.get(account)
        if known is None:
            known = self._of[account] = Allowance(self._steps)
        return known


def check_steps() -> None:
    """OutOfSteps where the value just computed may be wrong for want of steps."""
    if exhausted():
        raise OutOfSteps

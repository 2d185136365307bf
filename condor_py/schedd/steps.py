"""What the expressions of each owner's jobs may cost the schedd, so that the others' jobs do not wait for them.

An owner has so many steps (``classad.allowance``) a second. What is evaluated beyond them counts as undefined, as what
is beyond the limit of an evaluation does.
"""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.classad.allowance import Allowance

#: A tenth of a second. A job's turn takes some hundred steps, so that nobody else ever comes near it.
STEPS_A_SECOND = 1_000_000


class Budgets:
    """The allowances by owner, new ones every second."""

    def __init__(self, steps: int = STEPS_A_SECOND) -> None:
        self._steps = steps
        self._second = 0
        self._of: dict[str, Allowance] = {}

    def of(self, ad: ClassAd | None, now: int) -> Allowance:
        """What pays at ``now`` (Unix seconds) for a job with that ad."""
        if now != self._second:
            self._second = now
            self._of.clear()
        owner = "" if ad is None else ad.text("Owner") or ""
        known = self._of.get(owner)
        if known is None:
            known = self._of[owner] = Allowance(self._steps)
        return known

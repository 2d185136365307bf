"""The slot weight that a submitter may still take in one spin."""

from __future__ import annotations

from dataclasses import dataclass

#: Sums of slot weights that differ by less are equal.
EPSILON = 1e-9


@dataclass(slots=True)
class Allowance:
    """Slot weight that a submitter may still take in one spin.

    ``limit`` counts everything, ``free_limit`` only unclaimed slots; ``ceiling`` is what is left below the submitter's
    ceiling. ``in_request``: the request being served has had a match already. ``slack`` is the largest shortfall to a
    whole slot that is accepted, as a fraction of the slot.
    """

    limit: float
    free_limit: float
    ceiling: float
    matched: float = 0.0
    matched_free: float = 0.0
    in_request: bool = False
    slack: float = 0.0

    def fits(self, weight: float) -> bool:
        """Whether a slot of that weight is within the limit; the first one of a spin is rounded up."""
        return _fits(self.matched, weight, self.limit + self.slack * weight)

    def fits_free(self, weight: float) -> bool:
        """The same for a slot without a holder."""
        return _fits(self.matched_free, weight, self.free_limit + self.slack * weight)

    def below_ceiling(self, weight: float) -> bool:
        """Whether the submitter's ceiling has room for so much more."""
        return self.matched + weight <= self.ceiling + EPSILON

    @property
    def overdrawn(self) -> float:
        """By how much of a slot, at most the slack, the limit is passed."""
        return min(self.slack, max(0.0, self.matched - self.limit))

    @property
    def used_up(self) -> bool:
        """Whether the limit is reached."""
        return self.matched >= self.limit - EPSILON

    @property
    def at_ceiling(self) -> bool:
        """Whether the submitter's ceiling is reached."""
        return self.matched >= self.ceiling - EPSILON

    def take(self, weight: float, free: bool) -> None:
        """A match was made, with a slot without a holder if it is ``free``."""
        self.matched += weight
        self.in_request = True
        if free:
            self.matched_free += weight

    # The next two replace four of those above, for slots without holders: they are called for most of all matches.

    def may_take(self, weight: float) -> bool:
        """``below_ceiling`` and ``fits_free``."""
        if self.matched + weight > self.ceiling + EPSILON:
            return False
        limit, matched = self.free_limit + self.slack * weight, self.matched_free
        return matched + weight <= limit + EPSILON or (matched <= EPSILON and limit > EPSILON)

    def take_free(self, weight: float) -> bool:
        """``take``; whether the limit is ``used_up`` or the submitter ``at_ceiling`` then."""
        matched = self.matched = self.matched + weight
        self.matched_free += weight
        self.in_request = True
        return matched >= self.limit - EPSILON or matched >= self.ceiling - EPSILON


def _fits(matched: float, weight: float, limit: float) -> bool:
    """Whether one more slot fits; the first one of a spin is rounded up."""
    if matched + weight <= limit + EPSILON:
        return True
    return matched <= EPSILON and limit > EPSILON

"""What one account may use of the schedd: cluster numbers, and time. Bytes are counted in ``strangers``.

Cluster numbers never come back, and every submit in the pool gets the next one: an account that takes many without
submitting anything has to wait. Time (``Stranger.charge``): whoever kept the schedd busy for a while is served again
when the others had three times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: Cluster numbers that an account may take at once, and those that it may take a second later on.
NUMBERS_AT_ONCE = 20_000
NUMBERS_A_SECOND = 100.0
#: Cluster numbers of one request.
NUMBERS_A_REQUEST = 10_000
#: Accounts that are remembered; more than that have full budgets again.
_MANY = 1000


class Spent(Exception):
    """A budget is used up; ``wait`` is when there is enough again, in seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many in a short time, try again in {wait:.0f} s")
        self.wait = wait


@dataclass(slots=True)
class _Account:
    left: float
    since: float


class NumberBudget:
    """Cluster numbers by account. ``now`` is a monotonic time in seconds."""

    def __init__(self) -> None:
        self._accounts: dict[int, _Account] = {}

    def take(self, uid: int, count: int, now: float) -> None:
        """``count`` numbers are used. Spent when there are not so many."""
        account = self._at(uid, now)
        if count > account.left:
            raise Spent((count - account.left) / NUMBERS_A_SECOND)
        account.left -= count

    def give_back(self, uid: int, count: int, now: float) -> None:
        """``count`` of the numbers became clusters: those were no waste."""
        account = self._at(uid, now)
        account.left = min(NUMBERS_AT_ONCE, account.left + count)

    def _at(self, uid: int, now: float) -> _Account:
        account = self._accounts.get(uid)
        if account is None:
            if len(self._accounts) >= _MANY:
                self._accounts = {one: kept for one, kept in self._accounts.items() if _grown(kept, now)}
            account = self._accounts[uid] = _Account(NUMBERS_AT_ONCE, now)
        account.left = min(NUMBERS_AT_ONCE, account.left + (now - account.since) * NUMBERS_A_SECOND)
        account.since = now
        return account


def _grown(account: _Account, now: float) -> bool:
    """Whether an account still has less than a new one."""
    return account.left + (now - account.since) * NUMBERS_A_SECOND < NUMBERS_AT_ONCE


@dataclass(slots=True)
class Reserved:
    """The numbers that a connection may submit clusters under."""

    ranges: list[range] = field(default_factory=list)

    def add(self, numbers: range) -> None:
        """More of them."""
        if self.ranges and self.ranges[-1].stop == numbers.start:
            numbers = range(self.ranges.pop().start, numbers.stop)
        self.ranges.append(numbers)

    def has(self, number: int) -> bool:
        """Whether a number is one of them."""
        return any(number in numbers for numbers in self.ranges)

    def use(self, number: int) -> None:
        """A number has its cluster."""
        for place, numbers in enumerate(self.ranges):
            if number in numbers:
                parts = (range(numbers.start, number), range(number + 1, numbers.stop))
                self.ranges[place : place + 1] = [part for part in parts if part]
                return

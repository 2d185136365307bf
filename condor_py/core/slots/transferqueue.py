"""The queue of file transfers: which of those that wait may begin (MAX_CONCURRENT_UPLOADS and its kin).

Uploads bring the input of jobs, downloads their output. Each user has the same share: the first transfer of the user
with the fewest transfers under way begins; of several the user who has waited longest since their last turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from condor_py.model.settings.starter import TransferQueueSettings


@dataclass(slots=True)
class _Transfer:
    upload: bool
    user: str
    #: When it was given its turn; None while it waits.
    since: float | None = None


class _Load:
    """The mean number of transfers under way over about so many seconds."""

    def __init__(self) -> None:
        self._at = 0.0
        self.mean = 0.0

    def look(self, count: int, now: float, horizon: float) -> float:
        """Return the mean when ``count`` transfers have been under way since the last look."""
        if self._at:
            self.mean += (count - self.mean) * -math.expm1(-max(0.0, now - self._at) / max(1.0, horizon))
        self._at = now
        return self.mean


class TransferQueue:
    """The transfers of one machine, by the claim of their job, in the order in which they asked."""

    def __init__(self) -> None:
        self._transfers: dict[str, _Transfer] = {}
        #: A counter, and its value at the last turn of each user.
        self._turns = 0
        self._last_turn: dict[str, int] = {}
        self._short, self._long = _Load(), _Load()
        #: How many have been under way since the load was looked at.
        self._under_way = 0
        #: How many may be under way for the sake of the disk, and when that grew.
        self._bound = 0
        self._grown: float | None = None

    @property
    def waiting(self) -> int:
        """Number of waiting transfers."""
        return sum(transfer.since is None for transfer in self._transfers.values())

    def ask(self, claim: str, upload: bool, user: str) -> None:
        """A transfer wants to begin."""
        self._transfers[claim] = _Transfer(upload, user)

    def over(self, claim: str) -> bool:
        """Forget a transfer that is over, or is not wanted any more; whether there was one."""
        return self._transfers.pop(claim, None) is not None

    def begin(self, settings: TransferQueueSettings, now: float) -> tuple[list[str], list[str]]:
        """Return the claims whose transfers may begin now, and those that have lost their place by their age."""
        self._judge_load(settings, now)
        begun: list[str] = []
        lost: list[str] = []
        while True:
            claim = self._next(settings)
            if claim is None:
                aged = self._aged(settings, now)
                if aged is None:
                    self._under_way = self._running()
                    return begun, lost
                lost.append(aged)
                del self._transfers[aged]
                continue
            transfer = self._transfers[claim]
            transfer.since = now
            self._turns += 1
            self._last_turn[transfer.user] = self._turns
            begun.append(claim)

    def _running(self, *, upload: bool | None = None, user: str | None = None) -> int:
        return sum(
            one.since is not None and upload in (None, one.upload) and user in (None, one.user)
            for one in self._transfers.values()
        )

    def _has_room(self, settings: TransferQueueSettings, upload: bool) -> bool:
        limit = settings.uploads if upload else settings.downloads
        return limit <= 0 or self._running(upload=upload) < limit

    def _next(self, settings: TransferQueueSettings) -> str | None:
        if settings.high_load > 0 and self._running() >= self._bound:
            return None
        room = {upload: self._has_room(settings, upload) for upload in (True, False)}
        waiting = [(claim, one) for claim, one in self._transfers.items() if one.since is None and room[one.upload]]
        if not waiting:
            return None
        return min(waiting, key=lambda pair: self._rank(pair[1].user))[0]

    def _rank(self, user: str) -> tuple[int, int]:
        """Transfers of a user that are under way, and when they had their last turn."""
        return self._running(user=user), self._last_turn.get(user, 0)

    def _aged(self, settings: TransferQueueSettings, now: float) -> str | None:
        """The oldest transfer under way, where others wait and it has taken longer than MAX_TRANSFER_QUEUE_AGE."""
        if not settings.longest or not self.waiting:
            return None
        old = [(one.since, claim) for claim, one in self._transfers.items() if one.since is not None]
        found = min(old, default=None)
        return found[1] if found is not None and now - found[0] > settings.longest else None

    def _judge_load(self, settings: TransferQueueSettings, now: float) -> None:
        """FILE_TRANSFER_DISK_LOAD_THROTTLE: each transfer reads and writes a disk of this machine all the time."""
        short = self._short.look(self._under_way, now, settings.short_horizon)
        long = self._long.look(self._under_way, now, settings.long_horizon)
        count = self._running()
        if short > settings.high_load:
            self._bound = count
        elif short > settings.low_load or long > settings.low_load:
            self._bound = max(1, self._bound)
        elif count >= self._bound and (self._grown is None or now - self._grown >= settings.increment_wait):
            self._grown = now
            self._bound = max(self._bound + 1, math.floor(settings.low_load))

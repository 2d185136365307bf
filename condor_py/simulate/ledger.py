"""What happened in a simulation: a tally for each submitter, a history, and an account of use of its own."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.core.accounts import Accountant
from condor_py.model.ids import JobId


class Happening(NamedTuple):
    """One line of the history: seconds since the start, what, to which job, and where or why."""

    when: float
    what: str
    job: str
    detail: str = ""


@dataclass(slots=True)
class Tally:
    """One submitter: jobs counted, seconds that jobs waited for their first start, and use in weight-seconds.

    ``asked`` is the work submitted (duration x cpus), ``held`` the weight of his claims over time.
    """

    submitted: int = 0
    finished: int = 0
    removed: int = 0
    evicted: int = 0
    asked: float = 0.0
    held: float = 0.0
    waits: list[float] = field(default_factory=list)


class _Claim(NamedTuple):
    submitter: str
    weight: float
    since: float


class Ledger:
    """Counts from what the cores do, never from what they say about themselves."""

    def __init__(self, start: float, keep_history: bool) -> None:
        self.start = start
        self.tallies: dict[str, Tally] = {}
        self.history: list[Happening] = []
        self.digest = 0
        self.claims: dict[str, _Claim] = {}
        self.waiting: dict[JobId, float] = {}
        #: Use that the accountant should have found, in weight-seconds: what it held charged, over time.
        self.charged: dict[str, float] = {}
        self.most_held: dict[str, float] = {}
        self._now_held: dict[str, float] = {}
        self._charged_until = int(start)
        self._keep = keep_history

    def tally(self, submitter: str) -> Tally:
        """The tally of a submitter, made at first sight."""
        found = self.tallies.get(submitter)
        if found is None:
            found = self.tallies[submitter] = Tally()
        return found

    def note(self, now: float, what: str, job: str = "", detail: str = "") -> None:
        """Adds to the history; the digest covers it all even where it is not kept."""
        when = now - self.start
        self.digest = zlib.crc32(f"{when:.0f} {what} {job} {detail}".encode(), self.digest)
        if self._keep:
            self.history.append(Happening(when, what, job, detail))

    # -- jobs --------------------------------------------------------------------------------------

    def queued(self, submitter: str, job: JobId, work: float, now: float) -> None:
        """A job was submitted."""
        tally = self.tally(submitter)
        tally.submitted += 1
        tally.asked += work
        self.waiting[job] = now

    def started(self, submitter: str, job: JobId, now: float) -> None:
        """A job's program runs."""
        since = self.waiting.pop(job, None)
        if since is not None:
            self.tally(submitter).waits.append(now - since)

    def left(self, submitter: str, job: JobId, completed: bool) -> None:
        """A job left the queue."""
        tally = self.tally(submitter)
        self.waiting.pop(job, None)
        if completed:
            tally.finished += 1
        else:
            tally.removed += 1

    # -- claims ------------------------------------------------------------------------------------

    def claimed(self, claim_id: str, submitter: str, weight: float, now: float) -> None:
        """A slot of this weight is the submitter's from now on."""
        self.claims[claim_id] = _Claim(submitter, weight, now)
        held = self._now_held[submitter] = self._now_held.get(submitter, 0.0) + weight
        self.most_held[submitter] = max(held, self.most_held.get(submitter, 0.0))

    def freed(self, claim_id: str, now: float) -> None:
        """A claim ended; one that ended already is passed over."""
        claim = self.claims.pop(claim_id, None)
        if claim is not None:
            self.tally(claim.submitter).held += claim.weight * (now - claim.since)
            self._now_held[claim.submitter] -= claim.weight

    def held(self, submitter: str, now: float) -> float:
        """Use of a submitter until now, in weight-seconds."""
        tally = self.tallies.get(submitter)
        running = sum(c.weight * (now - c.since) for c in self.claims.values() if c.submitter == submitter)
        return running + (tally.held if tally is not None else 0.0)

    def held_now(self) -> Mapping[str, float]:
        """Weight in use by submitter."""
        return self._now_held

    # -- the accountant ----------------------------------------------------------------------------

    def account(self, accountant: Accountant, now: int) -> None:
        """To be called before each cycle: the slots charged since the last one have been in use until now."""
        seconds = now - self._charged_until
        self._charged_until = now
        if seconds:
            for holding in accountant.holdings.values():
                total = self.charged.get(holding.submitter, 0.0)
                self.charged[holding.submitter] = total + holding.weight * seconds

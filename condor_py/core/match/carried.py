"""State that one cycle passes to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

#: Number of delays for which a loss is remembered, to notice two users that take slots from each other.
_REMEMBERED = 10


class Loss(NamedTuple):
    """Loss of a slot to a better priority: its time (Unix seconds), and the submitter that got the slot."""

    when: int
    by: str


@dataclass(slots=True)
class Carried:
    """``losses`` by submitter: cycles follow news at once, and two users who may preempt each other would do so
    every time; who lost a slot waits NEGOTIATOR_CYCLE_DELAY before taking one.

    ``resume`` by submitter: the autocluster at which its budget of steps ended, to begin with in the next cycle.

    ``reserving`` by cluster: since when (Unix seconds) free slots are kept for a parallel job that has not enough yet.
    """

    losses: dict[str, Loss] = field(default_factory=dict)
    resume: dict[str, int] = field(default_factory=dict)
    reserving: dict[int, int] = field(default_factory=dict)

    def waits_until(self, submitter: str, delay: int) -> int:
        """From when on (Unix seconds) a submitter may preempt by priority."""
        loss = self.losses.get(submitter)
        return 0 if loss is None else loss.when + delay

    def forget(self, now: int, delay: int) -> None:
        """Losses of long ago do not matter any more, nor those that a clock set back has put into the future."""
        oldest = now - _REMEMBERED * delay
        self.losses = {name: loss for name, loss in self.losses.items() if oldest <= loss.when <= now}

    def take(self, left: Carried) -> None:
        """Take over the state of another cycle: its losses are added, its ends of budgets replace the former."""
        self.losses.update(left.losses)
        self.resume = left.resume
        self.reserving = left.reserving

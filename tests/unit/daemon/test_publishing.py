"""When the startd publishes: claims before the schedd hears of them, first jobs in a blink, the rest now and then."""

from __future__ import annotations

import time
from itertools import pairwise

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.startd.publishing import Publishing
from condor_py.model.messages.claims import ClaimReleased
from condor_py.model.messages.codec import Message


class Startd:
    """Writes down what is published and told, in order."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.done: list[object] = []
        self.publishing = Publishing(self.loop, lambda: self.done.append("published"), self._told)

    def _told(self, message: Message) -> None:
        self.done.append(message)

    def run(self, seconds: float) -> None:
        """Turns for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.loop.turn(left)


def test_claims_of_one_turn_are_published_together_before_the_schedd_hears_of_them() -> None:
    startd = Startd()
    claims = [ClaimReleased(f"c{number}") for number in range(3)]
    for claim in claims:
        startd.publishing.before(claim)
    assert startd.done == []
    startd.loop.turn(0)
    assert startd.done == ["published", *claims]
    startd.publishing.before(claims[0])
    startd.publishing.settle()  # something else is to be told, after that
    startd.loop.turn(0)
    assert startd.done == ["published", *claims, "published", claims[0]]


def test_what_changes_with_a_claim_is_published_once_with_it() -> None:
    startd = Startd()
    claim = ClaimReleased("c")
    startd.publishing.soon()  # which is now, as nothing was published for a while
    startd.publishing.before(claim)
    startd.loop.turn(0)
    assert startd.done == ["published", claim]


def test_the_first_jobs_of_claims_are_published_together_and_in_a_blink() -> None:
    assert any(_first_jobs() < 0.4 for _ in range(10)), "long before what may wait, unless the machine stood still"


def _first_jobs() -> float:
    """Seconds until what eight claims began with was published, once for all."""
    startd = Startd()
    startd.publishing.at_once()
    begin = time.monotonic()
    for _ in range(8):
        startd.publishing.soon()
        startd.publishing.in_a_blink()
    while len(startd.done) < 2:
        startd.loop.turn(0.5)
    seconds = time.monotonic() - begin
    startd.run(0.1)
    assert startd.done == ["published", "published"]
    return seconds


def test_jobs_that_come_and_go_are_published_now_and_then() -> None:
    startd = Startd()
    begin = time.monotonic()
    startd.publishing.at_once()
    while len(startd.done) < 3:
        startd.publishing.soon()
        startd.loop.turn(0.005)
    assert time.monotonic() - begin > 0.9, "twice in a second at most"


def test_what_takes_long_to_publish_is_published_less_often() -> None:
    """Thousands of slots whose jobs begin one after the other."""
    loop, begun = Loop(), list[float]()

    def publish() -> None:
        begun.append(time.monotonic())
        time.sleep(0.2)

    publishing = Publishing(loop, publish, lambda message: None)
    publishing.at_once()
    while len(begun) < 3:
        publishing.in_a_blink()
        publishing.soon()
        loop.turn(0.05)
    assert all(later - earlier >= 0.8 for earlier, later in pairwise(begun))

"""Jobs whose expressions cost much: their owner pays for them, and the schedd goes on with everybody else's."""

from __future__ import annotations

from time import process_time

import pytest
from world import World

from condor_py.core.jobs.events import PoliciesDue

#: Doubles 44 times: more steps than any evaluation may take.
DOUBLING = {"A0": "1", **{f"A{n}": f"A{n - 1} + A{n - 1}" for n in range(1, 45)}}


@pytest.mark.parametrize("attribute", ["PeriodicHold", "PeriodicRemove"])
def test_the_policy_of_one_owner_delays_nobody(attribute: str) -> None:
    world = World()
    world.connect()
    hostile = world.submit(1, 20, Owner='"mallory"', User='"mallory@example.net"', **{attribute: "A44 > 0"}, **DOUBLING)
    (honest,) = world.submit(2, 1, PeriodicHold="JobStatus == 1", Owner='"bob"', User='"bob@example.net"')
    before = process_time()
    world.now += 60
    world.core.handle(PoliciesDue(), world.now)
    world.turn()
    assert process_time() - before < 2.0
    assert world.status(honest) == 5
    assert {world.status(job) for job in hostile} == {1}


def test_whether_a_claim_fits_is_paid_by_the_owner_of_the_jobs() -> None:
    """Every job is one of its own kind, so that each has to be compared with the claim."""
    world = World()
    world.connect()
    (first,) = world.submit(1)
    world.match(first)
    world.started(first)
    for cluster in range(2, 22):
        world.submit(cluster, **{**DOUBLING, "A0": str(cluster), "Requirements": "A44 > 0"})
    before = process_time()
    world.ended(first)
    assert process_time() - before < 2.0

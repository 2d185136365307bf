"""Slots that the startd offers to the schedd without a negotiator."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.events import SlotsOffered
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim


def slot(name: str, cpus: int = 2, state: str = "Unclaimed", **more: object) -> ClassAd:
    items = {"Name": name, "State": state, "Cpus": cpus, "Memory": 1024, "Disk": 100_000, "PartitionableSlot": True}
    ad = ClassAd(items | more)
    ad.set_text("Requirements", "TARGET.JobPrio >= 0")
    return ad


def asked(world: World, *slots: ClassAd) -> list[tuple[JobId, str]]:
    """What the schedd asks for when these slots are offered."""
    world.core.handle(SlotsOffered(slots, True), world.now)
    return [(effect.job, effect.slot) for effect in world.turn() if isinstance(effect, RequestClaim)]


def test_a_slot_is_filled_with_the_jobs_that_fit() -> None:
    world = World()
    world.connect()
    first, second, third = world.submit(1, 3)
    assert asked(world, slot("slot1@vm")) == [(first, "slot1@vm"), (second, "slot1@vm")]
    assert asked(world, slot("slot2@vm", PartitionableSlot=False)) == [(third, "slot2@vm")]
    assert asked(world, slot("slot3@vm")) == []


def test_only_what_both_sides_want_is_asked_for() -> None:
    world = World()
    world.connect()
    world.submit(1, JobPrio="-1")
    world.submit(2, RequestMemory="4096")
    (job,) = world.submit(3)
    taken = [slot("slot2@vm", state="Claimed"), slot("slot1_1@vm", DynamicSlot=True)]
    assert asked(world, *taken) == []
    assert asked(world, slot("slot1@vm")) == [(job, "slot1@vm")]


def test_the_slots_may_be_for_one_submitter() -> None:
    world = World(direct_attach_submitter="bob")
    world.connect()
    world.submit(1)
    (job,) = world.submit(2, Owner='"bob"', User='"bob@example.net"')
    assert asked(world, slot("slot1@vm")) == [(job, "slot1@vm")]


def test_submitters_take_turns() -> None:
    world = World()
    world.connect()
    (first, *_) = world.submit(1, 5)
    (job,) = world.submit(2, Owner='"bob"', User='"bob@example.net"')
    assert asked(world, slot("slot1@vm")) == [(first, "slot1@vm"), (job, "slot1@vm")]


@pytest.mark.parametrize(
    ("free", "jobs"), [({"Memory": 300}, 2), ({"Disk": 3500}, 3), ({"Cpus": 4}, 4), ({"Cpus": 1}, 1), ({}, 5)]
)
def test_a_slot_is_filled_until_something_of_it_is_used_up(free: dict[str, int], jobs: int) -> None:
    """A job wants one cpu, 128 MB of memory and 1024 KB of disk."""
    world = World()
    world.connect()
    world.submit(1, 5)
    offered = slot("slot1@vm", cpus=8)
    for name, amount in free.items():
        offered.set_int(name, amount)
    offered.set_text("Requirements", "Memory >= TARGET.RequestMemory && Disk >= TARGET.RequestDisk")
    assert len(asked(world, offered)) == jobs


def test_a_job_that_asks_for_nothing_takes_nothing() -> None:
    world = World()
    world.connect()
    world.submit(1, RequestCpus="0", RequestMemory="0", RequestDisk="0", Requirements="true")
    world.submit(2, RequestCpus="1", RequestMemory="1024", RequestDisk="100000")
    world.submit(3, RequestCpus="1", RequestMemory="0", RequestDisk="0", Requirements="true")
    offered = slot("slot1@vm", cpus=1)
    offered.set_text("Requirements", "Memory >= TARGET.RequestMemory && Disk >= TARGET.RequestDisk")
    assert [job.cluster for job, _ in asked(world, offered)] == [1, 2]


def test_no_more_is_asked_for_than_may_run() -> None:
    world = World(max_jobs_running=3)
    world.connect()
    first, *others = world.submit(1, 5)
    world.match(first)
    assert [job for job, _ in asked(world, slot("slot1@vm", cpus=8))] == others[:2]
    assert asked(world, slot("slot2@vm", cpus=8)) == []


def test_who_has_fewer_slots_is_next_slot_by_slot() -> None:
    world = World()
    world.connect()
    world.submit(1, 4)
    world.submit(2, 4, Owner='"bob"', User='"bob@example.net"')
    assert [job.cluster for job, _ in asked(world, slot("slot1@vm", cpus=6))] == [1, 2, 1, 2, 1, 2]

"""Slots that the startd offers to the schedd without a negotiator."""

from __future__ import annotations

from world import World

from condor_py.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.schedd.effects import RequestClaim
from condor_py.schedd.events import SlotsOffered


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

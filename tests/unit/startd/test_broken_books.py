"""ScheddState that do not add up are noticed: the check that every test of the startd ends with is no empty one."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable

import pytest
from startd_bench import Bench, ev, job_ad, settings

from condor_py.core.slots import invariants
from condor_py.core.slots.pool import BrokenInvariant, Pool
from condor_py.core.slots.state import Run, Slot, SlotKind, StarterState, Waiting
from condor_py.core.slots.transitions import BUSY, IDLE, UNCLAIMED
from condor_py.model.settings.startd import MachineResource, SlotType


def pool_of(bench: Bench) -> Pool:
    return bench.startd._pool


def running() -> Pool:
    """Two static slots, on the first of which a job runs."""
    bench = Bench(settings(types=(SlotType(1, 2, False),)))
    bench.running("slot1@vm")
    return pool_of(bench)


def vacating() -> Pool:
    bench = Bench(settings({"machine_max_vacate_time": "60"}, types=(SlotType(1, 1, False),)))
    bench.running("slot1@vm")
    bench.do(ev.Vacate("slot1@vm"))
    return pool_of(bench)


def cut() -> Pool:
    """A partitionable slot with two GPUs, one of which is that of a dynamic slot."""
    gpus = MachineResource("GPUs", 2.0, ids=("a", "b"))
    bench = Bench(settings(resources=(gpus,)))
    bench.claim("slot1@vm", job_ad(RequestCpus="2", RequestGPUs="1"))
    return pool_of(bench)


def twice_divided() -> Pool:
    """A slot of one core, and a backfill slot of all."""
    types = (SlotType(1, 1, False, "cpus=1, 1/8"), SlotType(2, 1, False, backfill=True))
    return pool_of(Bench(settings(types=types)))


def run_of(pool: Pool) -> Run:
    run = pool.slots[0].run
    assert run is not None
    return run


def child(pool: Pool) -> Slot:
    return pool.slots[0].children[0]


def twice(pool: Pool) -> None:
    pool.slots[1].name = pool.slots[0].name


def elsewhere(pool: Pool) -> None:
    claim_id = next(iter(pool.claims))
    pool.claims[claim_id] = pool.slots[1]


def waits(pool: Pool) -> None:
    pool.slots[1].better = Waiting(ev.ClaimRequest("r", "slot2@vm", "bob@x", "bob", job_ad()))


def no_claim(pool: Pool) -> None:
    pool.claims.clear()
    pool.slots[0].claim = None


def idle(pool: Pool) -> None:
    pool.slots[0].place = IDLE


def busy_without_run(pool: Pool) -> None:
    claim = pool.slots[0].claim
    assert claim is not None
    claim.run = None


def no_starter(pool: Pool) -> None:
    claim = pool.slots[0].claim
    assert claim is not None
    claim.starter = StarterState.NONE


def suspended(pool: Pool) -> None:
    run_of(pool).suspended_at = 1.0


def killed_twice(pool: Pool) -> None:
    run_of(pool).kill_at = run_of(pool).give_up_at = 1.0


def no_reason(pool: Pool) -> None:
    run_of(pool).ending = None


def no_end(pool: Pool) -> None:
    run_of(pool).kill_at = None


def unclaimed_with_claim(pool: Pool) -> None:
    pool.slots[0].place = UNCLAIMED


def more(pool: Pool) -> None:
    pool.slots[0].free = dataclasses.replace(pool.slots[0].free, cpus=pool.slots[0].free.cpus + 1)


def less(pool: Pool) -> None:
    pool.slots[0].free = dataclasses.replace(pool.slots[0].free, cpus=pool.slots[0].free.cpus - 1)


def below_nothing(pool: Pool) -> None:
    pool.slots[0].free = dataclasses.replace(pool.slots[0].free, cpus=-1)


def too_large(pool: Pool) -> None:
    pool.machine = dataclasses.replace(pool.machine, cpus=pool.machine.cpus - 1)


def static_cut(pool: Pool) -> None:
    pool.slots[1].free = dataclasses.replace(pool.slots[1].free, cpus=0)


def static_parent(pool: Pool) -> None:
    other = copy.copy(pool.slots[0])
    other.name, other.claim = "slot2_1@vm", None
    pool.slots[1].children.append(other)


def id_twice(pool: Pool) -> None:
    pool.slots[0].free_ids["GPUs"] = ("a", "b")


def other_parent(pool: Pool) -> None:
    child(pool).parent = None


def whole_claimed(pool: Pool) -> None:
    slot = child(pool)
    slot.kind, slot.free, slot.free_ids = SlotKind.PARTITIONABLE, slot.total, dict(slot.ids)


@pytest.mark.parametrize(
    ("make", "spoil", "text"),
    [
        (running, twice, "a slot name is given twice"),
        (running, lambda pool: pool.claims.clear(), "the index of claims is not that of the slots"),
        (running, elsewhere, "its claim is indexed elsewhere"),
        (running, waits, "a request waits for a free slot"),
        (running, no_claim, "a claim does not fit"),
        (running, unclaimed_with_claim, "a claim does not fit"),
        (running, idle, "is Idle but a job runs"),
        (running, busy_without_run, "is Busy but no job runs"),
        (running, no_starter, "a job runs without a starter"),
        (running, suspended, "suspended according to the run or the slot alone"),
        (running, killed_twice, "killed softly and hard at once"),
        (running, too_large, "the slots have more than the machine"),
        (running, static_cut, "only partitionable slots can be cut"),
        (running, static_parent, "only partitionable slots can be cut"),
        (twice_divided, too_large, "the slots have more than the machine"),
        (vacating, busy_without_run, "is Vacating but no job runs"),
        (vacating, no_reason, "evicted for no reason"),
        (vacating, no_end, "its eviction would never end"),
        (cut, more, "its parts are more than the whole"),
        (cut, less, "its parts are less than the whole"),
        (cut, below_nothing, "has less than nothing"),
        (cut, id_twice, "the ids of GPUs do not add up"),
        (cut, other_parent, "has another parent"),
        (cut, whole_claimed, "a partitionable slot is claimed"),
    ],
)
def test_a_broken_book_is_noticed(make: Callable[[], Pool], spoil: Callable[[Pool], None], text: str) -> None:
    pool = make()
    invariants.check(pool)
    spoil(pool)
    with pytest.raises(BrokenInvariant, match=text):
        invariants.check(pool)


def test_a_slot_in_a_place_that_does_not_exist_is_noticed() -> None:
    pool = running()
    pool.slots[1].place = UNCLAIMED[0], BUSY[1]
    with pytest.raises(BrokenInvariant, match="a place that does not exist"):
        invariants.check(pool)

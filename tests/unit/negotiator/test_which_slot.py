"""Which slot a job gets when some are forbidden to it, and who gives way when room has to be made."""

from __future__ import annotations

import random

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot, weights

from condor_py.core.match import Carried, negotiate
from condor_py.core.match.carried import Loss
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Match, Preemption
from condor_py.model.settings.negotiator import ConcurrencySettings, NegotiatorSettings

PLAIN = {"preemption_requirements": "true", "pre_job_rank": "", "post_job_rank": "", "preemption_rank": ""}
ROOM = {**PLAIN, "allow_pslot_preemption": True}


def pool_of(*slots: ClassAd, **settings: object) -> Pool:
    """Nothing but what ``settings`` says decides between slots."""
    return Pool(slots, NegotiatorSettings(**{**PLAIN, **settings}))  # type: ignore[arg-type]


def matches(pool: Pool, *ads: ClassAd) -> tuple[Match, ...]:
    return pool.negotiate(demand("a@x", *((1, ad) for ad in ads))).matches


def names(pool: Pool, *ads: ClassAd) -> list[str]:
    return [match.slot.partition("@")[0] for match in matches(pool, *ads)]


@pytest.mark.parametrize("seed", range(12))
def test_every_job_gets_the_best_slot_that_is_permitted(seed: int) -> None:
    """Limits that depend on the slot forbid some; the same as trying all of them, for one job after the other."""
    rng = random.Random(seed)
    count = rng.randint(6, 14)
    goods = rng.sample(range(100), count)
    licenses = [rng.choice("abc") for _ in range(count)]
    kinds = [rng.choice((512, 1024, 2048)) for _ in range(count)]
    slots = [slot(n + 1, Good=goods[n], License=licenses[n], Memory=kinds[n]) for n in range(count)]
    limits = {name: float(rng.randint(1, 4)) for name in "abc"}
    settings = ConcurrencySettings(limits=tuple(limits.items()))
    asked = [rng.choice((1, 1000)) for _ in range(4)]
    ads = [
        job_ad(RequestMemory=memory, Rank=("TARGET.Good",), ConcurrencyLimits=("TARGET.License",)) for memory in asked
    ]
    plan = pool_of(*slots, concurrency=settings).negotiate(demand("a@x", *((3, ad) for ad in ads)))
    wanted = []
    left = dict(enumerate(zip(goods, licenses, kinds, strict=True)))
    for memory in (memory for memory in asked for _ in range(3)):
        fitting = [n for n, (_, name, has) in left.items() if limits[name] and has >= memory]
        if fitting:
            best = max(fitting, key=lambda n: left[n][0])
            limits[left.pop(best)[1]] -= 1
            wanted.append(f"slot{best + 1}@vm")
    assert [match.slot for match in plan.matches] == wanted


def test_a_piece_that_is_too_dear_does_not_hide_a_whole_slot() -> None:
    """The piece would pass the ceiling; the whole slot, which comes behind it, does not."""
    pool = pool_of(partitionable(1, 4, 4000), slot(2, 1.0, Cpus=4))
    pool.user("a@x", ceiling=2)
    assert names(pool, job_ad(RequestCpus=4)) == ["slot2"]


@pytest.mark.parametrize(("depth_first", "order"), [(False, ["1", "1", "2"]), (True, ["1", "1", "1"])])
def test_depth_first_stays_on_a_machine_that_is_not_the_best_any_more(depth_first: bool, order: list[str]) -> None:
    pool = pool_of(partitionable(1, 4, 4000), slot(2, Cpus=3), pre_job_rank="Cpus", depth_first=depth_first)
    plan = pool.negotiate(demand("a@x", (3, job_ad())))
    assert [match.slot for match in plan.matches] == [f"slot{number}@vm" for number in order]


def test_depth_first_has_nothing_to_say_where_nothing_fits() -> None:
    pool = pool_of(partitionable(1, 4, 4000), depth_first=True)
    assert names(pool, job_ad(RequestCpus=9), job_ad()) == ["slot1"]


def test_his_own_slot_is_not_preempted_though_it_is_the_worst_of_its_kind() -> None:
    holders = ("b@x", "b@x", "a@x")
    for order in (holders, holders[::-1]):
        pool = pool_of(*(claimed(slot(n), user) for n, user in enumerate(order, 1)))
        assert len(pool.negotiate(demand("a@x", (9, job_ad()))).matches) == 2


# making room in a partitionable slot


def machine(number: int, *users: str, free: int = 0, **attributes: object) -> list[ClassAd]:
    """A partitionable slot with ``free`` cores, and a dynamic one of two cores for each of ``users``."""
    children = [
        claimed(slot(number, Cpus=2, Name=f"slot{number}_{n}@vm", DynamicSlot=True, **attributes), user)
        for n, user in enumerate(users, 1)
    ]
    return [partitionable(number, free, 8000, **attributes), *children]


def test_nobody_gives_way_while_there_is_room() -> None:
    match = matches(pool_of(*machine(1, "b@x", free=2), **ROOM), job_ad(RequestCpus=2))[0]
    assert (match.victims, match.preemption) == ((), Preemption.NONE)


def test_of_two_machines_the_one_is_emptied_whose_worst_loss_is_smaller() -> None:
    """On the first one there is a job that should stay rather than any of the second one's."""
    users = {"dear@x": 1.0, "cheap@x": 100.0, "middle@x": 50.0}
    slots = [*machine(1, "dear@x", "cheap@x"), *machine(2, "middle@x", "middle@x")]
    pool = pool_of(*slots, **{**ROOM, "preemption_rank": "RemoteUserPrio"})
    for name, rup in users.items():
        pool.user(name, rup=rup)
    assert matches(pool, job_ad(RequestCpus=4))[0].slot == "slot2@vm"


def test_of_like_machines_the_first_is_emptied() -> None:
    slots = [*machine(1, "b@x", "b@x"), *machine(2, "b@x", "b@x")]
    assert names(pool_of(*slots, **ROOM), job_ad(RequestCpus=4)) == ["slot1"]


@pytest.mark.parametrize(
    ("told", "victims"),
    [
        ({}, 1),
        ({"State": "Preempting"}, 0),
        ({"RetirementTimeRemaining": 1}, 0),
        ({"RetirementTimeRemaining": 0}, 1),
        ({"RemoteUser": "a@x"}, 0),
    ],
)
def test_who_leaves_already_may_still_retire_or_is_the_one_who_asks_gives_no_way(
    told: dict[str, object], victims: int
) -> None:
    slots = machine(1, "b@x")
    for name, value in told.items():
        slots[1][name] = value
    found = matches(pool_of(*slots, **ROOM, consider_early_preemption=True), job_ad(RequestCpus=2))
    assert sum(len(match.victims) for match in found) == victims


def test_custom_resources_of_those_who_give_way_come_back() -> None:
    within = "MY.Cpus >= TARGET.RequestCpus && (TARGET.RequestGPUs ?: 0) <= MY.GPUs"
    slots = machine(1, "b@x", MachineResources="Cpus Memory Disk GPUs", WithinResourceLimits=(within,), GPUs=0)
    assert not matches(pool_of(*slots, **ROOM), job_ad(RequestCpus=1, RequestGPUs=1))
    slots[1]["GPUs"] = 1
    assert len(matches(pool_of(*slots, **ROOM), job_ad(RequestCpus=1, RequestGPUs=1))) == 1


def test_who_has_lost_a_slot_waits_for_priorities_only() -> None:
    """What a machine prefers is his at once, also where dynamic slots make room for it."""
    slots = machine(1, "b@x", Rank=("TARGET.Good =?= true",))
    for good, taken in ((True, 1), (False, 0)):
        pool = pool_of(*slots, **ROOM)
        carried = Carried(losses={"a@x": Loss(pool.now - 1, "b@x")})
        snapshot = pool.snapshot(demand("a@x", (1, job_ad(RequestCpus=2, Good=good))))
        assert len(negotiate(snapshot, pool.accountant, pool.settings, carried).plan.matches) == taken


def test_room_is_made_also_while_the_policy_follows_the_use() -> None:
    policy = "SubmitterUserResourcesInUse < 4"
    slots = machine(1, "b@x", "b@x", "b@x", "b@x")
    for stable, taken in ((False, 4.0), (True, 4.0)):
        knobs = {**ROOM, "preemption_requirements": policy, "preemption_requirements_stable": stable}
        found = weights(
            pool_of(*slots, **knobs).negotiate(demand("a@x", *((1, job_ad(RequestCpus=2)) for _ in "1234")))
        )
        assert found == {"a@x": taken}


@pytest.mark.parametrize(
    ("stable", "order"), [(True, ["slot1", "slot2", "slot3"]), (False, ["slot1", "slot5", "slot4"])]
)
def test_preemption_rank_may_follow_the_use(stable: bool, order: list[str]) -> None:
    """PREEMPTION_RANK_STABLE: asked once for a request, or before each of its matches."""
    rank = "SubmitterUserResourcesInUse >= 1 ? SlotID : -SlotID"
    pool = pool_of(*(claimed(slot(n), "b@x") for n in range(1, 6)), preemption_rank=rank, preemption_rank_stable=stable)
    pool.user("a@x")
    pool.user("b@x", rup=100.0)
    plan = pool.negotiate(demand("a@x", (3, job_ad())))
    assert [match.slot.partition("@")[0] for match in plan.matches] == order


# what is not said


def test_a_rank_that_is_no_number_is_nought() -> None:
    liked = slot(1, Liked=-0.5), slot(2), slot(3, Liked=0.5)
    ranked = job_ad(Rank=("TARGET.Liked",))
    assert names(pool_of(*liked), ranked, ranked, ranked) == ["slot3", "slot2", "slot1"]
    held = claimed(slot(1, Rank=("TARGET.NoSuch",)), "b@x", rank=0.5)
    assert names(pool_of(held), job_ad()) == []


def test_without_requirements_of_preemption_everybody_may_be_preempted() -> None:
    pool = pool_of(claimed(slot(1), "b@x"), preemption_requirements="")
    assert names(pool, job_ad()) == ["slot1"]


def test_a_dynamic_slot_is_a_slot_where_nobody_is_preempted() -> None:
    free = slot(1, Name="slot1_1@vm", DynamicSlot=True)
    assert names(pool_of(free, **ROOM, consider_preemption=False), job_ad()) == ["slot1_1"]

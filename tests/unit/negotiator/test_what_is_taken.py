"""What a match takes out of a slot and weighs, and what concurrency limits count."""

from __future__ import annotations

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import negotiate
from condor_py.core.match.carried import Carried, Loss
from condor_py.core.match.consumption import slot_weight
from condor_py.core.match.session import parse_limits
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import ConcurrencySettings, NegotiatorSettings

ANY = {"WithinResourceLimits": ("true",)}
WANTS_ANY = {"Requirements": ("true",)}


def taken(slots: ClassAd | list[ClassAd], *ads: ClassAd, count: int = 1, **settings: object) -> list[float]:
    """The weights of the matches of ``count`` jobs like each of ``ads``."""
    pool = Pool(slots if isinstance(slots, list) else [slots], NegotiatorSettings(**settings))  # type: ignore[arg-type]
    return [match.weight for match in pool.negotiate(demand("a@x", *((count, ad) for ad in ads))).matches]


def test_an_empty_rule_for_rounding_is_none() -> None:
    machine = partitionable(1, 8, 1200)
    assert len(taken(machine, job_ad(RequestMemory=400), count=9)) == 2
    assert len(taken(machine, job_ad(RequestMemory=400), count=9, modify_request=(("RequestMemory", " "),))) == 3


def test_a_job_that_does_not_say_takes_one_core_and_nothing_else() -> None:
    bare = job_ad(**WANTS_ANY)
    for name in ("RequestCpus", "RequestMemory", "RequestDisk"):
        del bare[name]
    assert taken(partitionable(1, 3, 100, **ANY), bare, count=9) == [1.0] * 3


def test_a_job_whose_rounded_request_just_fits_takes_all() -> None:
    small = job_ad(RequestMemory=1)
    assert taken(partitionable(1, 8, 512), job_ad(RequestMemory=400), small) == [1.0]


def test_what_is_not_there_is_not_given_whatever_requirements_say() -> None:
    """Neither the job nor the slot looks at the amounts."""
    assert taken(partitionable(1, 8, 1000, **ANY), job_ad(RequestMemory=2000, **WANTS_ANY)) == []
    assert taken(partitionable(1, 1, 1000, **ANY), job_ad(RequestCpus=2, **WANTS_ANY)) == []


@pytest.mark.parametrize(
    "policy", [{}, {f"Consumption{n}": (f"TARGET.Request{n}",) for n in ("Cpus", "Memory", "Disk", "GPUs")}]
)
def test_of_a_resource_that_a_slot_names_but_does_not_count_there_is_none(policy: dict[str, object]) -> None:
    machine = partitionable(1, 4, 4000, MachineResources="Cpus Memory Disk GPUs", **ANY, **policy)
    assert taken(machine, job_ad(RequestGPUs=1, **WANTS_ANY)) == []
    assert taken(machine, job_ad(RequestGPUs=0, **WANTS_ANY)) == [1.0]


def test_a_slot_without_a_list_of_its_resources_has_the_usual_ones() -> None:
    machine = partitionable(1, 4, 4000)
    del machine["MachineResources"]
    assert taken(machine, job_ad(), count=9) == [1.0] * 4


def test_a_slot_with_a_consumption_policy_may_refuse_a_job() -> None:
    policy = {f"Consumption{n}": (f"TARGET.Request{n}",) for n in ("Cpus", "Memory", "Disk")}
    assert taken(partitionable(1, 4, 4000, **policy, Start=("TARGET.Good",)), job_ad(Good=False)) == []
    assert taken(partitionable(1, 4, 4000, **policy, Start=("TARGET.Good",)), job_ad(Good=True)) == [1.0]


def test_a_piece_may_weigh_less_than_one() -> None:
    assert taken(partitionable(1, 4, 4000, SlotWeight=("Cpus / 2.0",)), job_ad()) == [0.5]


def test_a_weight_that_nobody_configured_is_one() -> None:
    bare = slot(1, Cpus=4)
    del bare["SlotWeight"]
    assert slot_weight(bare, NegotiatorSettings()) == 4.0  # SLOT_WEIGHT is Cpus
    assert slot_weight(bare, NegotiatorSettings(slot_weight="")) == 1.0
    assert slot_weight(bare, NegotiatorSettings(use_slot_weights=False)) == 1.0


# concurrency limits


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("a:0.5", 0.5), ("a:.25", 0.25), ("a:1e1", 10.0), ("a:+2", 2.0), ("a:0x2", 2.0), ("a:0X.8p2", 2.0),
        ("a:inf", float("inf")), ("a:1e999", float("inf")), ("a:nan", 1.0), ("a:-inf", 1.0), ("a:0x", 1.0),
    ],
)  # fmt: skip
def test_units_of_a_limit_need_not_be_whole(text: str, units: float) -> None:
    assert list(parse_limits(text)) == [("a", units)]


def test_who_waits_for_a_slot_holds_his_licenses_already() -> None:
    held = claimed(slot(1), "b@x", ConcurrencyLimits="lic", PreemptingConcurrencyLimits="lic")
    settings = ConcurrencySettings(limits=(("lic", 3.0),))
    free = [slot(n) for n in (2, 3, 4)]
    assert len(taken([held, *free], job_ad(ConcurrencyLimits="lic"), count=3, concurrency=settings)) == 1


# what one cycle leaves to the next


@pytest.mark.parametrize(("age", "kept"), [(0, True), (200, True), (201, False), (-1, False)])
def test_a_loss_is_remembered_for_ten_delays(age: int, kept: bool) -> None:
    carried = Carried(losses={"a@x": Loss(1000 - age, "b@x")})
    carried.forget(1000, delay=20)
    assert bool(carried.losses) == kept


def test_who_lost_a_slot_in_this_second_waits_too() -> None:
    pool = Pool([claimed(slot(1), "b@x")], NegotiatorSettings(preemption_requirements="true"))
    carried = Carried(losses={"a@x": Loss(pool.now, "b@x")})
    done = negotiate(pool.snapshot(demand("a@x", (1, job_ad()))), pool.accountant, pool.settings, carried)
    assert (done.plan.matches, done.again) == ((), 20)

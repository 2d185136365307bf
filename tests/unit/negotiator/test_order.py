"""Which slot goes first, which limit says no, and what a forecast foresees: each rule with all others equal."""

from __future__ import annotations

import pytest
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot, weights

from condor_py.core.match import negotiate
from condor_py.core.match.forecast import forecast
from condor_py.core.match.tally import Clocks
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Preemption
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

PLAIN = {"preemption_requirements": "true", "pre_job_rank": "", "post_job_rank": "", "preemption_rank": ""}


def first(*slots: ClassAd, **settings: object) -> str:
    """The slot that a job of alice gets."""
    pool = Pool(slots, NegotiatorSettings(**{**PLAIN, **settings}))  # type: ignore[arg-type]
    pool.user("b@x", rup=50.0)
    return pool.negotiate(demand("a@x", (1, job_ad(Good=True)))).matches[0].slot.partition("@")[0]


LIKES = {"Rank": ("TARGET.Good =?= true ? 10 : 0",)}


def test_nobody_is_preempted_while_a_slot_is_free() -> None:
    assert first(claimed(slot(1), "b@x"), slot(2)) == "slot2"
    assert first(claimed(slot(1, **LIKES), "b@x"), slot(2)) == "slot2"


def test_a_slot_that_prefers_the_job_goes_before_one_that_is_taken_by_priority() -> None:
    assert first(claimed(slot(1), "b@x"), claimed(slot(2, **LIKES), "b@x")) == "slot2"
    assert first(claimed(slot(1, **LIKES), "b@x"), claimed(slot(2), "b@x")) == "slot1"


@pytest.mark.parametrize("more", [{}, {"Memory": 2048}])
def test_of_held_slots_the_one_that_preemption_rank_prefers_goes_first(more: dict[str, object]) -> None:
    """Whether or not they are alike."""
    held = [claimed(slot(1, Age=5), "b@x"), claimed(slot(2, Age=7, **more), "b@x")]
    assert first(*held, preemption_rank="MY.Age") == "slot2"
    assert first(*held, preemption_rank="-MY.Age") == "slot1"


@pytest.mark.parametrize("more", [{}, {"Memory": 2048}, {"SlotWeight": ("2",)}])
def test_of_like_slots_the_earlier_goes_first(more: dict[str, object]) -> None:
    assert first(slot(1), slot(2, **more)) == "slot1"
    assert first(slot(1, **more), slot(2)) == "slot1"


def test_whole_slots_and_pieces_are_ranked_alike() -> None:
    assert first(partitionable(1, 4, 4000), slot(2)) == "slot1"
    assert first(slot(1), partitionable(2, 4, 4000)) == "slot1"
    assert first(slot(1), partitionable(2, 4, 4000), pre_job_rank="SlotID") == "slot2"


@pytest.mark.parametrize(("seconds", "taken"), [(0, 1), (1, 0)])
def test_a_slot_is_free_of_retirement_when_it_is_over(seconds: int, taken: int) -> None:
    pool = Pool([claimed(slot(1), "b@x", RetirementTimeRemaining=seconds)], NegotiatorSettings(**PLAIN))
    assert len(pool.negotiate(demand("a@x", (1, job_ad()))).matches) == taken


@pytest.mark.parametrize("state", ["Claimed", "Preempting"])
def test_what_somebody_holds_is_not_there_without_preemption(state: str) -> None:
    ad = slot(1, State=state, RemoteUser="b@x")
    pool = Pool([ad], NegotiatorSettings(consider_preemption=False))
    plan = pool.negotiate(demand("a@x", (1, job_ad())))
    assert [one.reason for one in plan.rejections] == ["no match found"]
    assert not plan.matches


@pytest.mark.parametrize(("user", "rank", "victims"), [("b@x", 0.0, 1), ("a@x", 0.0, 0), ("b@x", 1.0, 0)])
def test_of_a_partitionable_slot_nobody_loses_what_is_his_own_or_preferred(
    user: str, rank: float, victims: int
) -> None:
    settings = NegotiatorSettings(allow_pslot_preemption=True, **PLAIN)
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), user, rank=rank)
    plan = Pool([partitionable(1, 0, 8000), child], settings).negotiate(demand("a@x", (1, job_ad(RequestCpus=2))))
    assert [len(match.victims) for match in plan.matches] == [1] * victims


def test_a_slot_is_made_free_once_also_for_a_job_that_follows() -> None:
    settings = NegotiatorSettings(allow_pslot_preemption=True, preemption_requirements_stable=False, **PLAIN)
    children = [claimed(slot(1, Name=f"slot1_{n}@vm", Cpus=2, DynamicSlot=True), "b@x") for n in (1, 2)]
    plan = Pool([partitionable(1, 0, 8000), *children], settings).negotiate(demand("a@x", (3, job_ad(RequestCpus=2))))
    assert sorted(victim for match in plan.matches for victim in match.victims) == ["slot1_1@vm", "slot1_2@vm"]
    assert {match.preemption for match in plan.matches} == {Preemption.PRIORITY}


def test_requirements_of_a_slot_know_what_was_asked_for_before_the_policy_applied() -> None:
    names = ("Cpus", "Memory", "Disk")
    policy = {f"Consumption{name}": (f"TARGET.Request{name}",) for name in names}
    within = ("TARGET._cp_orig_RequestCpus == 1 && TARGET.RequestCpus == 2",)
    ad = partitionable(1, 4, 4000, **{**policy, "ConsumptionCpus": ("2",), "WithinResourceLimits": within})
    assert len(Pool([ad]).negotiate(demand("a@x", (9, job_ad()))).matches) == 2


# limits


@pytest.mark.parametrize(("ceiling", "weight", "matches"), [(0, 1.0, 0), (1, 2.0, 0), (2, 2.0, 1), (-1, 2.0, 3)])
def test_a_ceiling_is_kept_to(ceiling: int, weight: float, matches: int) -> None:
    pool = Pool([slot(n, weight) for n in (1, 2, 3)])
    pool.user("a@x", ceiling=ceiling)
    plan = pool.negotiate(demand("a@x", (9, job_ad())))
    assert len(plan.matches) == matches
    if ceiling >= 0:
        assert [one.reason for one in plan.rejections] == ["submitter ceiling reached"]


@pytest.mark.parametrize(("held", "matches"), [(False, 1), (True, 0)])
def test_a_group_that_uses_nothing_may_have_one_slot_larger_than_its_quota(held: bool, matches: int) -> None:
    settings = NegotiatorSettings(groups=(GroupSettings("g", 3.0),))
    slots = [slot(n, 4.0) for n in (1, 2, 3)] + ([claimed(slot(4), "g.u@x")] if held else [slot(4, Start=("false",))])
    pool = Pool(slots, settings, AccountantSettings(group_names=("g",)))
    assert len(pool.negotiate(demand("g.u@x", (9, job_ad()))).matches) == matches


def test_who_fits_nowhere_is_not_told_of_a_quota() -> None:
    settings = NegotiatorSettings(groups=(GroupSettings("g", 1.0),))
    pool = Pool([slot(1), slot(2)], settings, AccountantSettings(group_names=("g",)))
    plan = pool.negotiate(demand("g.u@x", (1, job_ad(RequestMemory=10**6)), (5, job_ad())))
    reasons = {one.autocluster: one.reason for one in plan.rejections}
    assert reasons == {1: "no match found", 2: "accounting group quota reached: g has 1"}


def test_reports_of_groups_say_how_they_get_more() -> None:
    groups = (
        GroupSettings("a", 2.0, autoregroup=True),
        GroupSettings("b", 3.0, accept_surplus=True),
        GroupSettings("c", 4.0),
    )
    settings = NegotiatorSettings(groups=groups)
    pool = Pool([slot(n) for n in range(1, 10)], settings, AccountantSettings(group_names=("a", "b", "c")))
    found = negotiate(pool.snapshot(demand("b.u@x", (2, job_ad()))), pool.accountant, settings).groups
    assert {name: found[name].surplus for name in "abc"} == {"a": "regroup", "b": "byquota", "c": "no"}
    assert (found["b"].config_quota, found["b"].subtree_quota, found["b"].requested) == (3.0, 3.0, 2.0)


def test_jobs_of_groups_that_share_are_dealt_once() -> None:
    groups = (GroupSettings("a", 1.0, autoregroup=True),)
    pool = Pool([slot(n) for n in (1, 2, 3)], NegotiatorSettings(groups=groups), AccountantSettings(group_names=("a",)))
    plan = pool.negotiate(demand("a.u@x", (9, job_ad())), demand("u@x", (9, job_ad()), cluster=7))
    assert sum(weights(plan).values()) == 3.0
    assert len({match.job for match in plan.matches}) == 3


def test_what_phases_take_is_what_passes() -> None:
    looks = [0.0]

    def tick() -> float:
        looks[0] += 1.0
        return looks[0]

    pool = Pool([slot(1)])
    done = negotiate(
        pool.snapshot(demand("a@x", (1, job_ad()))), pool.accountant, pool.settings, clocks=Clocks(cpu=tick)
    )
    assert 0 < sum(done.tally.phase_cpu) <= looks[0]


# a forecast


def test_pieces_that_end_are_one_again() -> None:
    """Two small jobs end, and then there is room for the large one: not before both have."""
    pool = Pool([partitionable(1, 4, 4000)])
    small, large = demand("a@x", (2, job_ad(RequestCpus=2))), demand("b@x", (1, job_ad(RequestCpus=4)), cluster=7)
    pool.user("a@x", rup=0.5)
    pool.user("b@x", rup=900.0)
    times = {0: 600.0, 1: 1200.0}
    found = forecast(
        pool.snapshot(small, large), pool.accountant, pool.settings, lambda job: times[job.proc], {}, horizon=9999.0
    )
    start = next(when for job, when in found.starts.items() if job.cluster == 7)
    assert start == NOW + 1200

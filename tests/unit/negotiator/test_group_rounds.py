"""Accounting groups round by round: who is passed over, who lends what, and what is told of it."""

from __future__ import annotations

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, slot, weights

from condor_py.core.match import Cycle, SubmitterDemand, negotiate
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings


def pool_of(slots: int | list[ClassAd], *groups: GroupSettings, **knobs: object) -> Pool:
    names = tuple(group.name for group in groups)
    ads = [slot(n) for n in range(1, slots + 1)] if isinstance(slots, int) else slots
    settings = NegotiatorSettings(groups=groups, **knobs)  # type: ignore[arg-type]
    return Pool(ads, settings, AccountantSettings(group_names=names))


def jobs(**counts: int) -> list[SubmitterDemand]:
    """So many jobs of user u of each group; ``none`` is no group."""
    return [
        demand("u@x" if name == "none" else f"{name}.u@x", (count, job_ad()), cluster=n)
        for n, (name, count) in enumerate(counts.items(), 1)
    ]


def cycle(pool: Pool, *demands: SubmitterDemand) -> Cycle:
    return negotiate(pool.snapshot(*demands), pool.accountant, pool.settings)


def given(pool: Pool, **counts: int) -> dict[str, float]:
    """Slot weight that the users of the groups get."""
    return {name.partition(".")[0]: weight for name, weight in weights(pool.negotiate(*jobs(**counts))).items()}


def of_groups(pool: Pool, **counts: int) -> list[str]:
    return [line for line in pool.negotiate(*jobs(**counts)).log if line.startswith("Group ")]


def test_the_log_tells_of_every_group() -> None:
    pool = pool_of(9, GroupSettings("a", 2.0), GroupSettings("b", 3.0), GroupSettings("c", 0.0))
    assert of_groups(pool, a=5, c=1) == [
        "Group a - BEGIN NEGOTIATION with a quota limit of 2",
        "Group b - skipping, zero slots allocated",
        "Group c - skipping, zero slots allocated",
        "Group <none> - skipping, zero slots allocated",
    ]
    pool = pool_of(9, GroupSettings("a", 2.0, autoregroup=True))
    assert of_groups(pool)[:2] == [
        "Group a - skipping, zero slots allocated",
        "Group <none> - skipping, no submitters (usage=0)",
    ]


def test_a_group_that_has_all_it_may_have_ends_the_rounds() -> None:
    pool = pool_of(9, GroupSettings("a", 2.0), GroupSettings("b", 3.0))
    assert cycle(pool, *jobs(a=5, b=1)).tally.rounds == 1
    closed = pool_of([slot(n, Start=("false",)) for n in range(1, 10)], GroupSettings("a", 2.0))
    assert cycle(closed, *jobs(a=5)).tally.rounds == 2  # in the second it is known to get nothing


def test_a_group_gets_in_a_later_round_what_it_lacks_and_not_that_twice() -> None:
    """No slot fits a job of group a; b has eight slots by its quota, and wants two more."""
    groups = GroupSettings("a", 4.0, accept_surplus=True), GroupSettings("b", 8.0, accept_surplus=True)
    pool = pool_of(12, *groups)
    plan = pool.negotiate(demand("a.u@x", (30, job_ad(RequestMemory=9999))), demand("b.u@x", (10, job_ad())))
    assert weights(plan) == {"b.u@x": 10.0}


def test_the_reason_names_what_the_group_could_have_surplus_included() -> None:
    pool = pool_of(5, GroupSettings("a", 2.0, accept_surplus=True), GroupSettings("b", 3.0, accept_surplus=True))
    plan = pool.negotiate(*jobs(a=9))
    assert [one.reason for one in plan.rejections] == ["accounting group quota reached: a has 5"]


def test_a_group_below_its_quota_is_served_also_without_preemption() -> None:
    held = [claimed(slot(n), "a.u@x") for n in (1, 2)]
    pool = pool_of([*held, *(slot(n) for n in range(3, 10))], GroupSettings("a", 5.0), consider_preemption=False)
    assert given(pool, a=9) == {"a": 3.0}


def test_limits_that_rise_together_count_what_a_group_has_already() -> None:
    """Two slots are left that fit; a has three of six, b none of three."""
    slots = [claimed(slot(n), "a.u@x") for n in (1, 2, 3)]
    slots += [slot(n) if n < 6 else slot(n, Start=("false",)) for n in range(4, 11)]
    groups = GroupSettings("a", 6.0), GroupSettings("b", 3.0)
    assert given(pool_of(slots, *groups, round_robin_rate=1.0), a=9, b=9) == {"a": 1.0, "b": 1.0}


def test_limits_rise_together_to_the_surplus_of_single_groups() -> None:
    """GROUP_ACCEPT_SURPLUS_<group> does for the steps what GROUP_ACCEPT_SURPLUS does: six groups leave a slot each."""
    slots = [claimed(slot(n), "a.u@x" if n < 3 else "b.u@x") for n in range(1, 5)]
    slots += [slot(n) if n < 7 else slot(n, Start=("false",)) for n in range(5, 11)]
    groups = [GroupSettings(name, 2.0, accept_surplus=True) for name in "ab"] + [
        GroupSettings(name, 1.0) for name in "cdefgh"
    ]
    assert given(pool_of(slots, *groups, round_robin_rate=1.0), a=9, b=9) == {"a": 1.0, "b": 1.0}


def test_those_of_no_group_have_the_whole_pool_where_groups_are_regrouped_by_default() -> None:
    """GROUP_AUTOREGROUP is true and GROUP_AUTOREGROUP_a false."""
    pool = pool_of(10, GroupSettings("a", 10.0), autoregroup=True, max_allocation_rounds=1)
    plan = pool.negotiate(demand("a.u@x", (30, job_ad(RequestMemory=9999))), demand("u@x", (4, job_ad())))
    assert weights(plan) == {"u@x": 4.0}


@pytest.mark.parametrize("preemption", [True, False])
def test_slots_in_use_count_for_quotas_that_are_fractions_of_some_slots(preemption: bool) -> None:
    """NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT chooses 8 of 10 slots, of which none may be preempted."""
    slots = [claimed(slot(n), "a.u@x", RetirementTimeRemaining=99) if n < 3 else slot(n) for n in range(1, 11)]
    pool = pool_of(
        slots,
        GroupSettings("a", 0.5, dynamic=True),
        slot_pool_size_constraint="SlotID <= 8",
        consider_preemption=preemption,
    )
    assert given(pool, a=9) == {"a": 2.0}


def test_demand_is_weight_or_the_number_of_jobs() -> None:
    wanted = demand("a.u@x", (2, job_ad(RequestCpus=2)), running=6.0)
    for weighted, requested in ((True, 10.0), (False, 5.0)):
        pool = pool_of(2, GroupSettings("a", 2.0), use_weighted_demand=weighted)
        assert cycle(pool, wanted._replace(running=3)).groups["a"].requested == requested


def test_slots_of_which_nothing_is_known_do_not_count_for_quotas() -> None:
    ads = [slot(n, Counts=True) if n <= 4 else slot(n) for n in range(1, 9)]
    pool = pool_of(ads, GroupSettings("a", 0.5, dynamic=True), slot_pool_size_constraint="Counts")
    assert given(pool, a=9) == {"a": 2.0}


def test_quotas_of_nothing_are_no_quotas() -> None:
    assert given(pool_of(3, GroupSettings("a", 0.0)), a=9, none=9) == {"u@x": 3.0}


def test_who_is_owed_no_slot_any_more() -> None:
    """A group that wants nothing; not one that has its due."""
    done = cycle(pool_of(9, GroupSettings("a", 1.0), GroupSettings("b", 1.0)), *jobs(a=1))
    assert "b" in done.turns
    assert "a" not in done.turns


@pytest.mark.parametrize(("regroups", "order"), [(False, ["u@x", "a.u@x"]), (True, ["a.u@x", "u@x"])])
def test_what_is_of_no_group_has_its_turn_by_the_order_and_last_where_groups_are_regrouped(
    regroups: bool, order: list[str]
) -> None:
    sort = 'AccountingGroup == "<none>" ? 0 : 1'
    pool = pool_of(9, GroupSettings("a", 2.0, autoregroup=regroups), group_sort_expr=sort)
    assert [match.submitter for match in pool.negotiate(*jobs(a=1, none=1)).matches] == order


def test_groups_may_be_ordered_by_what_is_allocated_to_them() -> None:
    def order(text: str) -> list[str]:
        pool = pool_of(9, GroupSettings("a", 4.0), GroupSettings("b", 4.0), group_sort_expr=text)
        return [match.submitter for match in pool.negotiate(*jobs(a=1, b=2)).matches]

    assert order("GroupResourcesAllocated") == ["a.u@x", "b.u@x", "b.u@x"]
    assert order("-(GroupResourcesAllocated)") == ["b.u@x", "b.u@x", "a.u@x"]


def test_who_is_of_no_group_has_his_share_once_beside_the_regrouped() -> None:
    assert given(pool_of(6, GroupSettings("a", 0.0, autoregroup=True)), a=9, none=9) == {"a": 3.0, "u@x": 3.0}


def test_a_match_of_no_group_is_not_one_of_a_regrouped_user() -> None:
    plan = pool_of(6, GroupSettings("a", 1.0)).negotiate(*jobs(none=1))
    assert [(match.group, match.autoregroup) for match in plan.matches] == [("<none>", False)]


def test_shares_are_told_of_the_users_of_groups() -> None:
    done = cycle(pool_of(6, GroupSettings("a", 4.0)), *jobs(a=9, none=1))
    assert done.submitters["a.u@x"].limit == 4.0
    assert set(done.submitters) == {"a.u@x", "u@x"}


# what fractions of quotas leave idle


def lent(pool: Pool, **counts: int) -> list[str]:
    return [line for line in of_groups(pool, **counts) if "idle slots" in line]


def test_nothing_is_lent_that_is_not_there() -> None:
    pool = pool_of(3, GroupSettings("a", 1.5), GroupSettings("b", 1.5))
    assert lent(pool, a=9, b=9) == ["Group a - may have idle slots up to 2"]


def test_who_is_of_no_group_may_have_idle_slots_too() -> None:
    pool = pool_of(10, GroupSettings("a", 0.25, dynamic=True))
    assert given(pool, a=2, none=9) == {"a": 2.0, "u@x": 8.0}


def test_a_group_that_is_not_regrouped_is_lent_to_beside_those_that_are() -> None:
    pool = pool_of(10, GroupSettings("a", 2.5, autoregroup=True), GroupSettings("b", 2.5))
    assert given(pool, b=9) == {"b": 3.0}


def test_nobody_is_preempted_for_what_is_lent() -> None:
    slots = [claimed(slot(1), "a.u@x"), claimed(slot(2), "b.u@x"), slot(3, Start=("false",))]
    groups = GroupSettings("a", 1.5), GroupSettings("b", 1.5)
    pool = pool_of(slots, *groups, preemption_requirements="true")
    pool.user("b.u@x", rup=50.0)
    assert given(pool, a=1) == {}

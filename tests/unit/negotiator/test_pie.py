"""The pie: the results observed with HTCondor 25.14, what it leaves for the next cycle dealt in the same one."""

from __future__ import annotations

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st
from negotiator_pool import Pool, demand, job_ad, partitionable, slot, weights

from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import NegotiatorSettings


def deal(
    slots: list[ClassAd],
    users: list[dict[str, float]],
    jobs: list[int] | None = None,
    settings: NegotiatorSettings | None = None,
) -> list[float]:
    """Slot weight that each user gets in one cycle; everybody has enough jobs unless ``jobs`` says how many."""
    pool = Pool(slots, settings)
    demands = []
    for number, user in enumerate(users):
        pool.user(f"u{number}@x", **user)  # type: ignore[arg-type]
        demands.append(demand(f"u{number}@x", (jobs[number] if jobs else 99, job_ad()), cluster=number + 1))
    given = weights(pool.negotiate(*demands))
    return [given.get(f"u{number}@x", 0.0) for number in range(len(users))]


def static(count: int) -> list[ClassAd]:
    return [slot(number + 1) for number in range(count)]


def factors(*thousands: float) -> list[dict[str, float]]:
    return [{"factor": 1000.0 * f} for f in thousands]


@pytest.mark.parametrize(
    ("constraint", "users", "expected"),
    [
        ("SlotID <= 4", [{}], [4]),
        ("SlotID <= 4", [{}, {}], [2, 2]),
        ("SlotID > 8", [{}], [0]),
        ("undefined", [{}], [0]),
        ("true", [{}], [8]),
        ("", [{}], [8]),
    ],
)
def test_shares_are_fractions_of_the_slots_that_count(
    constraint: str, users: list[dict[str, float]], expected: list[float]
) -> None:
    """NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT "applies both for group quota allocation and when there are no groups"."""
    assert deal(static(8), users, settings=NegotiatorSettings(slot_pool_size_constraint=constraint)) == expected


@pytest.mark.parametrize(
    ("count", "users", "expected"),
    [
        (28, factors(1, 2, 4), [16, 8, 4]),
        (30, factors(1, 2, 4), [18, 8, 4]),
        (23, factors(1, 1.5, 2.5, 7), [11, 7, 4, 1]),
        (8, [{}, {"rup": 30.0}], [7, 1]),
        (8, [{}, {"rup": 66.0}], [7, 1]),  # 7.94 is not 8 where somebody is owed the rest
        (8, [{}, {"factor": 1e10}], [7, 1]),
        (8, [{}, {}, {"factor": 1e10}], [4, 3, 1]),
        (12, [{"ceiling": 3}, {}, {"factor": 3000.0}], [3, 8, 1]),
        (8, [{}, {"factor": 1e6, "floor": 3}], [5, 3]),
        (8, factors(1, 1, 1), [3, 3, 2]),
        (1, factors(2, 1), [0, 1]),
    ],
)
def test_whole_slots(count: int, users: list[dict[str, float]], expected: list[float]) -> None:
    assert deal(static(count), users) == expected


@pytest.mark.parametrize(
    ("count", "users", "expected"),
    [
        (28, factors(1, 2, 4), [16, 8, 4]),
        (30, factors(1, 2, 4), [18, 8, 4]),
        (23, factors(1, 1.5, 2.5, 7), [11, 7, 4, 1]),
        (12, [{"ceiling": 3}, {}, {"factor": 3000.0}], [3, 8, 1]),
        (8, factors(1, 1), [4, 4]),
        (8, [{}, {"factor": 1e6, "floor": 3}], [5, 3]),
    ],
)
def test_a_partitionable_slot_is_dealt_like_whole_ones(
    count: int, users: list[dict[str, float]], expected: list[float]
) -> None:
    assert deal([partitionable(1, count, count * 256)], users) == expected


def test_who_runs_out_of_jobs_leaves_the_pie_to_the_others() -> None:
    assert deal(static(28), factors(1, 2, 4), jobs=[4, 99, 99]) == [4, 18, 6]


def test_weights_count() -> None:
    two_large = [slot(1, 4.0), slot(2, 4.0), *(slot(number, 1.0) for number in range(3, 9))]
    assert deal(two_large, factors(1, 1)) == [7, 7]
    mixed = [slot(number, 2.5 if number <= 3 else 1.5) for number in range(1, 11)]
    assert deal(mixed, [{"rup": 0.5}, {"rup": 1.5}, {"rup": 3.0}]) == [12, 4.5, 1.5]


def test_without_slot_weights_every_slot_counts_one() -> None:
    slots = [slot(number, 10.0 if number == 1 else 1.0) for number in range(1, 9)]
    assert deal(slots, factors(1, 1), settings=NegotiatorSettings(use_slot_weights=False)) == [4, 4]


def test_use_counts_against_the_share() -> None:
    """Who holds five of twelve slots gets one more, the other six."""
    pool = Pool(static(12))
    pool.user("a@x")
    pool.user("b@x")
    for number, ad in enumerate(pool.slots[:5]):
        ad["State"], ad["RemoteUser"], ad["RemoteOwner"] = "Claimed", "a@x", f"a{number}"
    given = weights(pool.negotiate(demand("a@x", (99, job_ad())), demand("b@x", (99, job_ad()))))
    assert given == {"a@x": 1.0, "b@x": 6.0}


def test_priorities_even_out_over_cycles() -> None:
    """Two users in turn for single jobs: use makes a priority worse, so they alternate."""
    pool = Pool(static(1))
    pool.user("a@x")
    pool.user("b@x")
    winners = []
    for _ in range(6):
        plan = pool.negotiate(demand("a@x", (1, job_ad())), demand("b@x", (1, job_ad())))
        winners.append(plan.matches[0].submitter)
        pool.now += 3600
    assert sorted(winners) == ["a@x"] * 3 + ["b@x"] * 3


def test_ignoring_user_priorities_serves_the_first_in_order() -> None:
    settings = NegotiatorSettings(ignore_user_priorities=True)
    assert deal(static(8), factors(2, 1), settings=settings) == [0, 8]


def test_global_job_priorities_decide_between_equal_users() -> None:

    pool = Pool(static(1), NegotiatorSettings(use_global_job_prios=True))
    pool.user("a@x")
    pool.user("b@x")
    high = demand("b@x", (1, job_ad()))._replace(job_prio=5)
    assert [m.submitter for m in pool.negotiate(demand("a@x", (1, job_ad())), high).matches] == ["b@x"]


def test_a_ceiling_smaller_than_a_slot_and_a_floor_partly_met() -> None:
    """HTCondor compares a ceiling with the weight of the whole slot and adds a floor to the use; we do not."""
    assert deal([partitionable(1, 8, 8000)], [{"ceiling": 4}]) == [4]
    pool = Pool(static(8))
    pool.user("a@x", factor=1e6, floor=3)
    pool.user("b@x")
    for ad in pool.slots[:2]:
        ad["State"], ad["RemoteUser"], ad["RemoteOwner"] = "Claimed", "a@x", "a@x"
    given = weights(pool.negotiate(demand("a@x", (99, job_ad())), demand("b@x", (99, job_ad()))))
    assert given == {"a@x": 1.0, "b@x": 5.0}


def test_a_slot_weight_that_does_not_add_up_wastes_nothing() -> None:
    one = partitionable(1, 8, 8000, SlotWeight=("1",))
    assert sum(deal([one], factors(1, 1))) == 8.0


def test_who_runs_jobs_but_has_none_idle_leaves_the_pie() -> None:
    from condor_py.core.match import SubmitterDemand

    pool = Pool(static(8))
    pool.user("a@x")
    pool.user("b@x")
    for ad in pool.slots[:2]:
        ad["State"], ad["RemoteUser"], ad["RemoteOwner"] = "Claimed", "a@x", "a@x"
    given = weights(pool.negotiate(SubmitterDemand("a@x", running_weight=2.0), demand("b@x", (99, job_ad()))))
    assert given == {"b@x": 6.0}


@pytest.mark.parametrize(("rup", "winner"), [(4.0, "b@x"), (40.0, "a@x")])  # b is owed 0.9 of the slot, or 0.1
def test_a_free_slot_goes_to_whom_most_of_it_is_owed(rup: float, winner: str) -> None:
    """HTCondor gives it to the best priority each time: a small share would never have its part."""
    pool = Pool(static(8))
    pool.user("a@x")
    pool.user("b@x", rup=rup)
    for ad in pool.slots[:7]:
        ad["State"], ad["RemoteUser"], ad["RemoteOwner"] = "Claimed", "a@x", "a@x"
    given = weights(pool.negotiate(demand("a@x", (99, job_ad())), demand("b@x", (99, job_ad()), cluster=2)))
    assert given == {winner: 1.0}


@pytest.mark.parametrize("seconds", [0, 1, 7, 60, 300])
def test_priorities_set_in_different_seconds_do_not_lose_a_slot(seconds: int) -> None:
    """The manual's shares of 4:2:1, also when the priorities have decayed for different times."""
    pool = Pool(static(14))
    for name, rup in (("ada@x", 5.0), ("bob@x", 10.0), ("cyd@x", 20.0)):
        pool.user(name, rup=rup)
        pool.now += seconds
        pool.accountant.update(pool.now)
    plan = pool.negotiate(*(demand(name, (14, job_ad())) for name in ("ada@x", "bob@x", "cyd@x")))
    assert weights(plan) == {"ada@x": 8.0, "bob@x": 4.0, "cyd@x": 2.0}


@settings(derandomize=True, max_examples=100, deadline=None)
@generated(
    st.integers(1, 40),
    st.lists(st.floats(0.5, 50.0), min_size=1, max_size=12),
    st.lists(st.integers(0, 600), min_size=12, max_size=12),
)
def test_everybody_gets_his_share_to_within_a_slot(count: int, priorities: list[float], waits: list[int]) -> None:
    pool = Pool(static(count))
    names = [f"u{number}@x" for number in range(len(priorities))]
    for name, rup, wait in zip(names, priorities, waits, strict=False):
        pool.user(name, rup=rup)
        pool.now += wait
        pool.accountant.update(pool.now)
    parts = {name: 1.0 / pool.accountant.effective_priority(name) for name in names}
    got = weights(pool.negotiate(*(demand(name, (count, job_ad()), cluster=n + 1) for n, name in enumerate(names))))
    total = sum(parts.values())
    assert sum(got.values()) == count
    for name in names:
        assert abs(got.get(name, 0.0) - count * parts[name] / total) < 1.0 + 1e-6

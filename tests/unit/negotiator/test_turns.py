"""The turns of submitters in the spins of a pie: what fits, who is passed over, and what is told of it."""

from __future__ import annotations

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot, weights

from condor_py.core.match import Cycle, Snapshot, SubmitterDemand, negotiate
from condor_py.core.match.allowance import Allowance
from condor_py.core.match.steps import Budgets
from condor_py.core.match.tally import Clocks
from condor_py.core.match.trial import without_culprits
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings


def cycle(pool: Pool, *demands: SubmitterDemand) -> Cycle:
    return negotiate(pool.snapshot(*demands), pool.accountant, pool.settings)


def grouped(pool_slots: list[ClassAd], quota: float, **knobs: object) -> Pool:
    settings = NegotiatorSettings(groups=(GroupSettings("g", quota),), **knobs)  # type: ignore[arg-type]
    return Pool(pool_slots, settings, AccountantSettings(group_names=("g",)))


@pytest.mark.parametrize(
    ("limit", "matched", "weight", "slack", "fits"),
    [
        (3.0, 2.0, 1.0, 0.0, True),
        (3.0, 3.0, 1.0, 0.0, False),
        (2.9, 2.0, 1.0, 0.0, False),
        (2.96, 2.0, 1.0, 0.05, True),  # so much may be missing to a whole slot
        (2.94, 2.0, 1.0, 0.05, False),
        (3.92, 2.0, 2.0, 0.05, True),  # and so much more to a larger one
        (0.4, 0.0, 1.0, 0.0, True),  # the first one is rounded up
        (0.4, 0.1, 1.0, 0.0, False),
        (0.0, 0.0, 1.0, 0.0, False),
    ],
)
def test_what_fits_into_an_allowance(limit: float, matched: float, weight: float, slack: float, fits: bool) -> None:
    everything = Allowance(limit, 0.0, 99.0, matched=matched, slack=slack)
    free = Allowance(0.0, limit, 99.0, matched_free=matched, slack=slack)
    assert (everything.fits(weight), free.fits_free(weight)) == (fits, fits)


@pytest.mark.parametrize(
    ("limit", "matched", "overdrawn", "used_up"),
    [(4.0, 3.0, 0.0, False), (4.0, 4.0, 0.0, True), (3.98, 4.0, 0.02, True), (3.0, 4.0, 0.05, True)],
)
def test_how_far_an_allowance_is_used(limit: float, matched: float, overdrawn: float, used_up: bool) -> None:
    allowance = Allowance(limit, limit, 99.0, matched=matched, slack=0.05)
    assert allowance.overdrawn == pytest.approx(overdrawn)
    assert allowance.used_up == used_up


def test_who_is_left_less_than_a_slot_is_passed_over_in_that_spin() -> None:
    """Three slots for two: one each, and the third when everybody may round up once more."""
    pool = Pool([slot(n) for n in (1, 2, 3)])
    for name in ("a@x", "b@x"):
        pool.user(name)
    done = cycle(pool, demand("a@x", (9, job_ad())), demand("b@x", (9, job_ad()), cluster=7))
    for name in ("a@x", "b@x"):
        assert f"  Negotiation with {name} skipped as pieLeft < minSlotWeight" in done.plan.log
    assert sorted(weights(done.plan).values()) == [1.0, 2.0]
    assert {one.reason for one in done.plan.rejections} == {"submitter limit exceeded"}
    assert set(done.tally.share_limit) == {"a@x", "b@x"}


def test_spins_are_numbered() -> None:
    pool = Pool([slot(n) for n in range(1, 9)])
    log = pool.negotiate(demand("a@x", (1, job_ad())), demand("b@x", (9, job_ad()), cluster=7)).log
    assert [line.split()[1] for line in log if line.startswith("Phase 4.")] == ["4.1:", "4.2:"]


def test_who_got_all_he_wanted_is_at_no_limit() -> None:
    done = cycle(Pool([slot(n) for n in range(1, 9)]), demand("a@x", (2, job_ad())))
    assert (list(done.tally.share_limit), list(done.tally.schedds)) == ([], ["<127.0.0.1:9618>"])


def test_later_requests_have_their_turn_when_the_first_are_served() -> None:
    """Somebody else has no more jobs: in the next spin it goes on behind what was served already."""
    pool = Pool([slot(n) for n in range(1, 9)])
    plan = pool.negotiate(demand("a@x", (1, job_ad()), (9, job_ad(RequestMemory=200))), demand("b@x", (1, job_ad())))
    assert weights(plan) == {"a@x": 7.0, "b@x": 1.0}


def test_at_his_ceiling_a_user_is_told_so_for_every_kind_of_job_and_once_in_the_log() -> None:
    pool = Pool([slot(n) for n in range(1, 9)])
    pool.user("a@x", ceiling=2)
    plan = pool.negotiate(demand("a@x", (2, job_ad()), (5, job_ad(RequestMemory=200)), (5, job_ad(RequestMemory=300))))
    assert [one.reason for one in plan.rejections] == ["submitter ceiling reached"] * 2
    assert sum("has hit the ceiling" in line for line in plan.log) == 1


def test_a_floor_is_no_matter_for_who_wants_nothing() -> None:
    pool = Pool([slot(n) for n in range(1, 9)])
    pool.user("a@x", floor=3)
    done = cycle(pool, SubmitterDemand("a@x", running_weight=1.0), demand("b@x", (2, job_ad())))
    assert done.tally.spins == 1


def test_without_preemption_who_only_runs_has_no_part_of_the_pie() -> None:
    for preempts, names in ((False, {"b@x"}), (True, {"a@x", "b@x"})):
        pool = Pool([slot(n) for n in range(1, 9)], NegotiatorSettings(consider_preemption=preempts))
        done = cycle(pool, SubmitterDemand("a@x", running_weight=1.0), demand("b@x", (2, job_ad())))
        assert set(done.submitters) == names


def test_a_group_is_asked_once_more_when_its_quota_is_used_and_not_twice() -> None:
    assert cycle(grouped([slot(n) for n in range(1, 9)], 2.0), demand("g.u@x", (5, job_ad()))).tally.spins == 2


def test_pieces_that_weigh_more_than_their_slot_stay_within_the_quota() -> None:
    pool = grouped([partitionable(1, 8, 8000, SlotWeight=("1",)), slot(2), slot(3)], 2.0)
    assert weights(pool.negotiate(demand("g.u@x", (9, job_ad())))) == {"g.u@x": 2.0}


def test_a_group_above_its_quota_gets_no_free_slot() -> None:
    slots = [claimed(slot(n), "g.u@x") for n in (1, 2, 3)] + [slot(n) for n in (4, 5)]
    assert weights(grouped(slots, 2.0).negotiate(demand("g.u@x", (9, job_ad())))) == {}


def test_a_slot_that_does_not_say_how_it_ranks_its_job_ranks_it_nought() -> None:
    held = claimed(slot(1, Rank=("TARGET.Good",)), "b@x")
    del held["CurrentRank"]
    for good, taken in ((0.5, 1), (0.0, 0)):
        assert len(Pool([held]).negotiate(demand("a@x", (1, job_ad(Good=good)))).matches) == taken


def test_jobs_without_an_owner_are_paid_by_their_submitter() -> None:
    budgets = Budgets()
    ours, theirs = budgets.of("a@x", ClassAd()), budgets.of("b@x", ClassAd())
    assert ours is not theirs
    assert budgets.of("a@x", ClassAd()) is ours
    assert budgets.of("a@x", ClassAd({"Owner": "carol"})) is budgets.of("b@x", ClassAd({"Owner": "carol"}))


class Late:
    """A clock that has run for long; every look takes a second."""

    seconds = 1e9

    def __call__(self) -> float:
        self.seconds += 1.0
        return self.seconds


def test_time_counts_from_the_begin_of_the_cycle() -> None:
    settings = NegotiatorSettings(max_time_per_cycle=40, max_time_per_spin=4)
    pool = Pool([slot(n) for n in range(1, 9)], settings)
    snapshot = pool.snapshot(demand("a@x", (8, job_ad())))
    done = negotiate(snapshot, pool.accountant, settings, clocks=Clocks(Late(), Late()))
    assert len(done.plan.matches) == 8
    told = [int(line.split()[0]) for line in done.plan.log if line.endswith("seconds so far for this submitter")]
    assert told == [0, 5, 10]  # five looks at the clock a turn
    assert sum(done.tally.phase_time) < 100


def test_a_slot_without_a_name_is_left_out_like_any_other() -> None:
    bare = slot(1)
    del bare["Name"]

    def fails(part: Snapshot) -> None:
        if any(ad is bare for ad in part.slots):
            raise ZeroDivisionError("so")

    log = without_culprits(Pool([bare, slot(2)]).snapshot(), fails).log
    assert log == ("ERROR slot without a name is left out, it cannot be judged: ZeroDivisionError: so",)


def test_a_cycle_that_may_take_no_time_serves_nobody() -> None:
    log = Pool([slot(1)], NegotiatorSettings(max_time_per_cycle=0)).negotiate(demand("a@x", (1, job_ad()))).log
    assert "  Negotiation with a@x skipped because MAX_TIME_PER_CYCLE of 0 secs exceeded" in log
    assert not any("Reached deadline" in line for line in log)
    pool = Pool([slot(1)], NegotiatorSettings(max_time_per_cycle=1))
    assert len(pool.negotiate(demand("a@x", (1, job_ad()))).matches) == 1


@pytest.mark.parametrize("attribute", ["PreemptingAccountingGroup", "PreemptingUser", "AccountingGroup", "RemoteUser"])
def test_who_has_a_slot_or_waits_for_it_is_not_preempted_by_himself(attribute: str) -> None:
    """By whichever attribute it is told; those in front count before those behind."""
    names = ("RemoteUser", "AccountingGroup", "PreemptingUser", "PreemptingAccountingGroup")
    held = slot(1, State="Claimed", **dict.fromkeys(names[: names.index(attribute) + 1], "b@x"))
    settings = NegotiatorSettings(preemption_requirements="true")
    for holder, taken in (("b@x", 1), ("a@x", 0)):
        held[attribute] = holder
        assert len(Pool([held], settings).negotiate(demand("a@x", (1, job_ad()))).matches) == taken


def test_a_slot_tells_of_no_quota_before_a_group_is_served() -> None:
    held = claimed(slot(1, Start=("MY.RemoteGroupQuota == 0.0",)), "g.b@x")
    plan = grouped([held], 5.0, max_time_per_submitter=0).negotiate(demand("g.u@x", (1, job_ad())))
    assert [one.reason for one in plan.rejections] == ["the negotiator ran out of time"]

"""What a cycle leaves out, keeps back, and says of those who got nothing."""

from __future__ import annotations

import pytest
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot, weights

from condor_py.core.match import Carried, negotiate, significant_attributes
from condor_py.core.match.carried import Loss
from condor_py.core.match.session import Session
from condor_py.core.match.snapshot import Promise
from condor_py.core.match.tally import Clocks, Tally
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

EVERYBODY = NegotiatorSettings(preemption_requirements="true")


def names(pool: Pool, *ads: ClassAd) -> list[str]:
    plan = pool.negotiate(demand("a@x", *((1, ad) for ad in ads)))
    return [match.slot.partition("@")[0] for match in plan.matches]


# slots that are left out


@pytest.mark.parametrize(
    ("told", "threshold", "trimmed"),
    [
        ({"DaemonShutdown": ("true",)}, 0, False),
        ({"DaemonShutdown": ("true",)}, 1, True),
        ({"DaemonShutdownFast": ("true",)}, 1, True),
        ({"DaemonShutdown": ("false",), "DaemonShutdownFast": ("true",)}, 1, True),
        ({"DaemonShutdown": (f"CurrentTime >= {NOW + 300}",)}, 300, True),
        ({"DaemonShutdown": (f"CurrentTime >= {NOW + 301}",)}, 300, False),
        ({"DaemonShutdown": (f"time() >= {NOW + 310}",), "MyCurrentTime": NOW + 10}, 300, True),
        ({}, 300, False),
    ],
)
def test_machines_that_will_have_shut_down_are_left_out(told: dict[str, object], threshold: int, trimmed: bool) -> None:
    """NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD seconds ahead, by the clock of the machine."""
    pool = Pool([slot(1, **told)], NegotiatorSettings(trim_shutdown_threshold=threshold))
    assert names(pool, job_ad()) == [] if trimmed else ["slot1"]


def test_a_partitionable_slot_is_in_reach_whatever_its_state() -> None:
    pool = Pool([partitionable(1, 2, 2000, State="Claimed")], NegotiatorSettings(consider_preemption=False))
    assert names(pool, job_ad()) == ["slot1"]


def test_without_the_knob_a_dynamic_slot_is_preempted_like_any_other() -> None:
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), "b@x")
    assert names(Pool([partitionable(1, 0, 100), child], EVERYBODY), job_ad()) == ["slot1_1"]


def test_with_the_knob_it_is_the_machine_that_is_matched_and_only_if_it_is_there() -> None:
    settings = EVERYBODY.changed(allow_pslot_preemption=True)
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), "b@x")
    assert names(Pool([child, partitionable(1, 0, 8000)], settings), job_ad(RequestCpus=2)) == ["slot1"]
    assert names(Pool([child], settings), job_ad(RequestCpus=2)) == []


def test_what_is_promised_of_one_machine_is_not_taken_from_another() -> None:
    pool = Pool([partitionable(1, 2, 2000), partitionable(2, 2, 2000)])
    promise = Promise("b@x", "slot1@vm", (), 2.0, (("Cpus", 2.0),))
    snapshot = pool.snapshot(demand("a@x", (9, job_ad())))._replace(promises=[promise])
    plan = negotiate(snapshot, pool.accountant, pool.settings).plan
    assert [match.slot for match in plan.matches] == ["slot2@vm"] * 2


def test_a_large_victim_leaves_free_what_was_free() -> None:
    """Five cores are asked for: two victims of two each, and one of the two that are free."""
    settings = EVERYBODY.changed(allow_pslot_preemption=True)
    children = [claimed(slot(1, Name=f"slot1_{n}@vm", Cpus=2, DynamicSlot=True), "b@x") for n in (1, 2)]
    plan = Pool([partitionable(1, 2, 8000), *children], settings).negotiate(
        demand("a@x", (1, job_ad(RequestCpus=5))), demand("c@x", (2, job_ad()), cluster=9)
    )
    assert [(match.submitter, len(match.victims)) for match in plan.matches] == [("a@x", 2), ("c@x", 0)]


def test_what_one_victim_has_too_much_is_not_taken_from_what_is_free() -> None:
    settings = EVERYBODY.changed(allow_pslot_preemption=True)
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=4, DynamicSlot=True), "b@x")
    plan = Pool([partitionable(1, 1, 8000), child], settings).negotiate(
        demand("a@x", (1, job_ad(RequestCpus=4))), demand("c@x", (1, job_ad()), cluster=9)
    )
    assert [(match.submitter, len(match.victims)) for match in plan.matches] == [("a@x", 1), ("c@x", 0)]


@pytest.mark.parametrize(
    ("slots", "requests", "settings", "least"),
    [
        ([slot(1, 4.0), slot(2, 2.0), slot(3, 0.0)], [job_ad()], NegotiatorSettings(), 2.0),
        ([partitionable(1, 8, 8000)], [job_ad(RequestCpus=3), job_ad(RequestCpus=2)], NegotiatorSettings(), 2.0),
        ([partitionable(1, 8, 8000), slot(2, 1.5)], [job_ad(RequestCpus=3)], NegotiatorSettings(), 1.5),
        ([partitionable(1, 8, 8000)], [job_ad(RequestCpus=9)], NegotiatorSettings(), 8.0),
        ([partitionable(1, 8, 8000, SlotWeight=("Cpus == 8 ? 1 : 4",))], [job_ad()], NegotiatorSettings(), 4.0),
        ([claimed(slot(1, 4.0), "b@x"), slot(2, 0.0)], [], NegotiatorSettings(consider_preemption=False), 4.0),
        ([claimed(slot(n, n), "b@x") for n in (3, 4)], [], NegotiatorSettings(consider_preemption=False), 3.0),
        ([], [], NegotiatorSettings(), 1.0),
    ],
)
def test_the_least_that_a_match_can_weigh(
    slots: list[ClassAd], requests: list[ClassAd], settings: NegotiatorSettings, least: float
) -> None:
    """A whole slot, or a piece that is asked for; what nobody can have does not count."""
    pool = Pool(slots, settings)
    snapshot = pool.snapshot(demand("a@x", *((1, ad) for ad in requests)))
    assert Session(snapshot, pool.accountant, settings, Tally(settings, Clocks())).min_weight == least


# spins


def test_preemption_goes_on_when_others_have_no_jobs_left() -> None:
    """Two share nine slots of a third; one of them wants a single one."""
    pool = Pool([claimed(slot(n), "c@x") for n in range(1, 10)], EVERYBODY)
    pool.user("c@x", rup=1e6)
    plan = pool.negotiate(demand("a@x", (1, job_ad())), demand("b@x", (99, job_ad()), cluster=9))
    assert weights(plan) == {"a@x": 1.0, "b@x": 8.0}


def test_when_all_slots_are_taken_nobody_is_asked_again() -> None:
    for slots in ([slot(1)], [claimed(slot(1), "c@x")]):
        pool = Pool(slots, EVERYBODY)
        pool.user("c@x", rup=1e6)
        done = negotiate(pool.snapshot(demand("a@x", (1, job_ad()), (3, job_ad()))), pool.accountant, EVERYBODY)
        assert (len(done.plan.matches), done.tally.spins) == (1, 1)


# what is said


def test_a_rejection_is_in_the_log() -> None:
    log = Pool([slot(1, Start=("false",))]).negotiate(demand("a@x", (2, job_ad()), cluster=3)).log
    assert "      Rejected 3.0 a@x <127.0.0.1:9618>: no match found" in log


def test_a_slot_that_somebody_has_taken_is_no_matter_of_preemption_any_more() -> None:
    ad = claimed(slot(1, Rank=("TARGET.Vip =?= true",)), "b@x")
    closed = [slot(n, Start=("false",)) for n in (2, 3, 4)]
    plan = Pool([ad, *closed]).negotiate(demand("a@x", (1, job_ad(Vip=True)), (1, job_ad())))
    assert [one.reason for one in plan.rejections] == ["no match found"]


def test_who_had_no_time_is_told_so_once_for_each_kind_of_job() -> None:
    """Of two kinds of slots one fits."""
    pool = Pool([slot(1, Start=("false",)), slot(2)], NegotiatorSettings(max_time_per_submitter=0))
    first = demand("a@x", (3, job_ad()))
    again = first.requests[0]._replace(jobs=first.requests[0].jobs[1:])
    plan = pool.negotiate(first._replace(requests=[first.requests[0], again]))
    assert [one.reason for one in plan.rejections] == ["the negotiator ran out of time"]


def test_a_quota_is_not_named_to_who_is_of_no_group() -> None:
    settings = NegotiatorSettings(groups=(GroupSettings("a", 2.0),))
    pool = Pool([slot(n) for n in (1, 2, 3)], settings, AccountantSettings(group_names=("a",)))
    plan = pool.negotiate(demand("a.u@x", (2, job_ad())), demand("u@x", (9, job_ad()), cluster=7))
    assert weights(plan) == {"a.u@x": 2.0, "u@x": 1.0}
    assert [one.reason for one in plan.rejections] in (["submitter limit exceeded"], ["accounting group quota reached"])


def test_the_next_cycle_follows_when_the_first_of_those_who_wait_may_preempt() -> None:
    pool = Pool([claimed(slot(1), "c@x")], EVERYBODY)
    carried = Carried(losses={"a@x": Loss(pool.now - 5, "c@x"), "b@x": Loss(pool.now - 15, "c@x")})
    snapshot = pool.snapshot(demand("a@x", (1, job_ad())), demand("b@x", (1, job_ad())))
    assert negotiate(snapshot, pool.accountant, pool.settings, carried).again == EVERYBODY.cycle_delay - 15


# which attributes of jobs count


def test_dynamic_slots_and_blank_knobs_are_passed_over_and_other_attributes_of_slots_mean_nothing() -> None:
    slots = [slot(1, DynamicSlot=True), slot(2, Start=("TARGET.Wanted",), Colour=("TARGET.Strange",))]
    found = significant_attributes(slots, NegotiatorSettings(post_job_rank=" ", pre_job_rank=""))
    assert "Wanted" in found
    assert "Strange" not in found

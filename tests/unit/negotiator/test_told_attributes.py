"""What expressions of slots and of the negotiator see of users and groups, and what counts without a number."""

from __future__ import annotations

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, put, slot, weights

from condor_py.core.match import SubmitterDemand, negotiate, significant_attributes
from condor_py.core.match.consumption import slot_weight
from condor_py.core.match.slot import Slot
from condor_py.core.match.values import number_text
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

GROUPS = (GroupSettings("g", 4.0, autoregroup=True), GroupSettings("h", 4.0))
NAMES = AccountantSettings(group_names=("g", "h"))


@pytest.mark.parametrize(
    ("start", "matched"),
    [
        ("TARGET.SubmitterUserPrio == 3000.0", ["g.u@x"]),
        ("TARGET.SubmittorPrio == 3000.0", ["g.u@x"]),
        ('TARGET.SubmitterGroup == "g"', ["g.u@x"]),
        ("TARGET.SubmitterGroupQuota == 4.0", ["g.u@x", "h.u@x"]),
        ('TARGET.SubmitterNegotiatingGroup == "h"', ["h.u@x"]),
        ("TARGET.SubmitterAutoregroup", ["g.u@x"]),  # after all groups, from what they left
        ('TARGET.SubmitterAutoregroup == false && TARGET.SubmitterGroup == "g"', ["g.u@x"]),
        ('TARGET.SubmitterNegotiatingGroup == "<none>"', ["g.u@x"]),
        ("TARGET.SubmitterUserResourcesInUse + TARGET.SubmitterGroupResourcesInUse == 0", ["g.u@x", "h.u@x"]),
    ],
)
def test_slots_see_who_asks(start: str, matched: list[str]) -> None:
    pool = Pool([slot(n, Start=(start,)) for n in (1, 2, 3, 4)], NegotiatorSettings(groups=GROUPS), NAMES)
    pool.user("g.u@x", rup=3.0)
    pool.user("h.u@x", rup=1.0)
    plan = pool.negotiate(*(demand(name, (1, job_ad()), cluster=n) for n, name in enumerate(("g.u@x", "h.u@x"), 1)))
    assert sorted(weights(plan)) == matched


def test_a_user_stops_where_a_slot_counts_his_use() -> None:
    """As it was when his request came up, like HTCondor: so between requests."""
    pool = Pool([slot(n, Start=("TARGET.SubmitterUserResourcesInUse < 2",)) for n in range(1, 6)])
    requests = [(1, job_ad(RequestMemory=100 + n)) for n in range(5)]
    assert weights(pool.negotiate(demand("a@x", *requests))) == {"a@x": 2.0}


@pytest.mark.parametrize(
    ("policy", "taken"),
    [
        ("RemoteUserPrio == 7000.0", 1),
        ('RemoteGroup == "h"', 1),
        ("RemoteGroupQuota == 4.0", 1),
        ("RemoteGroupResourcesInUse == 1", 1),
        ("RemoteUserResourcesInUse == 1", 1),
        ("RemoteUserFloor == 0", 1),
        ('RemoteGroup == "g"', 0),
    ],
)
def test_the_policy_of_preemption_sees_who_holds_a_slot(policy: str, taken: int) -> None:
    settings = NegotiatorSettings(groups=GROUPS, preemption_requirements=policy, preemption_rank="")
    pool = Pool([claimed(slot(1), "h.u@x")], settings, NAMES)
    pool.user("h.u@x", rup=7.0)
    assert len(pool.negotiate(demand("g.u@x", (1, job_ad()))).matches) == taken


@pytest.mark.parametrize("number", [1, 2])
def test_every_neighbour_is_told_of(number: int) -> None:
    settings = NegotiatorSettings(cross_slot_prios=True, pre_job_rank=f"(slot{number}_RemoteUserPrio > 900) ?: false")
    ad = slot(5, TotalSlots=2, **{f"slot{number}_RemoteUser": "b@x"})
    pool = Pool([slot(3), ad], settings)
    pool.user("b@x", rup=10, factor=1000)
    assert [match.slot for match in pool.negotiate(demand("a@x", (1, job_ad()))).matches] == ["slot5@vm"]


@pytest.mark.parametrize("preemption_rank", ["", NegotiatorSettings().preemption_rank])
def test_a_slot_that_waits_for_a_job_is_as_dear_as_that_job(preemption_rank: str) -> None:
    """PreemptingRank stands for CurrentRank: only a job that the slot prefers to the waiting one gets it."""
    waiting = {"Rank": ("TARGET.Good",), "PreemptingUser": "c@x", "PreemptingRank": 5.0}
    for good, taken in ((5, 0), (6, 1)):
        pool = Pool([claimed(slot(1, **waiting), "b@x")], NegotiatorSettings(preemption_rank=preemption_rank))
        assert len(pool.negotiate(demand("a@x", (1, job_ad(Good=good)))).matches) == taken


def test_expressions_of_a_slot_see_the_rank_of_the_job_that_waits_for_it() -> None:
    held = claimed(slot(1, PreemptingUser="c@x", PreemptingRank=5.0), "b@x")
    before = held.text_items()
    for policy, taken in (("CurrentRank == 5.0", 1), ("CurrentRank == 0.0", 0)):
        settings = NegotiatorSettings(preemption_requirements=policy, preemption_rank="")
        pool = Pool([put(held, {"Rank": 9.0})], settings)
        assert len(pool.negotiate(demand("a@x", (1, job_ad()))).matches) == 1  # by the machine's rank
        pool = Pool([put(held, {"Rank": 5.0})], settings)
        assert len(pool.negotiate(demand("a@x", (1, job_ad()))).matches) == taken
    assert put(held, {"Rank": 0.0}).text_items() == before


def test_a_slot_tells_what_its_holder_has_got_meanwhile() -> None:
    """Whoever holds slot2 gets slot3 in this cycle, and may be preempted from then on."""
    settings = NegotiatorSettings(preemption_requirements="RemoteUserResourcesInUse > 1", preemption_rank="")
    pool = Pool([claimed(slot(1), "c@x"), claimed(slot(2), "b@x"), slot(3)], settings)
    pool.user("b@x", rup=1.0)
    pool.user("a@x", rup=1.5)
    plan = pool.negotiate(demand("b@x", (1, job_ad())), demand("a@x", (1, job_ad())))
    assert [(match.submitter, match.slot) for match in plan.matches] == [("b@x", "slot3@vm"), ("a@x", "slot2@vm")]


def test_a_free_slot_tells_of_no_holder() -> None:
    pool = Pool([slot(1, Start=("MY.RemoteUserPrio =?= undefined",))])
    assert len(pool.negotiate(demand("a@x", (1, job_ad()))).matches) == 1


@pytest.mark.parametrize(
    ("knobs", "order"),
    [
        ({"cross_slot_prios": True}, ["slot2@vm", "slot1@vm"]),
        ({"cross_slot_prios": False}, ["slot1@vm", "slot2@vm"]),
        ({"cross_slot_prios": True, "consider_preemption": False}, ["slot1@vm", "slot2@vm"]),
    ],
)
def test_neighbours_are_told_of_only_where_that_is_configured(knobs: dict[str, bool], order: list[str]) -> None:
    settings = NegotiatorSettings(pre_job_rank="(slot1_RemoteUserPrio > 0) ?: false", **knobs)  # type: ignore[arg-type]
    pool = Pool([slot(1), slot(2, TotalSlots=2, slot1_RemoteUser="b@x")], settings)
    assert [match.slot for match in pool.negotiate(demand("a@x", (2, job_ad()))).matches] == order


@pytest.mark.parametrize(
    "ad",
    [
        slot(1, Start=("TARGET.SubmitterUserResourcesInUse == 0",)),
        slot(1, Start=('TARGET.SubmitterNegotiatingGroup == "<none>"',)),
        slot(1, Start=("TARGET.SubmitterAutoregroup == false",)),
        claimed(slot(1, Start=("MY.RemoteUserResourcesInUse == 1",)), "b@x"),
    ],
)
def test_who_had_no_turn_would_have_fitted_all_the_same(ad: ClassAd) -> None:
    pool = Pool([ad], NegotiatorSettings(max_time_per_submitter=0))
    plan = pool.negotiate(demand("a@x", (1, job_ad())))
    assert [one.reason for one in plan.rejections] == ["the negotiator ran out of time"]


def test_negotiation_makes_no_difference_between_jobs() -> None:
    """Else every match would make an autocluster of every job."""
    names = [
        *("CurrentTime", "LastHeardFrom", "MachineLastMatchTime", "RemoteGroup", "RemoteGroupQuota", "RemoteOwner"),
        *("RemoteGroupResourcesInUse", "RemoteUser", "RemoteUserFloor", "RemoteUserPrio", "RemoteUserResourcesInUse"),
        *("SubmitterAutoregroup", "SubmitterGroup", "SubmitterGroupQuota", "SubmitterGroupResourcesInUse"),
        *("SubmitterNegotiatingGroup", "SubmitterUserPrio", "SubmitterUserResourcesInUse", "SubmittorPrio"),
        "TotalJobRunTime",
    ]
    policy = " && ".join(f"TARGET.{name}" for name in [*names, "Mine"])
    found = significant_attributes([slot(1)], NegotiatorSettings(preemption_requirements=policy))
    assert "Mine" in found
    assert not set(names) & set(found)


def test_what_a_consumption_policy_and_a_negotiators_requirements_ask_is_significant() -> None:
    ad = partitionable(1, 4, 4000, ConsumptionCpus=("TARGET.Threads",), NegotiatorRequirements=("TARGET.Blessed",))
    assert {"Threads", "Blessed"} <= set(significant_attributes([ad], NegotiatorSettings()))


def test_dynamic_slots_ask_what_their_parent_asks() -> None:
    ad = slot(1, DynamicSlot=True, Rank=("TARGET.Odd",))
    assert "Odd" not in significant_attributes([ad], NegotiatorSettings())


def test_ranks_are_significant_too() -> None:
    knobs = NegotiatorSettings(preemption_rank="TARGET.A", post_job_rank="TARGET.B", pre_job_rank="TARGET.C")
    assert {"A", "B", "C"} <= set(significant_attributes([slot(1)], knobs))


def test_a_weight_that_is_no_number_or_negative_is_one() -> None:
    pool = Pool([partitionable(1, 4, 4000)], NegotiatorSettings(use_slot_weights=False))
    assert [match.weight for match in pool.negotiate(demand("a@x", (9, job_ad(RequestCpus=2)))).matches] == [1.0] * 2
    weighted, plain = NegotiatorSettings(), NegotiatorSettings(use_slot_weights=False)
    assert slot_weight(slot(1, SlotWeight=("NoSuch",)), weighted) == 1.0
    assert slot_weight(slot(1, SlotWeight=("-3",)), weighted) == 1.0
    assert slot_weight(slot(1, SlotWeight=("7",)), plain) == 1.0
    assert slot_weight(partitionable(1, 8, 100), plain) == 8.0
    forced = NegotiatorSettings(force_slot_weight=True, slot_weight="Memory / 512")
    assert slot_weight(slot(1, SlotWeight=("7",)), forced) == 2.0
    pool = Pool([partitionable(1, 3, 4000, SlotWeight=("NoSuch",))])
    assert [match.weight for match in pool.negotiate(demand("a@x", (9, job_ad()))).matches] == [1.0] * 3


@pytest.mark.parametrize(("text", "weight"), [("-2", 1.0), ("Cpus - 4", 1.0), ("0", 0.0), ("Cpus + 1", 4.0)])
def test_a_negative_weight_counts_as_one(text: str, weight: float) -> None:
    """No submitter runs jobs for nothing because of it."""
    assert slot_weight(slot(1, Cpus=3, SlotWeight=(text,)), NegotiatorSettings()) == weight
    pool = Pool([partitionable(1, 3, 4000, SlotWeight=(text,))])
    plan = pool.negotiate(demand("a@x", (1, job_ad(RequestCpus=3))))
    assert [match.weight for match in plan.matches] == [weight]


def test_who_waits_has_a_record_and_who_only_runs_has_none() -> None:
    pool = Pool([slot(1, Start=("false",))])
    pool.negotiate(demand("waits@x", (1, job_ad())), SubmitterDemand("runs@x", running_weight=1.0))
    assert "waits@x" in pool.accountant.table.index
    assert "runs@x" not in pool.accountant.table.index


def test_a_submitter_constraint_sees_his_jobs() -> None:
    settings = NegotiatorSettings(submitter_constraint="IdleJobs < 3 && RunningJobs == 0")
    few, many = demand("few@x", (2, job_ad())), demand("many@x", (3, job_ad()), cluster=9)
    assert set(weights(Pool([slot(n) for n in range(1, 9)], settings).negotiate(few, many))) == {"few@x"}


def test_a_submitter_constraint_sees_the_published_ad() -> None:
    """What is newer in the demand wins over it."""
    text = 'MyType == "Submitter" && HeldJobs < 5 && WeightedIdleJobs < 7 && ScheddName != "b"'
    published = ClassAd({"MyType": "Submitter", "ScheddName": "a", "HeldJobs": 4, "WeightedIdleJobs": 99.0})
    good = demand("good@x", (1, job_ad(RequestCpus=1)))._replace(ad=published)
    other = published.flat_copy()
    other.set_str("ScheddName", "b")
    bad = demand("bad@x", (1, job_ad()), cluster=9)._replace(ad=other)
    heavy = demand("heavy@x", (7, job_ad()), cluster=99)._replace(ad=published)
    pool = Pool([slot(n) for n in range(1, 9)], NegotiatorSettings(submitter_constraint=text))
    assert set(weights(pool.negotiate(good, bad, heavy))) == {"good@x"}


def test_a_submitter_without_a_published_ad_is_known_by_its_demand() -> None:
    text = 'MyType == "Submitter" && HeldJobs == 0 && WeightedRunningJobs == 0 && ScheddIpAddr =!= undefined'
    pool = Pool([slot(1)], NegotiatorSettings(submitter_constraint=text))
    assert set(weights(pool.negotiate(demand("new@x", (1, job_ad()))))) == {"new@x"}


def test_who_only_runs_jobs_has_his_share_of_the_pie() -> None:
    """Told in jobs or in weight."""
    only = SubmitterDemand("runs@x", running_weight=1.0), SubmitterDemand("counts@x", running=1)
    pool = Pool([slot(1)])
    done = negotiate(pool.snapshot(*only, SubmitterDemand("no@x")), pool.accountant, pool.settings)
    assert set(done.submitters) == {"runs@x", "counts@x"}


def test_matches_are_charged_under_htcondors_keys() -> None:
    pool = Pool([slot(1), partitionable(2, 2, 4000)])
    pool.negotiate(demand("a@x", (3, job_ad())))
    address = "<127.0.0.1:9618>"
    assert sorted(pool.accountant.holdings) == [
        f"slot1@vm@{address}",
        f"slot2@vm@{address}_cp_match_000",
        f"slot2@vm@{address}_cp_match_001",
    ]


def test_who_uses_less_of_his_share_is_first_of_equals() -> None:
    """Both may have more; one slot is left that the jobs can use."""
    held, closed = [claimed(slot(n), "a@x") for n in (1, 2)], [slot(n, Start=("false",)) for n in range(4, 11)]
    slots = [*held, slot(3), *closed]
    for names in (("a@x", "b@x"), ("b@x", "a@x")):
        pool = Pool(slots)
        for name in names:
            pool.user(name)
        plan = pool.negotiate(*(demand(name, (9, job_ad())) for name in names))
        assert [match.submitter for match in plan.matches] == ["b@x"]


def test_who_hits_his_ceiling_is_told_so() -> None:
    pool = Pool([slot(n) for n in range(1, 9)])
    pool.user("a@x", ceiling=2)
    plan = pool.negotiate(demand("a@x", (5, job_ad())))
    assert [rejection.reason for rejection in plan.rejections] == ["submitter ceiling reached"]
    assert "  This submitter has hit the ceiling (got 2.000000 new slots this cycle), stopping negotiation" in plan.log
    pool.slots = [claimed(ad, "a@x") if n < 2 else ad for n, ad in enumerate(pool.slots)]
    plan = pool.negotiate(demand("a@x", (5, job_ad())))
    assert [rejection.reason for rejection in plan.rejections] == ["submitter ceiling reached"]
    assert "  Negotiation with a@x skipped because submitterCeiling remaining is 0" in plan.log


def test_whole_slots_are_matched_where_partitionable_ones_may_be_emptied() -> None:
    settings = NegotiatorSettings(allow_pslot_preemption=True)
    assert len(Pool([slot(1), slot(2)], settings).negotiate(demand("a@x", (2, job_ad()))).matches) == 2


def test_a_whole_slot_is_no_part_of_a_partitionable_one_whatever_its_name() -> None:
    settings = NegotiatorSettings(allow_pslot_preemption=True, preemption_requirements="true")
    held = claimed(slot(1, Name="slot1_1@vm", Cpus=2), "b@x")
    pool = Pool([partitionable(1, 0, 8000), held], settings)
    match = pool.negotiate(demand("a@x", (1, job_ad(RequestCpus=2)))).matches[0]
    assert (match.slot, match.victims) == ("slot1_1@vm", ("slot1_1@vm",))


def test_part_of_a_consumption_policy_is_none() -> None:
    pool = Pool([partitionable(1, 4, 4000, ConsumptionCpus=("3",))])
    assert len(pool.negotiate(demand("a@x", (9, job_ad()))).matches) == 4


def test_room_is_made_in_a_slot_that_does_not_name_its_resources() -> None:
    settings = NegotiatorSettings(allow_pslot_preemption=True, preemption_requirements="true")
    parent = partitionable(1, 0, 8000)
    del parent["MachineResources"]
    children = [claimed(slot(1, Name=f"slot1_{n}@vm", Cpus=2, DynamicSlot=True), "b@x") for n in (1, 2)]
    pool = Pool([parent, *children], settings)
    assert len(pool.negotiate(demand("a@x", (1, job_ad(RequestCpus=4)))).matches[0].victims) == 2


@pytest.mark.parametrize(("apart", "taken"), [(1, 8), (3, 6)])
def test_preemption_stops_where_its_requirements_stop_it(apart: int, taken: int) -> None:
    """PREEMPTION_REQUIREMENTS_STABLE is false: they are asked again after each match."""
    policy = f"RemoteUserResourcesInUse > SubmitterUserResourcesInUse + {apart}"
    settings = NegotiatorSettings(preemption_requirements=policy, preemption_requirements_stable=False)
    pool = Pool([claimed(slot(n), "b@x") for n in range(1, 10)], settings)
    pool.user("b@x", rup=50.0)
    pool.user("a@x")
    assert len(pool.negotiate(demand("a@x", (99, job_ad()))).matches) == taken


def test_numbers_are_written_as_short_as_they_can_be() -> None:
    assert [number_text(value) for value in (2.0, -3.0, 2.5, 1e20)] == ["2", "-3", "2.5", "1e+20"]


def test_a_slot_that_is_used_up_is_not_free() -> None:
    machine = Slot(0, partitionable(1, 2, 100), 2.0)
    machine.carve({"Cpus": 2.0})
    assert not machine.free

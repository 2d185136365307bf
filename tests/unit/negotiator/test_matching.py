"""From request to slot: who fits, which slot is best, what is taken from it, who may be preempted."""

from __future__ import annotations

import pytest
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import Snapshot, match_slots
from condor_py.core.match.session import ConcurrencyLimits, parse_limits
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Preemption
from condor_py.model.settings.negotiator import ConcurrencySettings, NegotiatorSettings


def slots_of(pool: Pool, ad: ClassAd, count: int = 1) -> list[str]:
    """The slots given to ``count`` jobs like ``ad``, in the order of the matches."""
    return [match.slot.partition("@")[0] for match in pool.negotiate(demand("a@x", (count, ad))).matches]


def reasons(pool: Pool, *ads: ClassAd, count: int = 1, user: str = "a@x") -> list[str]:
    plan = pool.negotiate(demand(user, *((count, ad) for ad in ads)))
    return [rejection.reason for rejection in plan.rejections]


# -- order ---------------------------------------------------------------------------------------------------


def test_slots_fill_in_order_of_their_numbers() -> None:
    assert slots_of(Pool([slot(n) for n in (3, 1, 2)]), job_ad(), 3) == ["slot1", "slot2", "slot3"]


def test_rank_of_the_job_decides_between_like_slots() -> None:
    assert slots_of(Pool([slot(n) for n in (1, 2, 3)]), job_ad(Rank=("SlotID",)), 3) == ["slot3", "slot2", "slot1"]


def test_an_expression_that_names_attributes_in_strings_is_asked_of_every_slot_and_job() -> None:
    """What eval() looks at cannot be known: no two slots or jobs may share its value."""
    pool = Pool([slot(n, Power=n) for n in (1, 2, 3)])
    wanted = {"Rank": ("eval(MY.Wish)",), "Requirements": ("eval(MY.Need)",)}
    first = job_ad(**wanted, Wish="TARGET.Power", Need="TARGET.Power < 3")
    second = job_ad(**wanted, Wish="-TARGET.Power", Need="TARGET.Power =!= 1")
    plan = pool.negotiate(demand("a@x", (1, first), (1, second)))
    assert [match.slot for match in plan.matches] == ["slot2@vm", "slot3@vm"]


def test_such_an_expression_of_a_job_orders_the_slots_for_that_job_alone() -> None:
    pool = Pool([slot(n, Power=n) for n in (1, 2, 3, 4)])
    up, down = (job_ad(Rank=("eval(MY.Wish)",), Wish=text) for text in ("TARGET.Power", "-TARGET.Power"))
    plan = pool.negotiate(demand("a@x", (1, up), (2, down)))
    assert [match.slot for match in plan.matches] == ["slot4@vm", "slot1@vm", "slot2@vm"]


def test_small_slots_go_first() -> None:
    slots = [slot(1, Cpus=4), slot(2), slot(3)]
    assert slots_of(Pool(slots), job_ad(), 3) == ["slot2", "slot3", "slot1"]


def test_the_manuals_table_of_ranks() -> None:
    table = [(100, 1, 10), (100, 2, 20), (100, 2, 30), (0, 1, 40), (200, 1, 50)]
    slots = [slot(n, Pre=pre, Liked=rank, Post=post) for n, (pre, rank, post) in enumerate(table, 1)]
    settings = NegotiatorSettings(pre_job_rank="MY.Pre", post_job_rank="MY.Post")
    order = slots_of(Pool(slots, settings), job_ad(Rank=("TARGET.Liked",)), 5)
    assert order == ["slot5", "slot3", "slot2", "slot1", "slot4"]


def test_slots_that_prefer_the_job_go_first_and_undefined_ranks_last() -> None:
    slots = [slot(1), slot(2, Rank=("TARGET.Good =?= true",)), slot(3, Rank=("TARGET.NoSuch * 2",))]
    assert slots_of(Pool(slots), job_ad(Good=True), 3) == ["slot2", "slot1", "slot3"]


def test_job_ranks_may_be_ignored() -> None:
    settings = NegotiatorSettings(ignore_job_ranks=True)
    assert slots_of(Pool([slot(1), slot(2)], settings), job_ad(Rank=("SlotID",)), 2) == ["slot1", "slot2"]


# -- who fits ------------------------------------------------------------------------------------------------


def test_both_requirements_must_accept() -> None:
    slots = [slot(1, Start=('TARGET.Owner == "bob"',)), slot(2, Memory=64), slot(3)]
    assert slots_of(Pool(slots), job_ad(Owner="alice"), 3) == ["slot3"]


def test_a_negotiators_own_requirements_replace_the_slots() -> None:
    slots = [slot(1, NegotiatorRequirements=("false",)), slot(2)]
    assert slots_of(Pool(slots), job_ad(), 2) == ["slot2"]


def test_what_cannot_match_blocks_nobody() -> None:
    pool = Pool([slot(1), slot(2)])
    plan = pool.negotiate(demand("a@x", (5, job_ad(RequestMemory=10**6)), (2, job_ad())))
    assert [str(match.job) for match in plan.matches] == [f"{plan.matches[0].job.cluster}.0", str(plan.matches[1].job)]
    assert [rejection.reason for rejection in plan.rejections] == ["no match found"]
    assert plan.rejections[0].autocluster == 1


def test_constraints_of_the_negotiator() -> None:
    settings = NegotiatorSettings(
        slot_constraint="SlotID > 1", job_constraint="RequestMemory < 1000", submitter_constraint='Name != "b@x"'
    )
    pool = Pool([slot(1), slot(2), slot(3)], settings)
    plan = pool.negotiate(demand("a@x", (1, job_ad(RequestMemory=1000)), (1, job_ad())), demand("b@x", (5, job_ad())))
    assert [(m.submitter, m.slot) for m in plan.matches] == [("a@x", "slot2@vm")]


@pytest.mark.parametrize(
    ("current", "bonus", "matched"),
    [(0.0, None, False), (0.0, 0, True), (0.0, -1, False), (-5.0, None, False), (-5.0, -4, True), (0.0, "x", False)],
)
def test_a_slot_whose_rank_is_no_number_for_a_job_is_not_taken_away(
    current: float, bonus: object, matched: bool
) -> None:
    """RANK compares with CurrentRank as undefined, which permits no preemption, also where the policy would."""
    pool = Pool([claimed(slot(1, Rank=("TARGET.Bonus",)), "b@x", rank=current)])
    pool.settings = NegotiatorSettings(preemption_requirements="true")
    ad = job_ad() if bonus is None else job_ad(Bonus=bonus)
    assert bool(pool.negotiate(demand("a@x", (1, ad))).matches) is matched


def test_slots_that_do_not_take_part_are_charged_to_no_submitter() -> None:
    """NEGOTIATOR_SLOT_CONSTRAINT: HTCondor's negotiator does not see them."""
    slots = [claimed(slot(1), "a@x"), claimed(slot(2), "a@x"), slot(3)]
    pool = Pool(slots, NegotiatorSettings(slot_constraint="SlotID > 1"))
    pool.negotiate()
    assert pool.accountant.use("a@x") == 1.0


def test_a_rejected_autocluster_is_not_asked_again() -> None:
    pool = Pool([slot(1)])
    impossible = job_ad(RequestMemory=10**6)
    first = demand("a@x", (3, impossible))
    twice = first.requests[0]

    plan = pool.negotiate(first._replace(requests=[twice, twice._replace(jobs=twice.jobs[1:])]))
    assert len(plan.rejections) == 1


# -- partitionable slots -------------------------------------------------------------------------------------


def test_requests_are_rounded_up_and_the_rest_stays() -> None:
    """8 cores and 4000 MB less two jobs of 3 cores and 1000 MB (1024 rounded): 2 cores and 1952 MB."""
    pool = Pool([partitionable(1, 8, 4000)])
    big, rest = job_ad(RequestCpus=3, RequestMemory=1000), job_ad(RequestCpus=2, RequestMemory=1952)
    more = job_ad(RequestCpus=2, RequestMemory=1953)
    plan = pool.negotiate(demand("a@x", (2, big), (1, more), (1, rest)))
    assert [match.weight for match in plan.matches] == [3.0, 3.0, 2.0]
    assert [rejection.autocluster for rejection in plan.rejections] == [2]


def test_the_plain_request_is_given_where_the_rounded_one_does_not_fit() -> None:
    """1000 MB, two requests of 400: 512 and 400, 88 left."""
    slots = [partitionable(1, 8, 1000)]
    assert len(slots_of(Pool(slots), job_ad(RequestMemory=400), 3)) == 2
    assert len(slots_of(Pool(slots, NegotiatorSettings(must_modify_requests=True)), job_ad(RequestMemory=400), 3)) == 1
    after = Pool(slots)
    plan = after.negotiate(demand("a@x", (2, job_ad(RequestMemory=400)), (1, job_ad(RequestMemory=89))))
    assert len(plan.matches) == 2


def test_custom_resources_are_consumed() -> None:
    within = "MY.Cpus >= TARGET.RequestCpus && (TARGET.RequestGPUs =?= undefined || MY.GPUs >= TARGET.RequestGPUs)"
    slots = [
        partitionable(1, 8, 8000, MachineResources="Cpus Memory Disk GPUs", GPUs=2, WithinResourceLimits=(within,))
    ]
    plan = Pool(slots).negotiate(demand("a@x", (5, job_ad(RequestGPUs=1)), (9, job_ad())))
    assert len(plan.matches) == 8
    said = [(rejection.autocluster, rejection.reason) for rejection in plan.rejections]
    assert said == [(1, "no match found"), (2, "no match found")]


def test_expressions_in_requests_see_the_slot() -> None:
    slots = [partitionable(1, 8, 8000)]
    assert len(slots_of(Pool(slots), job_ad(RequestCpus=("TARGET.Cpus > 4 ? 4 : 2",)), 9)) == 3


def test_the_snapshot_is_not_changed() -> None:
    pool = Pool([partitionable(1, 8, 8000), slot(2)])
    before = [ad.text_items() for ad in pool.slots]
    snapshot = Snapshot(NOW, pool.slots, [demand("a@x", (20, job_ad()))])
    first = match_slots(snapshot, pool.accountant, pool.settings).plan
    assert [ad.text_items() for ad in pool.slots] == before
    assert pool.accountant.use("a@x") == 0.0
    assert match_slots(snapshot, pool.accountant, pool.settings).plan == first


# -- preemption ----------------------------------------------------------------------------------------------


def test_a_slot_that_prefers_the_job_is_taken_by_rank() -> None:
    liking = {"Rank": ("TARGET.Good =?= true ? 10 : 0",)}
    pool = Pool([claimed(slot(1, **liking), "b@x"), claimed(slot(2, **liking), "b@x", rank=10.0)])
    match = pool.negotiate(demand("a@x", (2, job_ad(Good=True)))).matches[0]
    assert (match.slot, match.preemption, match.victims) == ("slot1@vm", Preemption.RANK, ("slot1@vm",))
    own = Pool([claimed(slot(1, **liking), "a@x")])
    assert len(own.negotiate(demand("a@x", (1, job_ad(Good=True)))).matches) == 1


def test_rank_preemption_goes_beyond_the_share() -> None:
    liking = {"Rank": ("TARGET.Good =?= true ? 10 : 0",)}
    pool = Pool([claimed(slot(n, **liking), "b@x") for n in range(1, 7)])
    plan = pool.negotiate(demand("a@x", (6, job_ad(Good=True))), demand("b@x", (9, job_ad())))
    assert [m.submitter for m in plan.matches] == ["a@x"] * 6


def test_nobody_is_preempted_by_default() -> None:
    pool = Pool([claimed(slot(1), "b@x")])
    assert reasons(pool, job_ad()) == ["PREEMPTION_REQUIREMENTS == False"]
    assert reasons(pool, job_ad(), user="b@x") == ["no match found: every slot was taken"]
    blind = Pool([claimed(slot(1), "b@x")], NegotiatorSettings(consider_preemption=False))
    assert reasons(blind, job_ad()) == ["no match found"]


def part(number: int, cpus: int, user: str) -> ClassAd:
    """A dynamic slot of slot1@vm, held by ``user``."""
    return claimed(slot(1, Name=f"slot1_{number}@vm", DynamicSlot=True, DSlotID=number, Cpus=cpus), user)


@pytest.mark.parametrize(
    ("free", "held", "reason"),
    [
        (0, ["a@x"], "no match found: every slot was taken"),
        (0, ["b@x"], "PREEMPTION_REQUIREMENTS == False"),
        (2, ["a@x"], "no match found"),
        (0, ["a@x", "b@x"], "PREEMPTION_REQUIREMENTS == False"),
    ],
)
def test_a_job_for_a_whole_machine_waits_for_its_holders_and_not_for_a_share(
    free: int, held: list[str], reason: str
) -> None:
    pool = Pool([partitionable(1, 4, 8000, Cpus=free), *(part(n, 4, user) for n, user in enumerate(held, 1))])
    assert reasons(pool, job_ad(RequestCpus=4)) == [reason]


def margin(factor: float) -> NegotiatorSettings:
    return NegotiatorSettings(preemption_requirements=f"RemoteUserPrio > SubmitterUserPrio * {factor}")


def test_priority_preemption_stops_at_the_share_rounded_up() -> None:
    """Observed: RUP 2 against 1 on 10 slots with a margin of 1.2: 7 for a share of 6.67."""
    pool = Pool([claimed(slot(n), "b@x") for n in range(1, 11)], margin(1.2))
    pool.user("b@x", rup=2.0)
    pool.user("a@x", rup=1.0)
    plan = pool.negotiate(demand("a@x", (99, job_ad())), demand("b@x", (99, job_ad())))
    assert [m.preemption for m in plan.matches] == [Preemption.PRIORITY] * 7
    victim, newcomer = "(user prio=2000.00, startd rank=0.00)", "(user prio=1000.00, startd rank=0.00)"
    assert f"      Preempting b@x {victim} on slot1@vm for a@x {newcomer}" in plan.log


def test_the_requirements_of_preemption_may_follow_the_use_in_the_cycle() -> None:
    """Observed: with a difference of two slots as the condition, the newcomer on 9 slots stops at 5."""
    settings = NegotiatorSettings(
        preemption_requirements="RemoteUserResourcesInUse > SubmitterUserResourcesInUse + 1",
        preemption_requirements_stable=False,
    )
    pool = Pool([claimed(slot(n), "b@x") for n in range(1, 10)], settings)
    pool.user("b@x")
    pool.user("a@x")
    plan = pool.negotiate(demand("a@x", (99, job_ad())), demand("b@x", (99, job_ad())))
    assert len(plan.matches) == 5


def test_the_worst_users_youngest_job_goes_first() -> None:
    slots = [
        claimed(slot(1), "b@x", TotalJobRuntime=10),
        claimed(slot(2), "c@x", TotalJobRuntime=99),
        claimed(slot(3), "c@x", TotalJobRuntime=5),
    ]
    pool = Pool(slots, NegotiatorSettings(preemption_requirements="true"))
    for name, rup in (("a@x", 1.0), ("b@x", 3.0), ("c@x", 9.0)):
        pool.user(name, rup=rup)
    assert slots_of(pool, job_ad(), 1) == ["slot3"]


def test_a_free_slot_comes_before_a_held_one() -> None:
    pool = Pool([claimed(slot(1), "b@x"), slot(2)], NegotiatorSettings(preemption_requirements="true"))
    assert slots_of(pool, job_ad()) == ["slot2"]


def test_a_slot_that_prefers_its_job_is_not_preempted_by_priority() -> None:
    pool = Pool([claimed(slot(1), "b@x", rank=5.0)], NegotiatorSettings(preemption_requirements="true"))
    assert slots_of(pool, job_ad()) == []


@pytest.mark.parametrize("rank", ["", "RemoteUserPrio"])
def test_nobody_preempts_himself_by_priority(rank: str) -> None:
    """Whether or not anything tells the slots apart by who holds them."""
    pool = Pool(
        [claimed(slot(n), user) for n, user in ((1, "a@x"), (2, "b@x"), (3, "a@x"), (4, "b@x"))],
        NegotiatorSettings(preemption_requirements="true", preemption_rank=rank),
    )
    pool.user("b@x", rup=50.0)
    assert slots_of(pool, job_ad(), 9) == ["slot2", "slot4"]


@pytest.mark.parametrize(("floor", "taken"), [(0, ["slot1", "slot2"]), (2, [])])
def test_the_requirements_of_preemption_see_the_floor_of_the_holder(floor: int, taken: list[str]) -> None:
    pool = Pool(
        [claimed(slot(n), "b@x") for n in (1, 2)],
        NegotiatorSettings(preemption_requirements="RemoteUserResourcesInUse > RemoteUserFloor"),
    )
    pool.user("b@x", rup=50.0, floor=floor)
    assert slots_of(pool, job_ad(), 2) == taken


def test_who_waits_for_a_slot_is_the_one_to_preempt() -> None:
    ad = claimed(slot(1), "b@x", PreemptingUser="a@x", PreemptingRank=0.0)
    assert slots_of(Pool([ad], NegotiatorSettings(preemption_requirements="true")), job_ad()) == []


def test_slots_in_retirement_are_left_alone() -> None:
    ad = claimed(slot(1), "b@x", RetirementTimeRemaining=60)
    assert slots_of(Pool([ad], NegotiatorSettings(preemption_requirements="true")), job_ad()) == []
    early = NegotiatorSettings(preemption_requirements="true", consider_early_preemption=True)
    assert slots_of(Pool([ad], early), job_ad()) == ["slot1"]


# -- concurrency limits --------------------------------------------------------------------------------------


def limited(settings: ConcurrencySettings, slots: list[ClassAd] | None = None) -> Pool:
    return Pool(slots or [slot(n) for n in range(1, 9)], NegotiatorSettings(concurrency=settings))


def test_concurrency_limits_count_running_and_new_jobs() -> None:
    settings = ConcurrencySettings(limits=(("lic", 4.0),))
    slots = [claimed(slot(1), "b@x", ConcurrencyLimits="LIC:1.5"), *(slot(n) for n in range(2, 9))]
    plan = limited(settings, slots).negotiate(demand("a@x", (8, job_ad(ConcurrencyLimits="Lic"))))
    assert len(plan.matches) == 2
    assert [r.reason for r in plan.rejections] == ["concurrency limit lic reached"]


def test_limits_may_depend_on_the_slot() -> None:
    settings = ConcurrencySettings(limits=(("odd", 1.0), ("even", 2.0)))
    ad = job_ad(ConcurrencyLimits=('TARGET.SlotID % 2 == 1 ? "odd" : "even"',))
    assert slots_of(limited(settings), ad, 8) == ["slot1", "slot2", "slot4"]


def test_maxima_of_sets_and_the_default() -> None:
    settings = ConcurrencySettings((("db.big", 1.0),), (("db", 3.0),), 5.0)
    limits = ConcurrencyLimits(settings, [])
    assert [limits.maximum(name) for name in ("db.big", "db.small", "db", "x")] == [1.0, 3.0, 5.0, 5.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", [("a", 1.0)]),
        ("A:2.5, b.C", [("a", 2.5), ("b.c", 1.0)]),
        ("a:0 b:-1 c:x", [("a", 1.0), ("b", 1.0), ("c", 1.0)]),
        ("1a, a.b.c, a-b, , ok", [("ok", 1.0)]),
        ("a:3x", [("a", 3.0)]),
    ],
)
def test_limits_are_parsed(text: str, expected: list[tuple[str, float]]) -> None:
    assert list(parse_limits(text)) == expected


# -- what the log says ---------------------------------------------------------------------------------------


def test_the_log_tells_the_story_in_htcondors_words() -> None:
    plan = Pool([slot(1)]).negotiate(demand("bob@x", (2, job_ad()), cluster=2))
    address = "<127.0.0.1:9618>"
    assert list(plan.log) == [
        "---------- Started Negotiation Cycle ----------",
        "Phase 1:  Obtaining ads from collector ...",
        "  Getting startd private ads ...",
        "  Getting Scheduler, Submitter and Machine ads ...",
        "  Sorting 2 ads ...",
        "Got ads: 2 public and 1 private",
        "Public ads include 1 submitter, 1 startd",
        "Phase 2:  Performing accounting ...",
        "Phase 3:  Sorting submitter ads by priority ...",
        "Phase 4.1:  Negotiating with schedds ...",
        f"  Negotiating with bob@x at {address}",
        "0 seconds so far for this submitter",
        "0 seconds so far for this schedd",
        "    Request 00002.00000: autocluster 1 (request count 1 of 2)",
        f"      Matched 2.0 bob@x {address} preempting none {address} slot1@vm",
        "      Successfully matched with slot1@vm",
        "    Reached submitter resource limit: 1.000000 ... stopping",
        " negotiateWithGroup resources used submitterAds length 1 ",
        "---------- Finished Negotiation Cycle ----------",
    ]


# -- making room in a partitionable slot -----------------------------------------------------------------------------


def crowded(*users: str, free: int = 0, **settings: object) -> Pool:
    """A partitionable slot with a dynamic slot of two cores for each of ``users``, and ``free`` cores left."""
    knobs = {"allow_pslot_preemption": True, "preemption_requirements": "RemoteUserPrio > SubmitterUserPrio * 1.2"}
    children = [
        claimed(
            slot(1, Cpus=2, Name=f"slot1_{number}@vm", DynamicSlot=True, SlotType="Dynamic"),
            user,
            Rank=("TARGET.Vip =?= true",),
        )
        for number, user in enumerate(users, 1)
    ]
    parent = partitionable(1, free, 8000, Rank=("TARGET.Vip =?= true",))
    pool = Pool([parent, *children], NegotiatorSettings(**{**knobs, **settings}))
    pool.user("a@x", rup=1.0)
    for user in set(users):
        pool.user(user, rup=10.0)
    return pool


BIG = {"RequestCpus": 4}


def test_several_dynamic_slots_make_room_for_a_large_job() -> None:
    match = crowded("b@x", "b@x", "b@x").negotiate(demand("a@x", (1, job_ad(**BIG)))).matches[0]
    assert match.slot == "slot1@vm"
    assert len(match.victims) == 2
    assert match.preemption is Preemption.PRIORITY
    assert match.weight == 4.0


def test_free_cores_spare_a_victim() -> None:
    match = crowded("b@x", "b@x", free=2).negotiate(demand("a@x", (1, job_ad(**BIG)))).matches[0]
    assert len(match.victims) == 1


@pytest.mark.parametrize(
    ("pool", "job"),
    [
        (crowded("b@x", "b@x", allow_pslot_preemption=False), BIG),
        (crowded("b@x", "b@x", consider_preemption=False), BIG),
        (crowded("b@x", "b@x", preemption_requirements="False"), BIG),
        (crowded("b@x", "a@x"), BIG),
        (crowded("b@x"), BIG),
    ],
)
def test_without_permission_or_enough_room_nobody_gives_way(pool: Pool, job: dict[str, object]) -> None:
    assert not pool.negotiate(demand("a@x", (1, job_ad(**job)))).matches


def test_rank_of_the_machine_makes_room_without_asking_for_priorities() -> None:
    pool = crowded("b@x", "b@x", preemption_requirements="False")
    match = pool.negotiate(demand("a@x", (1, job_ad(**BIG, Vip=True)))).matches[0]
    assert match.preemption is Preemption.RANK
    assert len(match.victims) == 2


def test_a_dynamic_slot_whose_job_may_still_retire_is_spared() -> None:
    pool = crowded("b@x", "b@x", consider_early_preemption=True)
    pool.slots[1].set_int("RetirementTimeRemaining", 60)
    assert not pool.negotiate(demand("a@x", (1, job_ad(**BIG)))).matches


def test_of_victims_that_are_ranked_alike_those_go_first_that_preemption_rank_prefers() -> None:
    pool = crowded("b@x", "c@x", "b@x")
    pool.user("c@x", rup=30.0)
    match = pool.negotiate(demand("a@x", (1, job_ad(RequestCpus=2)))).matches[0]
    assert match.victims == ("slot1_2@vm",)


def test_nobody_is_preempted_twice_in_a_cycle() -> None:
    plan = crowded("b@x", "b@x", "b@x", "b@x", "b@x").negotiate(demand("a@x", (9, job_ad(**BIG))))
    victims = [victim for match in plan.matches for victim in match.victims]
    assert len(victims) == len(set(victims)) == 4


# -- consumption policies ------------------------------------------------------------------------------------

POLICY = {
    "ConsumptionCpus": ("TARGET.RequestCpus",),
    "ConsumptionMemory": ("quantize(TARGET.RequestMemory, {1024})",),
    "ConsumptionDisk": ("quantize(TARGET.RequestDisk, {1024})",),
    "SlotWeight": ("floor(Memory / 1024)",),
}


def consuming(memory: int = 8192, **attributes: object) -> ClassAd:
    return partitionable(1, 4, memory, **{**POLICY, **attributes})


def test_a_consumption_policy_says_what_a_job_takes_and_costs() -> None:
    pool = Pool([consuming()])
    plan = pool.negotiate(demand("a@x", (9, job_ad(RequestCpus=1, RequestMemory=1500))))
    assert [match.weight for match in plan.matches] == [2.0] * 4


def test_a_consumption_policy_may_give_more_jobs_than_there_are_cores() -> None:
    pool = Pool([consuming(ConsumptionCpus=("0",), WithinResourceLimits=("true",))])
    plan = pool.negotiate(demand("a@x", (20, job_ad(RequestCpus=4, RequestMemory=1024))))
    assert len(plan.matches) == 8


def test_a_job_that_consumes_nothing_or_less_gets_nothing() -> None:
    nothing = {"ConsumptionCpus": ("0",), "ConsumptionMemory": ("0",), "ConsumptionDisk": ("0",)}
    assert reasons(Pool([consuming(**nothing)]), job_ad()) == ["no match found"]
    assert reasons(Pool([consuming(ConsumptionCpus=("-1",))]), job_ad()) == ["no match found"]
    assert reasons(Pool([consuming(ConsumptionCpus=("NoSuch",))]), job_ad()) == ["no match found"]


def test_requirements_of_the_slot_see_what_is_consumed() -> None:
    slots = [consuming(Start=("TARGET.RequestMemory >= 1024",))]
    assert len(Pool(slots).negotiate(demand("a@x", (1, job_ad(RequestMemory=10)))).matches) == 1


def test_a_custom_resource_that_a_job_does_not_name_is_none_of_it() -> None:
    resources = {"MachineResources": "Cpus Memory Disk Swap GPUs", "GPUs": 2}
    ad = consuming(ConsumptionGPUs=("TARGET.RequestGPUs",), **resources)
    assert len(Pool([ad]).negotiate(demand("a@x", (9, job_ad()))).matches) == 4
    assert len(Pool([ad]).negotiate(demand("a@x", (9, job_ad(RequestGPUs=1)))).matches) == 2


# -- slots that are about to end, and what slots tell of each other -------------------------------------------


def test_slots_that_shut_down_within_the_threshold_are_left_alone() -> None:
    soon, later = slot(1, DaemonShutdown=(f"time() > {NOW + 100}",)), slot(2, DaemonShutdown=(f"time() > {NOW + 900}",))
    assert slots_of(Pool([soon, later]), job_ad(), 2) == ["slot1", "slot2"]
    settings = NegotiatorSettings(trim_shutdown_threshold=300)
    assert slots_of(Pool([soon, later], settings), job_ad(), 2) == ["slot2"]


def test_priorities_of_the_neighbours() -> None:
    """NEGOTIATOR_CROSS_SLOT_PRIOS: slot1 goes first while whoever holds slot2 has a poor priority."""
    settings = NegotiatorSettings(cross_slot_prios=True, pre_job_rank="(Slot2_RemoteUserPrio > 900) =?= true ? 5 : 1")
    told = {"TotalSlots": 3, "slot2_RemoteUser": "b@x"}
    slots = [slot(3), slot(1, **told)]
    pool = Pool(slots, settings)
    pool.user("b@x", rup=10, factor=1000)
    assert slots_of(pool, job_ad(Rank=("SlotID",)), 2) == ["slot1", "slot3"]
    pool.user("b@x", rup=0.5, factor=1000)
    assert slots_of(pool, job_ad(Rank=("SlotID",)), 2) == ["slot3", "slot1"]

"""Accounting groups: the observed quotas, allocations and numbers of running jobs of HTCondor 25.14."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from negotiator_pool import Pool, claimed, demand, job_ad, slot, weights

from condor_py.core.match import charge, match_slots, prepare
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings


@dataclass
class Case:
    slots: int
    groups: str
    jobs: str
    running: str
    oversubscription: bool = True
    surplus: str = ""
    autoregroup: str = ""
    quotas: str = ""
    rate: float = 1e100
    weighted: bool = True
    fitting: int = 99  # the jobs run on so many slots only


def pairs(text: str) -> dict[str, float]:
    """``name value`` pairs; a number in front of the first counts for the group ``none``."""
    words = text.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def submitter(group: str) -> str:
    return "u@x" if group == "none" else f"{group}.u@x"


def negotiate(case: Case, factors: dict[str, float] | None = None) -> tuple[dict[str, float], dict[str, float]]:
    """Weight running by group, and own quota by group."""
    quotas = pairs(case.groups)
    groups = tuple(
        GroupSettings(name, quota, quota < 1, name in case.surplus.split(), name in case.autoregroup.split())
        for name, quota in quotas.items()
    )
    settings = NegotiatorSettings(
        groups=groups,
        allow_quota_oversubscription=case.oversubscription,
        accept_surplus=set(quotas) == set(case.surplus.split()),
        round_robin_rate=case.rate,
        use_slot_weights=case.weighted,
    )
    pool = Pool([slot(n + 1) for n in range(case.slots)], settings, AccountantSettings(group_names=tuple(quotas)))
    demands = []
    for group, count in pairs(case.jobs).items():
        if factors:
            pool.user(submitter(group), factor=factors.get(group, 1000.0))
        job = job_ad(Requirements=(f"TARGET.SlotID <= {case.fitting}",))
        demands.append(demand(submitter(group), (int(count), job)))
    snapshot = pool.snapshot(*demands)
    prepare(snapshot, pool.accountant, settings)
    done = match_slots(snapshot, pool.accountant, settings)
    charge(done.plan, snapshot, pool.accountant)
    given = weights(done.plan)
    running = {group: given.get(submitter(group), 0.0) for group in pairs(case.jobs)}
    own = {name: report.effective_quota for name, report in done.groups.items()}
    return running, own


CASES = {
    "quotas bind": Case(30, "phys 20 chem 10", "phys 25 chem 25", "phys 20 chem 10"),
    "no surplus": Case(30, "phys 20 chem 10", "phys 4 chem 25", "phys 4 chem 10"),
    "scaled": Case(15, "phys 20 chem 10", "phys 20 chem 20", "phys 10 chem 5", oversubscription=False),
    "oversubscribed, by name": Case(15, "phys 20 chem 10", "phys 20 chem 20", "chem 10 phys 5"),
    "scaled tree": Case(
        15, "phys 20 chem 10 phys.hep 15 phys.lep 5", "phys.hep 20 phys.lep 20 chem 20",
        "phys.hep 7 phys.lep 3 chem 5", oversubscription=False, quotas="phys.hep 7.5 phys.lep 2.5",
    ),
    "dynamic": Case(
        30, "phys 0.66 chem 0.33", "phys 30 chem 30", "phys 20 chem 10", quotas="phys 19.8 chem 9.9"
    ),
    "dynamic sum above one": Case(
        30, "phys 0.66667 chem 0.33334 phys.hep 0.75 phys.lep 0.25", "phys.hep 30 phys.lep 30 chem 30",
        "phys.hep 15 phys.lep 5 chem 10",
    ),
    "dynamic tree": Case(
        40, "phys 0.5 phys.hep 0.75 phys.lep 0.25 chem 0.25", "phys.hep 40 phys.lep 40 chem 40",
        "phys.hep 15 phys.lep 5 chem 10",
    ),
    "surplus by quota": Case(30, "a 4 b 8", "a 30 b 30", "a 10 b 20", surplus="a b"),
    "surplus that one group cannot use": Case(
        50, "a 2 b 6 c 2", "a 6 b 99 c 99", "a 6 b 33 c 11", surplus="a b c"
    ),
    "demand without a group first": Case(30, "a 4 b 8", "a 30 b 30 none 30", "none 18 a 4 b 8", surplus="a b"),
    "surplus capped by the parent": Case(
        30, "phys 20 chem 10 phys.hep 15 phys.lep 5", "phys.hep 30 phys.lep 2 chem 4",
        "phys.hep 18 phys.lep 2 chem 4", oversubscription=False, surplus="phys.hep phys.lep",
    ),
    "surplus capped, oversubscribed": Case(
        30, "phys 20 chem 10 phys.hep 15 phys.lep 5", "phys.hep 30 phys.lep 2 chem 4",
        "phys.hep 20 phys.lep 0 chem 4", surplus="phys.hep phys.lep",
    ),
    "surplus for the parent too": Case(
        30, "phys 20 chem 10 phys.hep 15 phys.lep 5", "phys.hep 30 phys.lep 2 chem 4",
        "phys.hep 26 chem 4", surplus="phys phys.hep phys.lep",
    ),
    "autoregroup": Case(12, "a 3 b 5", "a 99 b 99", "a 6 b 6", autoregroup="a b"),
    "none gets what the groups leave": Case(8, "a 4 b 4", "a 1 b 1 none 1", "a 1 b 1 none 1"),
    "halves of slots are lent": Case(
        10, "a 0.25 b 0.25 c 0.25 d 0.25", "a 9 b 9 c 9 d 9", "a 3 b 3 c 2 d 2", surplus="a b c d",
    ),
    "halves of slots make whole ones": Case(
        10, "a 0.25 b 0.25 c 0.25 d 0.25", "a 9 b 9 c 9 d 9", "a 3 b 3 c 2 d 2", surplus="a b c d", weighted=False,
    ),
    "the first group takes what both want": Case(10, "a 6 b 3", "a 9 b 9", "a 4 b 0", fitting=4),
    "limits rise together": Case(10, "a 6 b 3", "a 9 b 9", "a 3 b 1", fitting=4, rate=1.0),
    "huge quotas, empty pool": Case(8, "a 1000 b 1000000", "a 99 b 99", "a 8 b 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_observed(name: str) -> None:
    case = CASES[name]
    running, own = negotiate(case)
    expected = pairs(case.running)
    assert {group: running[group] for group in expected} == expected
    for group, quota in pairs(case.quotas).items():
        assert own[group] == pytest.approx(quota)


def test_members_share_their_groups_pie_by_priority() -> None:
    settings = NegotiatorSettings(groups=(GroupSettings("g", 9.0),))
    pool = Pool([slot(n + 1) for n in range(20)], settings, AccountantSettings(group_names=("g",)))
    pool.user("g.a@x", factor=1000.0)
    pool.user("g.b@x", factor=2000.0)
    plan = pool.negotiate(demand("g.a@x", (99, job_ad())), demand("g.b@x", (99, job_ad())))
    assert weights(plan) == {"g.a@x": 6.0, "g.b@x": 3.0}
    assert {match.group for match in plan.matches} == {"g"}


def test_autoregroup_deals_the_rest_by_priority() -> None:
    case = Case(11, "a 3 b 3", "a 99 b 99", "a 8 b 3", autoregroup="a b")
    running, _ = negotiate(case, {"a": 1000.0, "b": 3000.0})
    assert running == {"a": 8.0, "b": 3.0}


@pytest.mark.parametrize(("rounds", "running"), [(1, 8.0), (3, 12.0)])
def test_what_a_group_could_not_use_is_dealt_in_another_round(rounds: int, running: float) -> None:
    """No slot fits a job of group a: GROUP_QUOTA_MAX_ALLOCATION_ROUNDS decides whether b gets a's quota."""
    groups = (GroupSettings("a", 4.0, accept_surplus=True), GroupSettings("b", 8.0, accept_surplus=True))
    settings = NegotiatorSettings(groups=groups, max_allocation_rounds=rounds)
    pool = Pool([slot(n + 1) for n in range(12)], settings, AccountantSettings(group_names=("a", "b")))
    plan = pool.negotiate(demand("a.u@x", (30, job_ad(RequestMemory=9999))), demand("b.u@x", (30, job_ad())))
    assert weights(plan) == {"b.u@x": running}


@pytest.mark.parametrize(("strict", "given"), [(True, {}), (False, {"phys.b.u@x": 4.0})])
def test_a_subtree_does_not_exceed_the_quota_of_its_root(strict: bool, given: dict[str, float]) -> None:
    """phys.a holds all that phys may have; NEGOTIATOR_STRICT_ENFORCE_QUOTA decides whether phys.b gets it again."""
    children = (GroupSettings("phys.a", 2.0, accept_surplus=True), GroupSettings("phys.b", 2.0, accept_surplus=True))
    groups = (GroupSettings("phys", 4.0), *children)
    settings = NegotiatorSettings(groups=groups, allow_quota_oversubscription=False, strict_enforce_quota=strict)
    slots = [claimed(slot(n), "phys.a.u@x") for n in range(1, 5)] + [slot(n) for n in range(5, 13)]
    pool = Pool(slots, settings, AccountantSettings(group_names=("phys", "phys.a", "phys.b")))
    assert weights(pool.negotiate(demand("phys.b.u@x", (9, job_ad())))) == given


def test_dynamic_quotas_are_fractions_of_the_slots_that_count() -> None:
    """NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT."""
    settings = NegotiatorSettings(
        groups=(GroupSettings("g", 0.5, dynamic=True),), slot_pool_size_constraint="SlotID <= 8"
    )
    pool = Pool([slot(n + 1) for n in range(20)], settings, AccountantSettings(group_names=("g",)))
    assert weights(pool.negotiate(demand("g.a@x", (99, job_ad())))) == {"g.a@x": 4.0}


def test_preemption_between_groups_stops_at_their_quotas() -> None:
    """The example of the manual: a group below its quota preempts those of groups above theirs."""
    settings = NegotiatorSettings(
        groups=(GroupSettings("a", 3.0), GroupSettings("b", 7.0)),
        preemption_requirements="(SubmitterGroupResourcesInUse < SubmitterGroupQuota)"
        " && (RemoteGroupResourcesInUse > RemoteGroupQuota)",
    )
    slots = [claimed(slot(n), "b.u@x") for n in range(1, 11)]
    pool = Pool(slots, settings, AccountantSettings(group_names=("a", "b")))
    pool.user("b.u@x", rup=50.0)
    assert weights(pool.negotiate(demand("a.u@x", (9, job_ad())))) == {"a.u@x": 3.0}
    pool.slots = [claimed(slot(n), "b.u@x" if n > 3 else "a.u@x") for n in range(1, 11)]
    assert weights(pool.negotiate(demand("a.u@x", (9, job_ad())))) == {}


def test_a_group_does_not_exceed_its_quota_over_cycles() -> None:
    settings = NegotiatorSettings(groups=(GroupSettings("g", 5.0),))
    pool = Pool([slot(n + 1) for n in range(20)], settings, AccountantSettings(group_names=("g",)))
    total = 0.0
    for _ in range(4):
        plan = pool.negotiate(demand("g.a@x", (99, job_ad(RequestCpus=1))))
        for match in plan.matches:
            ad = next(ad for ad in pool.slots if ad["Name"] == match.slot)
            ad["State"], ad["RemoteUser"], ad["RemoteOwner"] = "Claimed", match.submitter, match.submitter
        total += sum(match.weight for match in plan.matches)
        pool.now += 60
    assert total == 5.0


def test_who_got_no_slot_of_fractions_gets_the_next_one() -> None:
    """Two groups of 2.5 slots each: the odd slot goes from one to the other as their jobs come and go."""
    groups = tuple(GroupSettings(name, 0.5, True, True) for name in "ab")
    settings = NegotiatorSettings(groups=groups, accept_surplus=True, use_slot_weights=False)
    pool = Pool([slot(n + 1) for n in range(5)], settings, AccountantSettings(group_names=("a", "b")))
    odd = []
    for _ in range(4):
        plan = pool.negotiate(demand("a.u@x", (9, job_ad())), demand("b.u@x", (9, job_ad())))
        given = weights(plan)
        odd.append("a" if given["a.u@x"] == 3.0 else "b")
        assert sum(given.values()) == 5.0
        pool.now += 60  # and all jobs of the cycle before are done
    assert odd == ["a", "b", "a", "b"]


NAMES = ("a", "b", "a.x", "a.y", "a.x.p")
trees = st.fixed_dictionaries(
    {name: st.tuples(st.integers(0, 8), st.booleans(), st.booleans(), st.integers(0, 12)) for name in NAMES}
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.integers(0, 20), trees, st.integers(0, 6), st.booleans(), st.sampled_from((1e100, 2.5, 1.0)), st.booleans())
def test_quotas_hold_and_surplus_is_used(
    slots: int,
    tree: dict[str, tuple[int, bool, bool, int]],
    loose: int,
    oversubscription: bool,
    rate: float,
    weighted: bool,
) -> None:
    """Without surplus nobody gets beyond the quota of the subtree; with surplus everywhere no slot stays idle."""
    everywhere = all(surplus for _, surplus, _, _ in tree.values())
    groups = tuple(
        GroupSettings(name, quota / 10 if dynamic else quota, dynamic, surplus)
        for name, (quota, surplus, dynamic, _) in tree.items()
    )
    knobs = NegotiatorSettings(
        groups=groups,
        allow_quota_oversubscription=oversubscription,
        max_allocation_rounds=9,
        accept_surplus=everywhere,
        round_robin_rate=rate,
        use_slot_weights=weighted,
    )
    pool = Pool([slot(n + 1) for n in range(slots)], knobs, AccountantSettings(group_names=NAMES))
    jobs = {name: count for name, (_, _, _, count) in tree.items()} | {"none": loose}
    demands = [demand(submitter(name), (count, job_ad())) for name, count in jobs.items() if count]
    snapshot = pool.snapshot(*demands)
    prepare(snapshot, pool.accountant, knobs)
    done = match_slots(snapshot, pool.accountant, knobs)
    given_weights = weights(done.plan)
    for group in groups:
        inside = [n for n in NAMES if n == group.name or n.startswith(group.name + ".")]
        taken = sum(given_weights.get(submitter(name), 0.0) for name in inside)
        cap = done.groups[group.name].subtree_quota if group.dynamic else group.quota
        assert group.accept_surplus or taken <= math.ceil(cap - 1e-6)  # a part of a slot may become a whole one
    assert not everywhere or oversubscription or sum(given_weights.values()) >= min(slots, sum(jobs.values())) - 2


def test_who_waits_for_a_quota_is_told_of_which_group() -> None:
    groups = (GroupSettings("a", 2.0), GroupSettings("b", 0.0))
    accounting = AccountantSettings(group_names=("a", "b"))
    pool = Pool([slot(n + 1) for n in range(5)], NegotiatorSettings(groups=groups), accounting)
    plan = pool.negotiate(demand("a.u@x", (5, job_ad())), demand("b.u@x", (1, job_ad())))
    reasons = {rejection.submitter: rejection.reason for rejection in plan.rejections}
    assert reasons["a.u@x"] == "accounting group quota reached: a has 2"
    assert reasons["b.u@x"] == "accounting group quota reached: b has 0"


def groups_of(case: str, **knobs: object) -> Pool:
    """Groups with static quotas on ten slots, of which ``a.u@x`` holds three."""
    groups = tuple(GroupSettings(name, quota) for name, quota in pairs(case).items())
    settings = NegotiatorSettings(groups=groups, **knobs)  # type: ignore[arg-type]
    slots = [claimed(slot(n), "a.u@x") if n <= 3 else slot(n) for n in range(1, 11)]
    return Pool(slots, settings, AccountantSettings(group_names=tuple(pairs(case))))


def test_a_group_at_its_quota_is_passed_over_without_preemption() -> None:
    log = groups_of("a 3 b 7", consider_preemption=False).negotiate(demand("a.u@x", (5, job_ad()))).log
    assert "Group a - skipping, at or over quota (quota=3) (usage=3) (allocation=3)" in log
    assert not any(line.startswith("Group a - BEGIN") for line in log)
    assert not any("may have idle slots" in line for line in log)


def test_idle_slots_are_lent_to_groups_below_their_quotas_that_want_them() -> None:
    pool = groups_of("a 4.5 b 5.5")
    log = pool.negotiate(demand("a.u@x", (5, job_ad())), demand("b.u@x", (2, job_ad()))).log
    assert [line for line in log if "may have idle slots" in line] == ["Group a - may have idle slots up to 5"]


def test_groups_negotiate_in_the_order_that_is_configured() -> None:
    def order(text: str) -> list[str]:
        pool = groups_of("a 5 b 5", group_sort_expr=text)
        plan = pool.negotiate(demand("a.u@x", (1, job_ad())), demand("b.u@x", (1, job_ad())))
        return [match.submitter for match in plan.matches]

    assert order('AccountingGroup == "a" ? 2 : 1') == ["b.u@x", "a.u@x"]
    assert order("GroupResourcesInUse") == ["b.u@x", "a.u@x"]
    assert order("-GroupResourcesInUse") == ["a.u@x", "b.u@x"]
    assert order("NoSuch") == ["a.u@x", "b.u@x"]
    assert order("-(GroupResourcesAllocated)") == ["a.u@x", "b.u@x"]

"""What the accountant charges, remembers and writes."""

from __future__ import annotations

import random

import pytest

from condor_py.core.accounts import (
    ROOT,
    Accountant,
    ClaimedUse,
    GroupReport,
    GroupTree,
    SubmitterReport,
    accounting_ads,
    edits,
)
from condor_py.core.accounts.core import Holding
from condor_py.core.accounts.facts import string
from condor_py.core.accounts.journal import Journal
from condor_py.core.accounts.records import INTEGERS, REALS
from condor_py.lang.classad import ClassAd
from condor_py.model.record import DESTROY_AD, NEW_AD, SET, Change
from condor_py.model.settings.negotiator import AccountantSettings

T0 = 1_795_213_926
ALICE, BOB = "alice@example.net", "bob@example.net"
SLOT = "slot1@vm@<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>"


def make(**settings: object) -> Accountant:
    accountant = Accountant(AccountantSettings(**settings))  # type: ignore[arg-type]
    accountant.update(T0)
    accountant.take_log()
    return accountant


def replay(changes: list[Change]) -> dict[str, dict[str, str]]:
    """The ads that a log describes."""
    ads: dict[str, dict[str, str]] = {}
    for change in changes:
        if change.op == NEW_AD:
            ads.setdefault(change.key, {})
        elif change.op == DESTROY_AD:
            ads.pop(change.key, None)
        else:
            ads.setdefault(change.key, {})[change.name] = change.value
    return ads


def reload(changes: list[Change], settings: AccountantSettings | None = None) -> Accountant:
    ads = replay(changes)
    accountant = Accountant(settings or AccountantSettings())
    accountant.load(
        {key[len("Customer.") :]: ad for key, ad in ads.items() if key.startswith("Customer.")},
        {key[len("Resource.") :]: ad for key, ad in ads.items() if key.startswith("Resource.")},
        int(ads.get("Accountant.", {}).get("LastUpdateTime", "0")),
    )
    return accountant


def recount(accountant: Accountant, slots: list[ClassAd], now: int) -> None:
    """What a negotiation cycle does with the ads of the slots."""
    accountant.adopt(ClaimedUse.of_ads(slots, accountant.settings), now)


def check(accountant: Accountant) -> None:
    """Invariants: use is what is held, groups hold what their members hold."""
    use: dict[str, float] = {}
    held: dict[str, int] = {}
    for holding in accountant.holdings.values():
        for name in (holding.submitter, accountant.tree.group_of(holding.submitter)):
            use[name] = use.get(name, 0.0) + holding.weight
            held[name] = held.get(name, 0) + 1
    for name, row in accountant.table.rows():
        assert accountant.use(name) == pytest.approx(use.get(name, 0.0), abs=1e-5)
        assert accountant.held(name) == held.get(name, 0)
        assert accountant.real_priority(name) >= 0.5
        assert accountant.table.names[row] == name


def test_a_match_is_written_as_htcondor_writes_it() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT, 2.0, T0)
    log = accountant.take_log()
    assert Change(NEW_AD, f"Customer.{ALICE}", "*", "*") in log
    assert Change(SET, f"Customer.{ALICE}", "PriorityFactor", "1000.000000") in log
    assert Change(SET, f"Customer.{ALICE}", "WeightedResourcesUsed", "2.000000") in log
    assert Change(SET, f"Customer.{ALICE}", "ResourcesUsed", "1") in log
    assert Change(SET, "Customer.<none>", "HierWeightedResourcesUsed", "2.000000") in log
    assert list(log[-4:]) == [
        Change(NEW_AD, f"Resource.{SLOT}", "*", "*"),
        Change(SET, f"Resource.{SLOT}", "RemoteUser", f'"{ALICE}"'),
        Change(SET, f"Resource.{SLOT}", "SlotWeight", "2.000000"),
        Change(SET, f"Resource.{SLOT}", "StartTime", str(T0)),
    ]


def test_use_is_charged_to_the_second() -> None:
    """A slot of weight 2 held from second 10 to second 135 of updates at 60, 120 and 180."""
    accountant = make()
    accountant.charge(ALICE, SLOT, 2.0, T0 + 10)
    for at in (60, 120):
        accountant.update(T0 + at)
    accountant.release(SLOT, T0 + 135)
    accountant.update(T0 + 180)
    values = accountant.table.values(accountant.row(ALICE))
    assert values["WeightedAccumulatedUsage"] == 250.0
    assert values["AccumulatedUsage"] == 125.0
    assert values["BeginUsageTime"] == T0 + 60
    assert values["LastUsageTime"] == T0 + 180
    check(accountant)


def test_priority_follows_the_formula_and_settles_at_the_use() -> None:
    accountant = make(halflife=3600.0)
    accountant.adopt([], T0)
    accountant.charge(ALICE, SLOT, 8.0, T0)
    rup, now = 0.5, T0
    for dt in (1, 59, 60, 300, 7200):
        now += dt
        accountant.update(now)
        beta = 0.5 ** (dt / 3600)
        rup = max(0.5, beta * rup + (1 - beta) * 8.0)
        assert accountant.real_priority(ALICE) == pytest.approx(rup, abs=3e-6)
    accountant.update(now + 36000)
    assert accountant.real_priority(ALICE) == pytest.approx(8.0, abs=0.02)
    accountant.release(SLOT, now + 36000)
    accountant.update(now + 36000 + 3600)
    assert accountant.real_priority(ALICE) == pytest.approx(4.0, abs=0.02)


def test_a_clock_set_back_charges_nothing() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT, 1.0, T0)
    accountant.update(T0 - 100)
    assert accountant.table.values(accountant.row(ALICE))["WeightedAccumulatedUsage"] == 0.0
    accountant.update(T0 - 40)
    assert accountant.table.values(accountant.row(ALICE))["WeightedAccumulatedUsage"] == 60.0


def test_the_same_second_changes_nothing() -> None:
    accountant = make()
    accountant.update(T0)
    assert accountant.take_log() == ()


def test_an_idle_submitter_at_rest_is_not_rewritten() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT, 1.0, T0)
    accountant.release(SLOT, T0)
    accountant.take_log()
    accountant.update(T0 + 60)
    assert accountant.take_log() == ()


@pytest.mark.parametrize(
    ("name", "settings", "factor"),
    [
        (ALICE, {}, 1000.0),
        ("nice-user.alice@example.net", {}, 1e10),
        ("nice-user.alice@example.net", {"nice_user_group": "slow"}, 1e10),
        ("slow.alice@example.net", {"nice_user_group": "slow"}, 1e10),
        ("nice-users.alice@example.net", {}, 1e10),
        ("group_a.alice@example.net", {"group_names": ("group_a",), "group_factors": (("GROUP_A", 7.0),)}, 7.0),
        (ALICE, {"group_factors": (("<none>", 3.0),)}, 3.0),
        (ALICE, {"local_domain": "example.net"}, 1000.0),
        ("alice@else.where", {"local_domain": "example.net"}, 1e7),
        (ALICE, {"default_factor": 0.25}, 1.0),
        (ALICE, {"default_factor": 1.0}, 1.0),
        ("physics", {"group_names": ("physics",), "group_factors": (("PHYSICS", 7.0),)}, 7.0),
        ("physics", {"group_names": ("physics",), "group_factors": (("physics", 1.0),)}, 1.0),
        ("physics", {"group_names": ("physics",), "group_factors": (("physics", 0.5),)}, 1.0),
    ],
)
def test_factor_at_first_sight(name: str, settings: dict[str, object], factor: float) -> None:
    accountant = make(**settings)
    assert accountant.effective_priority(name) == 0.5 * factor
    accountant.row(name)
    changed = settings | {"default_factor": 9999.0, "group_factors": (("physics", 8888.0),)}
    accountant.reconfigure(AccountantSettings(**changed))  # type: ignore[arg-type]
    assert accountant.factor(name) == factor


def test_recount_makes_charges_agree_with_the_slots() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT + "_cp_match_000", 1.0, T0)
    dynamic = ClassAd({"Name": "slot1_1@vm", "MyAddress": "<a>", "State": "Claimed", "RemoteUser": ALICE, "Cpus": 3})
    dynamic.set_text("SlotWeight", "Cpus")
    grouped = ClassAd({"Name": "slot1_2@vm", "State": "Preempting", "RemoteUser": ALICE, "AccountingGroup": BOB})
    idle = ClassAd({"Name": "slot1@vm", "State": "Unclaimed", "RemoteUser": ALICE})
    recount(accountant, [dynamic, grouped, idle], T0 + 5)
    assert {key: (h.submitter, h.weight) for key, h in accountant.holdings.items()} == {
        "slot1_1@vm@<a>": (ALICE, 3.0),
        "slot1_2@vm@": (BOB, 1.0),
    }
    check(accountant)
    accountant.take_log()
    recount(accountant, [dynamic, grouped, idle], T0 + 65)
    assert accountant.take_log() == ()
    recount(accountant, [], T0 + 66)
    check(accountant)
    assert accountant.use(ALICE) == accountant.use("<none>") == 0.0


@pytest.mark.parametrize(
    ("settings", "activity", "use"),
    [
        ({"discount_suspended": True}, "Suspended", 0.0),
        ({"discount_suspended": True}, "Busy", 4.0),
        ({}, "Suspended", 4.0),
        ({"use_slot_weights": False}, "Busy", 1.0),
    ],
)
def test_what_a_claim_counts(settings: dict[str, object], activity: str, use: float) -> None:
    ad = ClassAd({"Name": "slot1@vm", "State": "Claimed", "Activity": activity, "RemoteUser": ALICE, "Cpus": 4})
    accountant = make(**settings)
    recount(accountant, [ad], T0)
    assert accountant.use(ALICE) == use


def test_reading_somebody_unknown_makes_no_record() -> None:
    accountant = make()
    assert (accountant.use(ALICE), accountant.held(ALICE), accountant.last_use(ALICE)) == (0.0, 0, 0)
    assert (accountant.ceiling(ALICE), accountant.floor(ALICE), accountant.real_priority(ALICE)) == (-1, 0, 0.5)
    with pytest.raises(edits.EditRefused, match=f"no floor lease in effect for {ALICE}"):
        edits.cancel_lease(accountant, "floor", ALICE)
    assert accountant.take_log() == ()


def test_the_record_of_a_newcomer() -> None:
    """What of it is not at these values goes to the log, and is all that a restart knows."""
    accountant = make()
    start = dict.fromkeys((*REALS, *INTEGERS), 0.0)
    unlimited = {"Ceiling": -1, "CeilingPreLeaseValue": -1}
    assert accountant.table.values(accountant.row(ALICE)) == start | unlimited | {
        "Priority": 0.5,
        "PriorityFactor": 1000.0,
    }


def test_deleting_a_record_leaves_the_others_whole() -> None:
    accountant = make()
    for name, number in ((ALICE, 3), (BOB, 5)):
        edits.set_ceiling(accountant, name, number)
        edits.set_accumulated(accountant, name, float(number))
    edits.delete(accountant, ALICE)
    bob = accountant.table.values(accountant.row(BOB))
    assert (bob["Ceiling"], bob["WeightedAccumulatedUsage"]) == (5, 5.0)
    again = accountant.table.values(accountant.row(ALICE))
    assert (again["Ceiling"], again["WeightedAccumulatedUsage"]) == (-1, 0.0)


def test_groups_hold_what_their_members_hold() -> None:
    accountant = make(group_names=("physics", "physics.hep", "chem"))
    accountant.charge("physics.hep.alice@x", "s1", 2.0, T0)
    accountant.charge("physics.bob@x", "s2", 1.0, T0)
    accountant.charge("dave@x", "s3", 4.0, T0)
    subtree = accountant.table.reals["HierWeightedResourcesUsed"]
    assert [accountant.use(n) for n in ("physics", "physics.hep", "chem", "<none>")] == [1.0, 2.0, 0.0, 4.0]
    assert subtree[accountant.row("physics")] == 3.0
    check(accountant)
    for _ in range(20):
        recount(accountant, [], T0 + 1)
        accountant.charge("physics.hep.alice@x", "s1", 2.0, T0 + 1)
    assert subtree[accountant.row("physics")] == 2.0
    accountant.update(T0 + 400 * 86400)
    assert accountant.real_priority("physics") == pytest.approx(2.0, abs=1e-3)
    assert accountant.real_priority("physics.hep") == pytest.approx(2.0, abs=1e-3)


def test_priority_of_a_group_follows_its_subtree() -> None:
    accountant = make(group_names=("physics", "physics.hep"), halflife=3600.0)
    accountant.charge("physics.hep.alice@x", "s1", 6.0, T0)
    accountant.charge("physics.bob@x", "s2", 1.5, T0)
    accountant.update(T0 + 3600)
    assert accountant.real_priority("physics") == pytest.approx(0.5 * 0.5 + 0.5 * 7.5, abs=1e-6)


def test_groups_made_by_a_reconfig_get_the_use_of_their_members() -> None:
    accountant = make()
    uses = [ClaimedUse("s1", "physics.alice@x", 2.0)]
    accountant.adopt(uses, T0)
    assert accountant.use("<none>") == 2.0
    accountant.reconfigure(AccountantSettings(group_names=("physics",)))
    accountant.adopt(uses, T0 + 1)
    check(accountant)
    written = replay(list(accountant.take_log()))
    assert written["Customer.physics"]["WeightedResourcesUsed"] == "2.000000"
    assert written["Customer.<none>"]["WeightedResourcesUsed"] == "0.000000"


def test_the_group_of_a_submitter() -> None:
    tree = GroupTree(["group_a", "group_b.x", "Group_A.j", "group_a", "<none>"])
    assert tree.names == ("<none>", "group_a", "Group_A.j")
    assert set(tree.ignored) == {"group_b.x", "group_a", "<none>"}
    expected = {
        "alice@x": "<none>",
        "group_a.alice": "group_a",
        "group_a.alice@x": "group_a",
        "GROUP_A.alice@x": "group_a",
        "group_a.j.r.smith@x": "Group_A.j",
        "group_a.nosuch.bob@x": "group_a",
        "group_x.bob@x": "<none>",
        "nice-user.bob@x": "<none>",
    }
    assert {name: tree.group_of(name) for name in expected} == expected


def test_edits_by_the_names_of_the_socket() -> None:
    accountant = make()
    numbers = {"setprio": 3.0, "setfactor": 7.0, "setceiling": 4, "setfloor": 2, "setaccum": 9.0, "setbegin": 11}
    for name, number in {**numbers, "setlast": 12}.items():
        edits.apply_edit(accountant, name, [ALICE, number], T0)
    written = replay(list(accountant.take_log()))[f"Customer.{ALICE}"]
    assert written == {
        "Priority": "3.000000",
        "PriorityFactor": "7.000000",
        "Ceiling": "4",
        "Floor": "2",
        "WeightedAccumulatedUsage": "9.000000",
        "BeginUsageTime": "11",
        "LastUsageTime": "12",
    }
    edits.apply_edit(accountant, "setaccum", [BOB, 5.0], T0)
    edits.apply_edit(accountant, "resetusage", [ALICE], T0 + 1)
    assert accountant.table.values(accountant.table.index[ALICE])["WeightedAccumulatedUsage"] == 0.0
    assert accountant.table.values(accountant.table.index[BOB])["WeightedAccumulatedUsage"] == 5.0
    edits.apply_edit(accountant, "resetall", [], T0 + 2)
    assert accountant.table.values(accountant.table.index[BOB])["WeightedAccumulatedUsage"] == 0.0
    edits.apply_edit(accountant, "lease", ["ceiling", ALICE, 8, 60], T0 + 3)
    assert accountant.setting(ALICE, "Ceiling") == 8
    edits.apply_edit(accountant, "cancel-lease", ["ceiling", ALICE], T0 + 4)
    assert accountant.setting(ALICE, "Ceiling") == 4
    edits.apply_edit(accountant, "lease", ["floor", ALICE, 9, 60], T0 + 5)
    edits.apply_edit(accountant, "lease", ["floor", ALICE, 10, 60], T0 + 65)
    assert accountant.setting(ALICE, "Floor") == 10
    edits.apply_edit(accountant, "cancel-lease", ["floor", ALICE], T0 + 66)
    assert accountant.setting(ALICE, "Floor") == 2
    edits.apply_edit(accountant, "delete", [BOB], T0 + 70)
    assert BOB not in accountant.table.index
    with pytest.raises(KeyError):
        edits.apply_edit(accountant, "other", [], T0)


def test_edits_are_written_and_refused() -> None:
    accountant = make()
    edits.set_factor(accountant, ALICE, 2500.0)
    edits.set_priority(accountant, ALICE, 0.1)
    edits.set_ceiling(accountant, ALICE, 3)
    edits.set_floor(accountant, ALICE, 2)
    edits.set_accumulated(accountant, ALICE, 7200.0)
    edits.set_begin(accountant, ALICE, 1_700_000_000)
    edits.set_last(accountant, ALICE, 1_700_000_001)
    written = replay(list(accountant.take_log()))[f"Customer.{ALICE}"]
    assert written == {
        "PriorityFactor": "2500.000000",
        "Priority": "0.100000",
        "Ceiling": "3",
        "Floor": "2",
        "WeightedAccumulatedUsage": "7200.000000",
        "BeginUsageTime": "1700000000",
        "LastUsageTime": "1700000001",
    }
    assert accountant.effective_priority(ALICE) == 1250.0
    edits.set_factor(accountant, ALICE, 2500.0)
    edits.set_floor(accountant, ALICE, 2)
    assert accountant.take_log() == ()
    with pytest.raises(edits.EditRefused, match="greater than or equal to 1"):
        edits.set_factor(accountant, ALICE, 0.5)
    with pytest.raises(edits.EditRefused, match="greater than or equal to -1"):
        edits.set_ceiling(accountant, ALICE, -2)
    edits.reset_usage(accountant, ALICE, T0 + 9)
    values = accountant.table.values(accountant.row(ALICE))
    assert (values["WeightedAccumulatedUsage"], values["BeginUsageTime"]) == (0.0, T0 + 9)
    edits.set_accumulated(accountant, BOB, 7200.0)
    edits.reset_all(accountant, T0 + 10)
    for name in (ALICE, BOB):
        values = accountant.table.values(accountant.row(name))
        assert (values["WeightedAccumulatedUsage"], values["BeginUsageTime"]) == (0.0, T0 + 10)
    edits.delete(accountant, ALICE)
    with pytest.raises(edits.EditRefused, match=f"there is no accountant record named {ALICE}"):
        edits.delete(accountant, ALICE)
    assert accountant.take_log()[-1] == Change(DESTROY_AD, f"Customer.{ALICE}")
    check(accountant)


@pytest.mark.parametrize(
    ("kind", "value", "before", "read"),
    [
        ("ceiling", 3, -1, Accountant.ceiling),
        ("ceiling", 3, 7, Accountant.ceiling),
        ("floor", 2, 0, Accountant.floor),
        ("floor", 2, 5, Accountant.floor),
        ("factor", 50.0, 1000.0, Accountant.factor),
        ("factor", 50.0, 20.0, Accountant.factor),
    ],
)
def test_leases_end(kind: str, value: float, before: float, read: object) -> None:
    accountant = make()
    set_it = {"ceiling": edits.set_ceiling, "floor": edits.set_floor, "factor": edits.set_factor}[kind]
    set_it(accountant, BOB, before)  # type: ignore[operator]
    edits.lease(accountant, kind, BOB, value, 100, T0)
    assert read(accountant, BOB) == value  # type: ignore[operator]
    with pytest.raises(edits.EditRefused, match=f"already in effect \\(expires at {T0 + 100}\\)"):
        edits.lease(accountant, kind, BOB, value, 100, T0 + 50)
    assert edits.expire_leases(accountant, T0 + 99) == ()
    again = reload(list(accountant.take_log()))
    assert edits.expire_leases(again, T0 + 100) == (BOB,)
    assert read(again, BOB) == before  # type: ignore[operator]
    with pytest.raises(edits.EditRefused, match=f"lease in effect for {BOB}"):
        edits.cancel_lease(again, kind, BOB)
    edits.cancel_lease(accountant, kind, BOB)
    assert read(accountant, BOB) == before  # type: ignore[operator]


def test_loading_a_log_of_htcondor_repairs_its_counters() -> None:
    accountant = Accountant(AccountantSettings())
    customer = {"Priority": "3.250000", "PriorityFactor": "1000.000000", "ResourcesUsed": "64",
                "WeightedResourcesUsed": "4.000000", "AccumulatedUsage": "99.000000"}  # fmt: skip
    stray = {"PriorityFactor": "1000.000000", "WeightedResourcesUsed": "2.500000"}
    resource = {"RemoteUser": f'"{ALICE}"', "SlotWeight": "4.000000", "StartTime": str(T0)}
    accountant.load({ALICE: customer, BOB: stray}, {SLOT: resource}, T0)
    assert accountant.holdings[SLOT].start == T0
    assert (accountant.held(ALICE), accountant.use(ALICE)) == (1, 4.0)
    assert accountant.table.values(accountant.row(ALICE))["WeightedAccumulatedUsage"] == 99.0
    accountant.update(T0 + 10)
    assert accountant.table.values(accountant.row(ALICE))["WeightedAccumulatedUsage"] == 139.0
    accountant.adopt([ClaimedUse(SLOT, ALICE, 4.0)], T0 + 10)
    check(accountant)


def test_accounting_ads() -> None:
    accountant = make(group_names=("physics",))
    accountant.charge("physics.alice@x", "s1", 2.0, T0)
    ads = {ad["Name"]: ad for ad in accounting_ads(accountant)}
    assert set(ads) == {"<none>", "physics", "physics.alice@x"}
    alice, group = ads["physics.alice@x"], ads["physics"]
    assert (alice["AccountingGroup"], alice["IsAccountingGroup"], alice["Priority"]) == ("physics", False, 500.0)
    assert (group["AccountingGroup"], group["IsAccountingGroup"], group["SurplusPolicy"]) == ("<none>", True, "no")
    assert alice["LastUpdate"] == T0
    assert "BeginUsageTime" not in alice
    assert (alice["SubmitterShare"], alice["SubmitterLimit"]) == (0.0, 0.0)
    assert (alice["AccumulatedUsage"], alice["WeightedAccumulatedUsage"], group["ResourcesUsed"]) == (0.0, 0.0, 1)
    assert (alice["WeightedResourcesUsed"], alice["ResourcesUsed"], alice["Ceiling"]) == (2.0, 1, -1)
    unreported = ("EffectiveQuota", "ConfigQuota", "SubtreeQuota", "GroupSortKey", "Requested")
    assert [group[name] for name in unreported] == [0.0] * 5


def test_accounting_ads_of_a_cycle() -> None:
    accountant = make(group_names=("physics",))
    accountant.charge("physics.alice@x", "s1", 2.0, T0)
    group = GroupReport(3.0, 0.25, 3.5, 0.75, "byquota", 9.0)
    share = SubmitterReport(0.5, 6.0)
    ads = {ad["Name"]: ad for ad in accounting_ads(accountant, {"physics": group}, {"physics.alice@x": share})}
    assert (ads["physics.alice@x"]["SubmitterShare"], ads["physics.alice@x"]["SubmitterLimit"]) == (0.5, 6.0)
    names = ("EffectiveQuota", "ConfigQuota", "SubtreeQuota", "GroupSortKey", "SurplusPolicy", "Requested")
    assert [ads["physics"][name] for name in names] == [3.0, 0.25, 3.5, 0.75, "byquota", 9.0]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_written_is_what_is_known(seed: int) -> None:
    """Random histories: the log replayed gives the same accountant, at any point."""
    rng = random.Random(seed)
    settings = AccountantSettings(group_names=("g", "g.h"), halflife=600.0)
    accountant = Accountant(settings)
    names = ["a@x", "b@x", "g.c@x", "g.h.d@x", "nice-user.e@x"]
    log: list[Change] = []
    now = T0
    for _ in range(120):
        now += rng.choice((0, 0, 1, 7, 60, 3600))
        name = rng.choice(names)
        match rng.randrange(8):
            case 0:
                accountant.update(now)
            case 1 | 2 | 3:
                accountant.charge(name, f"s{rng.randrange(6)}", rng.choice((1.0, 2.5, 0.333333)), now)
            case 4:
                accountant.release(f"s{rng.randrange(6)}", now)
            case 5:
                edits.set_priority(accountant, name, rng.random() * 10)
            case 6:
                kept = [key for key in accountant.holdings if rng.random() < 0.5]
                accountant.adopt([_use(accountant, key) for key in kept], now)
            case _:
                edits.expire_leases(accountant, now)
        check(accountant)
        log.extend(accountant.take_log())
    again = reload(log, settings)
    check(again)
    for name in accountant.table.names:
        mine, theirs = accountant.table.values(accountant.row(name)), again.table.values(again.row(name))
        assert theirs == pytest.approx(mine, abs=1e-9), name


def _use(accountant: Accountant, key: str) -> ClaimedUse:
    holding = accountant.holdings[key]
    return ClaimedUse(key, holding.submitter, holding.weight)


def test_the_journal_writes_what_is_there_when_it_is_taken() -> None:
    journal = Journal()
    journal.mark("a", "X")
    journal.create_all(["b"], {"X": ["1"], "Y": ["2"]})
    journal.mark("b", "Y")
    journal.mark("a", "X")
    assert journal.take(lambda key, name: key + name) == (
        Change(SET, "a", "X", "aX"),
        Change(NEW_AD, "b", "*", "*"),
        Change(SET, "b", "X", "1"),
        Change(SET, "b", "Y", "bY"),
    )
    assert journal.take(lambda key, name: key + name) == ()


def test_the_journal_forgets_what_was_set_on_an_ad_that_goes() -> None:
    journal = Journal()
    journal.mark("a", "X")
    journal.create_all(["b"], {"X": ["1"]})
    journal.destroy("b")
    journal.destroy("a")
    kept = (Change(NEW_AD, "b", "*", "*"), Change(DESTROY_AD, "b"), Change(DESTROY_AD, "a"))
    assert journal.take(lambda key, name: key + name) == kept


def test_a_fractional_weight_survives_a_restart() -> None:
    accountant = make()
    use = [ClaimedUse(SLOT, ALICE, 1 / 3)]
    accountant.adopt(use, T0)
    again = reload(list(accountant.take_log()))
    again.take_log()
    again.adopt(use, T0 + 60)
    assert again.take_log() == ()


def test_the_time_of_the_update_goes_first() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT, 1.0, T0)
    accountant.take_log()
    accountant.update(T0 + 60)
    assert accountant.take_log()[0] == Change(SET, "Accountant.", "LastUpdateTime", str(T0 + 60))


def test_what_a_log_does_not_say_of_a_slot() -> None:
    accountant = Accountant(AccountantSettings())
    stray = {"PriorityFactor": "1000.000000", "WeightedResourcesUsed": "1.000000"}
    accountant.load({BOB: stray}, {SLOT: {"RemoteUser": f'"{ALICE}"'}, "s2": {"SlotWeight": "2.0"}}, T0)
    assert accountant.holdings == {SLOT: Holding(ALICE, 1.0, 0)}
    accountant.adopt([], T0)
    assert accountant.use(BOB) == 0.0


def test_who_uses_nothing_any_more_only_gets_a_better_priority() -> None:
    accountant = make()
    edits.set_priority(accountant, ALICE, 8.0)
    accountant.take_log()
    accountant.update(T0 + 3600)
    names = [change.name for change in accountant.take_log() if change.key == f"Customer.{ALICE}"]
    assert names == ["Priority"]
    assert accountant.table.values(accountant.row(ALICE))["BeginUsageTime"] == 0


def test_a_slot_that_changes_hands_is_charged_anew() -> None:
    accountant = make()
    accountant.adopt([ClaimedUse(SLOT, ALICE, 2.0)], T0)
    accountant.adopt([ClaimedUse(SLOT, BOB, 2.0)], T0 + 60)
    assert accountant.holdings == {SLOT: Holding(BOB, 2.0, T0 + 60)}
    accountant.adopt([ClaimedUse(SLOT, BOB, 3.0)], T0 + 90)
    assert accountant.use(BOB) == 3.0
    check(accountant)


def test_nobody_gives_back_what_he_does_not_hold() -> None:
    accountant = make()
    accountant.charge(ALICE, SLOT, 1.0, T0)
    assert accountant.release(SLOT, T0)
    assert not accountant.release(SLOT, T0)


def test_the_least_that_may_be_set() -> None:
    accountant = make()
    edits.set_factor(accountant, ALICE, 1.0)
    edits.set_floor(accountant, ALICE, -1)
    edits.set_ceiling(accountant, ALICE, -1)
    assert (accountant.factor(ALICE), accountant.floor(ALICE), accountant.ceiling(ALICE)) == (1.0, 0, -1)
    with pytest.raises(edits.EditRefused, match="floor must be greater than or equal to -1"):
        edits.set_floor(accountant, ALICE, -2)
    for seconds in (0, -1):
        with pytest.raises(edits.EditRefused, match="lease duration must be positive"):
            edits.lease(accountant, "ceiling", ALICE, 3, seconds, T0)


def test_a_name_with_quotes_and_backslashes_survives_the_log() -> None:
    name = 'a"b\\\\c\\d@x'
    accountant = make()
    accountant.charge(name, SLOT, 1.0, T0)
    assert reload(list(accountant.take_log())).holdings[SLOT].submitter == name


def test_a_string_of_an_ad_is_as_it_stands() -> None:
    """Quotes belong to the texts of a log only."""
    assert string(ClassAd({"Name": '"x"'}), "Name") == '"x"'
    assert string({"Name": '"x"'}, "Name") == "x"
    assert string({"Name": '"'}, "Name") == '"'
    assert string({"Name": ""}, "Name") == string({}, "Name") == ""


def test_an_empty_name_is_no_group() -> None:
    tree = GroupTree(["", "a", "a."])
    assert tree.names == ("<none>", "a", "a.")
    assert tree.ignored == ("",)


def test_what_everybody_has_is_published_even_of_a_newcomer() -> None:
    accountant = make()
    accountant.row(ALICE)
    accountant.update(T0 + 60)
    ad = next(ad for ad in accounting_ads(accountant) if ad["Name"] == ALICE)
    assert set(ad) == {
        *("Name", "LastUpdate", "Priority", "IsAccountingGroup", "AccountingGroup", "SubmitterShare", "SubmitterLimit"),
        *("PriorityFactor", "ResourcesUsed", "WeightedResourcesUsed", "AccumulatedUsage", "WeightedAccumulatedUsage"),
        *("Ceiling", "Floor"),
    }
    assert ad["Priority"] == 500.0


def test_corrections_of_time_and_the_real_priority_are_not_published() -> None:
    accountant = make()
    edits.set_priority(accountant, ALICE, 3.0)
    accountant.charge(ALICE, SLOT, 2.0, T0 + 10)
    ad = next(ad for ad in accounting_ads(accountant) if ad["Name"] == ALICE)
    assert ad["Priority"] == 3000.0
    assert not {"UnchargedTime", "WeightedUnchargedTime"} & set(ad)


def test_a_priority_that_does_not_change_is_not_written() -> None:
    accountant = make()
    edits.set_priority(accountant, ALICE, 8.0)
    accountant.charge(ALICE, SLOT, 8.0, T0)
    accountant.take_log()
    accountant.update(T0 + 60)
    names = {change.name for change in accountant.take_log() if change.key == f"Customer.{ALICE}"}
    assert "WeightedAccumulatedUsage" in names
    assert "Priority" not in names


def test_the_first_update_charges_nothing_for_the_time_before() -> None:
    """A slot that was released before there was any update leaves nothing to be corrected."""
    accountant = Accountant(AccountantSettings())
    accountant.charge(ALICE, SLOT, 2.0, T0)
    accountant.release(SLOT, T0 + 5)
    values = accountant.table.values(accountant.row(ALICE))
    assert (values["UnchargedTime"], values["WeightedUnchargedTime"]) == (0, 0.0)


def test_a_lease_of_a_second_is_one() -> None:
    accountant = make()
    edits.lease(accountant, "ceiling", ALICE, 3, 1, T0)
    assert accountant.ceiling(ALICE) == 3
    assert edits.expire_leases(accountant, T0 + 1) == (ALICE,)
    edits.lease(accountant, "ceiling", ALICE, 4, 1, T0 + 1)


def test_when_somebody_used_the_pool_is_published() -> None:
    accountant = make()
    edits.set_begin(accountant, ALICE, 77)
    edits.set_floor(accountant, ALICE, 2)
    ad = next(ad for ad in accounting_ads(accountant) if ad["Name"] == ALICE)
    assert (ad["BeginUsageTime"], ad["Floor"]) == (77, 2)
    assert "LastUsageTime" not in ad


def test_whose_record_is_deleted_while_he_holds_slots_is_counted_anew() -> None:
    """``condor_userprio -delete`` of somebody whose jobs run: his record begins again, with all that he holds."""
    accountant = make()
    uses = [ClaimedUse("s1", ALICE, 2.0), ClaimedUse("s2", ALICE, 1.0), ClaimedUse("s3", BOB, 1.0)]
    accountant.adopt(uses, T0)
    edits.delete(accountant, ALICE)
    accountant.update(T0 + 60)
    accountant.adopt(uses, T0 + 60)
    assert (accountant.held(ALICE), accountant.use(ALICE)) == (2, 3.0)
    assert (accountant.held(ROOT), accountant.use(ROOT)) == (3, 4.0)
    assert accountant.factor(ALICE) == 1000.0
    accountant.update(T0 + 120)
    accountant.adopt(uses[1:], T0 + 120)
    accountant.update(T0 + 180)
    assert (accountant.held(ALICE), accountant.use(ALICE)) == (1, 1.0)
    assert accountant.setting(ALICE, "AccumulatedUsage") == 2 * 60.0 + 60.0

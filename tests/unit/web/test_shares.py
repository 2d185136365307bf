"""The page of shares: condor_userprio's figures, quotas by the negotiator's functions, and what would follow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.userprio.quotas import Quota, quotas, with_quotas
from condor_py.cli.userprio.whatif import User, outcomes
from condor_py.cli.web.live import Watch
from condor_py.cli.web.page import Asked, BadRequest, Viewer
from condor_py.cli.web.pages import shares
from condor_py.cli.web.work import Steps
from condor_py.cli.web.works import State
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.model.cyclerecords import CycleRecord, SubmitterRecord
from condor_py.model.settings.history import CycleHistorySettings
from condor_py.model.settings.negotiator import GroupSettings, NegotiatorSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.cyclelog import CycleLog

NOW, HOUR = 1_800_000_000, 3600
ALICE, BOB, CAROL = "alice@example.net", "bob@example.net", "physics.carol@example.net"


def user(name: str, priority: float, factor: float, use: float = 0.0, group: str = "<none>", **more: Any) -> ClassAd:
    return ClassAd({
        "Name": name, "IsAccountingGroup": False, "Priority": priority, "PriorityFactor": factor,
        "WeightedResourcesUsed": use, "ResourcesUsed": int(use), "AccountingGroup": group, "LastUsageTime": NOW - 60,
        "WeightedAccumulatedUsage": 7200.0, "LastUpdate": NOW - 5, **more,
    })  # fmt: skip


def group(name: str, quota: float, requested: float, use: float = 0.0) -> ClassAd:
    return ClassAd({
        "Name": name, "IsAccountingGroup": True, "EffectiveQuota": quota, "Requested": requested,
        "WeightedResourcesUsed": use, "AccountingGroup": "<none>", "SurplusPolicy": "byquota", "LastUpdate": NOW - 5,
    })  # fmt: skip


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Eight cores, two users without a group and one of physics."""
    monkeypatch.setenv("_CONDOR_GROUP_NAMES", "physics, physics.higgs, chemistry")
    monkeypatch.setenv("_CONDOR_GROUP_QUOTA_physics", "4")
    monkeypatch.setenv("_CONDOR_GROUP_QUOTA_DYNAMIC_physics.higgs", "0.25")
    monkeypatch.setenv("_CONDOR_GROUP_QUOTA_chemistry", "2")
    monkeypatch.setenv("_CONDOR_GROUP_ACCEPT_SURPLUS", "True")
    watch = Watch()
    store = AdStore(watch.pool.paths.ads)
    slot = {"Name": "slot1@here", "SlotID": 1, "State": "Unclaimed", "TotalSlotCpus": 8.0, "Cpus": 8.0}
    store.publish("STARTD", [ClassAd(slot)])
    store.publish("ACCOUNTING", [
        group("<none>", 2.0, 5.0, 3.0), group("physics", 4.0, 6.0, 1.0), group("physics.higgs", 1.0, 0.0),
        group("chemistry", 2.0, 0.0),
        user(ALICE, 4000.0, 1000.0, 2.0, SubmitterShare=0.25, SubmitterLimit=2.0),
        user(BOB, 2000.0, 2000.0, 1.0, Ceiling=3),
        user(CAROL, 500.0, 1000.0, 1.0, "physics"), user("old@example.net", 500.0, 1000.0, LastUsageTime=NOW - 10**7),
    ])  # fmt: skip
    store.publish(
        "SUBMITTERS", [ClassAd({"Name": name, "IdleJobs": 4, "RunningJobs": 1}) for name in (ALICE, BOB, CAROL)]
    )
    return watch


def ask(watch: Watch, **parameters: str) -> dict[str, Any]:
    shown = shares.view(watch, Asked(Viewer("alice", False), parameters, (), NOW))
    assert json.dumps(shown, allow_nan=False)
    return shown


@pytest.fixture(autouse=True)
def _no_children(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoWorks:
        def ask(self, *_: object, **__: object) -> State:
            return State(None, 0.0, float(NOW), 0, "", 1.0)

    monkeypatch.setattr(shares, "works_of", lambda watch: NoWorks())


def test_users_are_those_of_condor_userprio(pool: Watch, spool: Spool) -> None:
    shown = ask(pool)
    users = {one["name"]: one for one in shown["users"]}
    assert set(users) == {ALICE, BOB, CAROL}
    alice = users[ALICE]
    assert (alice["priority"], alice["real_priority"], alice["factor"]) == (4000.0, 4.0, 1000.0)
    assert (alice["in_use"], alice["share"], alice["used_hours"], alice["group"]) == (2.0, 0.25, 2.0, None)
    assert (alice["entitled"], users[BOB]["entitled"]) == (2.0, None)
    assert (users[BOB]["ceiling"], users[CAROL]["group"]) == (3.0, "physics")
    assert (shown["weight"], shown["updated"]) == (8.0, NOW - 5)
    assert "old@example.net" in {one["name"] for one in ask(pool, users="all")["users"]}
    table = spool.run("condor_userprio", "-allusers", "-flat").out
    assert {line.split()[0] for line in table.splitlines() if "@" in line} == set(users) | {"old@example.net"}


def test_groups_are_a_tree_with_what_is_used_below(pool: Watch) -> None:
    chemistry, physics, higgs, rest = ask(pool)["groups"]
    assert [(one["name"], one["depth"]) for one in (chemistry, physics, higgs, rest)] == [
        ("chemistry", 0), ("physics", 0), ("physics.higgs", 1), ("<none>", 0)]  # fmt: skip
    assert (rest["quota"], rest["in_use"]) == (2.0, 3.0)
    assert (physics["subtree"], physics["quota"], physics["in_use"], physics["requested"]) == (4.0, 4.0, 1.0, 6.0)
    assert (higgs["configured"], higgs["dynamic"], higgs["quota"]) == (0.25, True, 1.0)
    assert chemistry["subtree"] == 2.0
    assert physics["given"] > 4.0, "it gets what chemistry leaves"


def test_another_quota_is_dealt_as_a_cycle_deals_it() -> None:
    groups = (GroupSettings("a", 2.0), GroupSettings("b", 0.5, dynamic=True, accept_surplus=True))
    settings = NegotiatorSettings().changed(groups=groups)
    now = {one.name: one for one in quotas(settings, {"a": 5.0, "b": 20.0}, 10.0, {})}
    assert (now["a"].quota, now["b"].quota) == (2.0, 4.0)
    assert (now["a"].given, now["b"].given) == (2.0, 8.0), "only b takes what is left"
    then = {one.name: one for one in quotas(settings, {"a": 5.0, "b": 20.0}, 10.0, {"a": 6.0, "nobody": 3.0})}
    assert (then["a"].given, then["b"].quota, then["b"].given) == (5.0, 2.0, 5.0)
    assert [(one.name, one.quota) for one in quotas(NegotiatorSettings(), {}, 10.0, {})] == [("<none>", 10.0)]


def test_shares_of_users_follow_from_quotas_of_their_groups() -> None:
    ads = [group("physics", 2.0, 0.0), group("<none>", 6.0, 0.0)]
    users = {ALICE: User(1.0, 1000.0), CAROL: User(1.0, 1000.0, group="physics")}
    found = [
        Quota(name, 0, quota, False, False, quota, quota, 0.0, 0.0)
        for name, quota in (("physics", 6.0), ("<none>", 2.0))
    ]
    changes = {one.name: one for one in outcomes(ads, users, users, 8.0, with_quotas(ads, found))}
    assert changes[CAROL].now < changes[CAROL].then
    assert sum(one.then for one in changes.values()) == pytest.approx(1.0)
    assert ads[0].eval_real("EffectiveQuota") == 2.0, "the ads of the pool stay as they are"


def test_what_if_of_a_factor(pool: Watch, spool: Spool) -> None:
    nothing = ask(pool)["what_if"]
    assert (nothing["user"], nothing["command"]) == (None, None)
    assert {one["name"] for one in nothing["outcomes"]} == {ALICE, BOB, CAROL}
    assert all(one["now"] == one["then"] for one in nothing["outcomes"])
    asked = ask(pool, user="bob", factor="500")["what_if"]
    assert (asked["user"], asked["factor"], asked["factor_now"], asked["power"]) == (BOB, 500.0, 2000.0, 2.7)
    assert (asked["alone"], ask(pool, user="physics.carol")["what_if"]["alone"]) == (False, True)
    bob = next(one for one in asked["outcomes"] if one["name"] == BOB)
    assert bob["now"] < bob["then"]
    assert asked["command"] == f"condor_userprio -setfactor {BOB} 500"
    assert ask(pool, user=BOB, power="2")["what_if"]["factor"] == 100.0
    assert ask(pool, user=BOB, power="2.7")["what_if"]["factor"] == 501.0
    assert ask(pool, user=BOB, power="3", slider_user=ALICE)["what_if"]["factor"] == 2000.0, "of another user's slider"
    table = spool.run("condor_userprio", "-whatif", "bob=500").out
    row = next(line.split() for line in table.splitlines() if line.startswith(BOB))
    assert f"{bob['then']:.2%}" == row[-2]


def test_what_if_of_a_quota(pool: Watch) -> None:
    asked = ask(pool, group="PHYSICS", quota="6")["what_if"]
    assert (asked["group"], asked["quota"], asked["quota_now"], asked["quota_most"]) == ("physics", 6.0, 4.0, 8.0)
    physics = asked["groups"][[one["name"] for one in asked["groups"]].index("physics")]
    assert (physics["quota"], physics["new_quota"]) == (4.0, 6.0)
    carol = next(one for one in asked["outcomes"] if one["name"] == CAROL)
    assert carol["now"] < carol["then"]
    assert asked["command"] is None


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"user": "nobody"}, "user: nobody has never submitted a job here"),
        ({"user": "<b>\n" * 40}, "user: <b>"),
        ({"user": "bob", "factor": "0.5"}, "factor is a number from 1 to 1e+15, not 0.5"),
        ({"user": "bob", "factor": "nan"}, "factor is a number"),
        ({"user": "bob", "factor": "1e999"}, "factor is a number"),
        ({"user": "bob", "power": "-1"}, "power is a number from 0 to 15, not -1"),
        ({"user": "bob", "power": "２"}, "power is a number"),
        ({"group": "biology"}, "group: biology is no accounting group of this pool (GROUP_NAMES)"),
        ({"group": "physics", "quota": "9"}, "quota is a number from 0 to 8, not 9"),
        ({"group": "physics.higgs", "quota": "1.5"}, "quota is a number from 0 to 1, not 1.5"),
        ({"last": "year"}, "last is one of day, week, month, 90d, not year"),
        ({"users": "some"}, "users is one of recent, all, not some"),
    ],
)
def test_bad_parameters_get_one_line(pool: Watch, parameters: dict[str, str], reason: str) -> None:
    with pytest.raises(BadRequest) as refused:
        ask(pool, **parameters)
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)


def test_a_pool_without_records(spool: Spool) -> None:
    shown = ask(Watch())
    assert (shown["users"], shown["groups"], shown["what_if"]["outcomes"]) == ([], [], [])


def test_use_over_time(spool: Spool) -> None:
    log = CycleLog(CycleHistorySettings(str(spool.path.parent / "negotiation_history")))
    begin = NOW // 86400 * 86400
    for hour in range(6):
        at = begin + hour * HOUR
        record = CycleRecord(at, at + HOUR, 60, HOUR, 8.0 * HOUR)
        record.submitters[ALICE] = SubmitterRecord(real=2.0, used=3.0 * HOUR)
        if hour >= 3:
            record.submitters[BOB] = SubmitterRecord(real=1.0, used=1.0 * HOUR)
        log.append(record, at)
    found = shares.work(open_pool(), {"since": begin, "until": begin + 6 * HOUR, "width": HOUR}, Steps())
    assert [chart["kind"] for chart in found["charts"]] == ["areas", "lines"]
    assert [column["begin"] for column in found["columns"]] == [begin + hour * HOUR for hour in range(6)]
    assert found["rows"] == [
        {"name": ALICE, "hours": [3.0] * 6}, {"name": BOB, "hours": [0.0] * 3 + [1.0] * 3}]  # fmt: skip
    nothing = shares.work(open_pool(), {"since": 1, "until": 2, "width": HOUR}, Steps())
    assert (nothing["charts"], nothing["rows"]) == ([], [])

"""What condor_userprio -explain, -plot and -whatif work out: from records of cycles made by hand, sum by sum."""

from __future__ import annotations

import math
from typing import Any

import pytest

from condor_py.cli.userprio import explain, history, past, quotas, whatif
from condor_py.cli.userprio.history import Point, Stretch
from condor_py.cli.userprio.past import GroupPast, Past, Times, Versus
from condor_py.cli.userprio.questions import Charts, text_lines
from condor_py.core.match import explain as reasons
from condor_py.lang.classad import ClassAd
from condor_py.model.cyclerecords import CycleRecord, GroupRecord, Reason, SubmitterRecord
from condor_py.model.errors import CondorError
from condor_py.model.record import Change
from condor_py.model.settings.negotiator import GroupSettings, NegotiatorSettings

A, B, C = "ann@x", "bob@x", "cid@x"
HOUR = 3600


# -- sums of records


def record(begin: int, submitters: dict[str, SubmitterRecord], **more: Any) -> CycleRecord:
    return CycleRecord(begin, begin + 100, submitters=submitters, **more)


def test_records_are_summed_up() -> None:
    first = SubmitterRecord(
        real=1.0, factor=10.0, share=0.5, group="old", ceiling=7.0, waiting=30, present=50, used=5.0, asked=6.0,
        entitled=7.0, due=8.0, matched=2, lost={B: 1}, reasons={"why": Reason(10, 4)},
    )  # fmt: skip
    second = SubmitterRecord(
        real=3.0, factor=20.0, share=0.25, group="new", ceiling=9.0, present=10, used=50.0, asked=60.0, entitled=70.0,
        due=80.0, matched=20, lost={B: 2, C: 5}, reasons={"why": Reason(5, 3), "other": Reason(1, 1)},
    )  # fmt: skip
    bob = SubmitterRecord(used=40.0)
    idle = SubmitterRecord()
    common = {"cycles": 2, "known": 90, "weight": 400.0, "free": 30.0, "drained": 3.0}
    times = past.look_back(
        [
            record(1000, {A: first, B: bob, C: idle}, groups={"g": GroupRecord(quota=5.0, used=1.0)}, **common),
            record(1100, {A: second, B: bob}, groups={"g": GroupRecord(quota=3.0, used=2.0)}, **common),
        ],
        0,
        5000,
    )
    assert (times.begin, times.end, times.known, times.cycles) == (1000, 1200, 180, 4)
    assert (times.weight, times.free, times.drained) == (800.0, 60.0, 6.0)
    assert times.groups == {"g": GroupPast(3.0, 5.0, 3.0)}
    ann = times.submitters[A]
    assert (ann.used, ann.asked, ann.entitled, ann.due) == (55.0, 66.0, 77.0, 88.0)
    assert (ann.present, ann.waiting, ann.matched) == (60, 30, 22)
    assert (ann.group, ann.ceiling) == ("new", 9.0), "the last"
    assert (ann.share, ann.real, ann.factor) == (27.5, 80.0, 700.0), "seconds with jobs count"
    assert ann.mean(ann.share) == pytest.approx(27.5 / 60)
    assert ann.lost == {B: 3, C: 5}
    assert ann.reasons == {"why": Reason(15, 4), "other": Reason(1, 1)}
    assert (ann.meanwhile, ann.stretches) == ({B: 40.0}, 100), "while jobs waited, others that used something"
    assert Past().mean(5.0) == 0.0


@pytest.mark.parametrize(("since", "until", "found"), [(1050, 1051, 1), (1049, 1050, 0), (1051, 2000, 0), (0, 1050, 0)])
def test_a_record_counts_where_its_middle_is(since: int, until: int, found: int) -> None:
    one = record(1000, {A: SubmitterRecord(present=1), B: SubmitterRecord(present=1)})
    assert len(past.look_back([one], since, until).submitters) == 2 * found
    assert past.face_to_face([one], A, [B], since, until)[B].seconds == found


def test_two_submitters_are_compared_in_the_seconds_in_which_both_had_jobs() -> None:
    ann = SubmitterRecord(share=0.5, real=2.0, factor=10.0, present=40)
    bob = SubmitterRecord(share=0.25, real=4.0, factor=30.0, present=60)
    later = SubmitterRecord(share=0.75, real=6.0, factor=50.0, present=20)
    found = past.face_to_face(
        [record(0, {A: ann, B: bob}), record(100, {A: later, B: later}), record(200, {B: bob}), record(300, {A: ann}),
         record(400, {A: SubmitterRecord(), B: bob}), record(500, {A: ann, B: SubmitterRecord()})],
        A, [B, C], 0, 5000,
    )  # fmt: skip
    versus = found[B]
    assert versus.seconds == 60
    assert versus.means(versus.mine) == pytest.approx((35 / 60, 200 / 60, 1400 / 60))
    assert versus.means(versus.his) == pytest.approx((25 / 60, 280 / 60, 2200 / 60))
    assert (found[C].seconds, found[C].means(found[C].mine)) == (0, (0.0, 0.0, 0.0))


def test_names_without_domain_or_group() -> None:
    times = Times(submitters={"g.ann@x": Past(group="g"), "ann@y": Past(), "h.ann@x": Past(group="g")})
    assert past.named(times, "ann") == ["g.ann@x", "ann@y"]
    assert past.named(times, "g.ann") == ["g.ann@x"]
    assert past.named(times, "h.ann@x") == ["h.ann@x"]
    assert past.named(times, "ann@x") == []


# -- the words


def times_of(**submitters: Past) -> Times:
    """An hour on four cores."""
    found = {{"ann": A, "bob": B, "cid": C}[name]: one for name, one in submitters.items()}
    return Times(1795213560, 1795213560 + HOUR, HOUR, 60, 4.0 * HOUR, submitters=found)


def busy(**more: Any) -> Past:
    """A submitter whose jobs waited all the time, who had less than was due."""
    common = {"present": HOUR, "waiting": HOUR, "used": 1.0 * HOUR, "due": 2.0 * HOUR, "asked": 4.0 * HOUR}
    return Past(**(common | more))


def told(times: Times, **against: Versus) -> list[str]:
    """Return the reasons that ann is told."""
    versus = {{"bob": B, "cid": C}[name]: one for name, one in against.items()}
    return [line[2:] for line in explain.lines(times, A, versus) if line.startswith("- ")]


def test_nothing_is_said_without_a_figure_that_says_so() -> None:
    assert told(times_of(ann=busy())) == []


def versus(mine: tuple[float, float, float], his: tuple[float, float, float], seconds: int = 1) -> Versus:
    return Versus(seconds, [one * seconds for one in mine], [one * seconds for one in his])


SHARES = "while both had jobs, the share of ann@x was {}% on average, that of bob@x {}%"
INVERSE = "Shares are in inverse proportion to priorities"
FACTOR = (
    "Factor: that of ann@x is {} times that of bob@x, so with equal past use the share is so many times smaller "
    "(condor_userprio -setfactor; -whatif shows what would be)."
)
USE = (
    "Past use: the real priority of ann@x was {:.2f}, that of bob@x {:.2f}: ann@x had used more before (half of that "
    "is forgotten in each PRIORITY_HALFLIFE)."
)


@pytest.mark.parametrize(
    ("mine", "his", "said"),
    [
        ((0.5, 1.0, 1000.0), (0.5, 1.0, 1000.0), [f"Priority is not why bob@x got more: {SHARES.format(50.0, 50.0)}."]),
        ((0.49, 1.0, 1.0), (0.5, 1.0, 1.0), [f"Priority is not why bob@x got more: {SHARES.format(49.0, 50.0)}."]),
        (
            (0.2, 2.0, 1000.0), (0.8, 2.0, 250.0),
            [f"Priority: {SHARES.format(20.0, 80.0)}. {INVERSE}: 2000.00 (real 2.00 x factor 1,000) against "
             "500.00 (real 2.00 x factor 250).", FACTOR.format(4)],
        ),
        (
            (0.2, 8.0, 10.0), (0.8, 2.0, 10.0),
            [f"Priority: {SHARES.format(20.0, 80.0)}. {INVERSE}: 80.00 (real 8.00 x factor 10) against "
             "20.00 (real 2.00 x factor 10).", USE.format(8, 2)],
        ),
        (
            (0.4, 1.5, 15.0), (0.6, 1.0, 10.0),
            [f"Priority: {SHARES.format(40.0, 60.0)}. {INVERSE}: 22.50 (real 1.50 x factor 15) against "
             "10.00 (real 1.00 x factor 10).", FACTOR.format(1.5), USE.format(1.5, 1)],
        ),
        (
            (0.4, 1.01, 1.01), (0.6, 1.0, 1.0),
            [f"Priority: {SHARES.format(40.0, 60.0)}. {INVERSE}: 1.02 (real 1.01 x factor 1.01) against "
             "1.00 (real 1.00 x factor 1)."],
        ),
    ],
)  # fmt: skip
def test_priorities_are_compared(
    mine: tuple[float, float, float], his: tuple[float, float, float], said: list[str]
) -> None:
    """What differs by no more than two parts in a hundred is not worth a sentence."""
    assert told(times_of(ann=busy(), bob=busy()), bob=versus(mine, his)) == said


def test_those_who_never_met_and_those_of_other_groups() -> None:
    equal = (0.5, 1.0, 1.0)
    assert told(times_of(ann=busy(), bob=busy()), bob=Versus()) == [
        "Priority: ann@x and bob@x never had jobs at the same time, so neither stood before the other."
    ]
    assert told(times_of(ann=busy(group="g"), bob=busy(group="<none>")), bob=versus(equal, equal)) == [
        "Groups: ann@x is in g, bob@x is in no group; each group has its own quota, and shares are of that."
    ]


@pytest.mark.parametrize(
    ("used", "due", "said"),
    [
        (2.0, 2.0, "Nothing is missing: 2 was used of 2 that was due."),
        (1.97, 2.0, "Nothing is missing: 1.97 was used of 2 that was due."),
        (1.95, 2.0, ""),
        (0.0, 0.0, ""),
    ],
)
def test_nothing_is_missing(used: float, due: float, said: str) -> None:
    found = told(times_of(ann=busy(used=used * HOUR, due=due * HOUR)))
    assert found == ([said] if said else [])


@pytest.mark.parametrize(
    ("present", "waiting", "said"),
    [
        (0, 0, "Demand: ann@x had no jobs in the queue in this time."),
        (HOUR, 0, "Demand: no job of ann@x was left waiting by any cycle: each that could run had its slot, and 4 slot "
         "weight hours is all that was asked for."),
        (HOUR, HOUR - 600, "Demand: for 10 min of 1 h no job of ann@x waited. Who has no waiting jobs gets no more "
         "slots."),
        (HOUR, HOUR - 73, "Demand: for 1 min 13 s of 1 h no job of ann@x waited. Who has no waiting jobs gets no more "
         "slots."),
        (HOUR, HOUR - 72, ""),
    ],
)  # fmt: skip
def test_demand(present: int, waiting: int, said: str) -> None:
    assert told(times_of(ann=busy(present=present, waiting=waiting))) == ([said] if said else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (reasons.LIMIT_EXCEEDED, "Share: {} because ann@x had the share that was due (submitter limit exceeded)."),
        (
            reasons.QUOTA_REACHED,
            "Group quota: {} because the quota of g is 3 slot weight (accounting group quota reached).",
        ),
        (
            reasons.CEILING_REACHED,
            "Ceiling: {} because ann@x used as much as a ceiling allows (submitter ceiling reached).",
        ),
        (
            reasons.PREEMPTION_REQUIREMENTS_FALSE,
            "Taken: {} because others held the slots that fit, and PREEMPTION_REQUIREMENTS lets no one take them.",
        ),
        (reasons.ALL_TAKEN, "Taken: {} because every slot was taken."),
        (
            reasons.NO_MATCH,
            "Matches: {} that fitted none of the slots with something left; condor_q -better-analyze says what a job "
            "asks for that is not there.",
        ),
        ("concurrency limit x reached", "Concurrency limit: {}: concurrency limit x reached."),
        (
            reasons.LOST_A_SLOT,
            "Preemption: {} because ann@x was preempted less than NEGOTIATOR_CYCLE_DELAY ago, so it preempts no job "
            "yet.",
        ),
        (reasons.OUT_OF_TIME, "Time: {} because the negotiator ran out of time."),
        (
            reasons.OUT_OF_STEPS,
            "Time: {} because the expressions of the owner's jobs took too long: the next cycle continues with them.",
        ),
        ("another reason", "another reason: {}."),
    ],
)
def test_what_a_reason_means(text: str, said: str) -> None:
    ann = busy(group="g", reasons={text: Reason(120, 1500)})
    times = times_of(ann=ann)
    times.groups["g"] = GroupPast(1.0, 3.0)
    assert told(times) == [said.format("for 2 min up to 1,500 jobs waited")]
    ann.reasons[text].jobs = 1
    assert told(times) == [said.format("for 2 min up to 1 job waited")]


def test_the_reason_that_lasted_longest_comes_first() -> None:
    ann = busy(reasons={"a": Reason(60, 2), "b": Reason(180, 2), "c": Reason(120, 2)}, lost={B: 1, C: 2})
    ann.meanwhile = {f"u{number}@x": 100.0 * number for number in range(1, 8)}
    ann.stretches = 100
    assert [line.partition(":")[0] for line in told(times_of(ann=ann))][:3] == ["b", "c", "a"]
    assert told(times_of(ann=ann))[3:] == [
        "While jobs waited, others held on average (slot weight): u7@x 7, u6@x 6, u5@x 5, u4@x 4 and u3@x 3.",
        "Preemption: 2 slots of ann@x went to cid@x.",
        "Preemption: 1 slot of ann@x went to bob@x.",
    ]


def test_a_quota_of_a_group_that_is_not_on_record() -> None:
    ann = busy(reasons={reasons.QUOTA_REACHED: Reason(120, 2)})
    assert told(times_of(ann=ann)) == [
        "Group quota: for 2 min up to 2 jobs waited because the quota of the group was reached (accounting group quota "
        "reached)."
    ]


def test_ceilings_drains_and_time_of_which_nothing_is_known() -> None:
    ceiling = "Ceiling: ann@x may use {} slot weight at most (condor_userprio -setceiling)."
    for value in (0, 2):
        assert told(times_of(ann=busy(ceiling=float(value)))) == [ceiling.format(value)]
    times = times_of(ann=busy())
    times.drained = 0.02 * times.weight
    assert told(times) == []
    times.drained = 0.5 * HOUR
    assert told(times) == ["Drains: 0.5 slot weight hours of the pool were drained, for all users."]
    for known, span in ((HOUR - 72, ""), (HOUR - 73, "1 min 13 s"), (HOUR - 600, "10 min")):
        times = times_of(ann=busy(waiting=known))
        times.known = known
        said = f"Of {span} of this time nothing is known: no schedd sent its demand to the negotiator."
        assert told(times) == ([said] if span else []), known
    short = times_of(ann=busy(waiting=40))
    short.end, short.known = short.begin + 100, 40
    assert told(short) == [], "a minute is not worth a sentence"


def test_the_table_and_the_use() -> None:
    ann = busy(
        matched=3, lost={B: 1, C: 2}, share=0.25 * HOUR, real=2.0 * HOUR, factor=10.0 * HOUR, entitled=0.5 * HOUR
    )
    bob, cid = Past(used=1.5 * HOUR), Past(used=1.0 * HOUR)
    times = times_of(ann=ann, bob=bob, cid=cid)
    found = list(explain.lines(times, A, {B: Versus(), C: Versus()}))
    assert found[2].split("  ")[0] == "Submitter"
    assert found[2].split() == [
        "Submitter", "Used", "Due", "Entitled", "Asked", "For", "Jobs", "Waited", "Matches", "Lost", "Share",
        "Priority",
    ]  # fmt: skip
    assert found[3].split() == [A, "1", "2", "0.5", "4", "1", "h", "3", "3", "25.0%", "20.00"]
    assert found[4].split() == [B, "1.5", "0", "0", "0", "0", "s", "0", "0", "0.0%", "0.00"]
    use = "ann@x used 1 of the 4 slot weight hours of the pool"
    assert found[8] == f"{use}, bob@x 1.5 and cid@x 1. Why:"
    assert list(explain.lines(times, A, {B: Versus()}))[7] == f"{use}, bob@x 1.5. Why:"
    assert list(explain.lines(times, A, {}))[6] == f"{use}; no other user used more. Why:"


def test_who_is_compared() -> None:
    users = {f"u{number}@x": Past(used=float(number)) for number in range(8)}
    times = Times(submitters=users)
    assert explain.more_use(times, "u1@x") == ["u7@x", "u6@x", "u5@x", "u4@x", "u3@x"]
    assert explain.more_use(times, "u6@x") == ["u7@x"]
    assert explain.compared(times, "u7@x", []) == []
    assert explain.compared(times, "u1@x", ["u2@x", "u1@x", "nobody@x"]) == ["u2@x"]


# -- over time


def test_points_are_written_at_the_next_update() -> None:
    def setting(key: str, name: str, value: str, op: int = 103) -> Change:
        return Change(op, key, name, value)

    ann, bob = f"Customer.{A}", f"Customer.{B}"
    found = history.series(
        [
            setting(ann, "Priority", "3.0"),
            setting("Accountant.", "LastUpdateTime", "100"),
            setting(bob, "WeightedResourcesUsed", "4.0"),
            setting(bob, "ResourcesUsed", "9.0"),
            setting(bob, "Priority", "7.0", op=104),
            setting("Customer.group", "Priority", "9.0"),
            setting("Resource.a@x", "Priority", "9.0"),
            setting("Accountant.", "LastUpdateTime", "160"),
            setting(ann, "Priority", "0.25"),
        ]
    )
    assert found == {A: [Point(100, 3.0, 0.0), Point(160, 0.5, 0.0)], B: [Point(100, 0.5, 4.0)]}


def test_records_count_where_the_log_has_the_same_time() -> None:
    points = {A: [Point(0, 1.0, 1.0), Point(50, 2.0, 2.0), Point(350, 3.0, 3.0)], B: [Point(120, 9.0, 9.0)]}
    records = [
        CycleRecord(100, 200, submitters={A: SubmitterRecord(real=5.0, used=300.0)}),
        CycleRecord(200, 300, submitters={A: SubmitterRecord(real=6.0, used=100.0)}),
    ]
    assert history.stretches(points, records, 0, 1000) == {
        A: [
            Stretch(0, 50, 1.0, 1.0), Stretch(50, 100, 2.0, 2.0), Stretch(100, 200, 5.0, 3.0),
            Stretch(200, 300, 6.0, 1.0), Stretch(300, 350, 2.0, 2.0), Stretch(350, 351, 3.0, 3.0),
        ]
    }  # fmt: skip
    assert history.stretches(points, records, 200, 330) == {
        A: [Stretch(200, 300, 6.0, 1.0), Stretch(300, 330, 2.0, 2.0)]
    }
    assert history.stretches({B: points[B]}, [], 120, 121) == {B: [Stretch(120, 121, 9.0, 9.0)]}
    assert history.stretches({B: points[B]}, [], 121, 200) == {}
    instant = [CycleRecord(100, 100, submitters={A: SubmitterRecord(used=7.0)})]
    assert history.stretches({}, instant, 100, 101) == {A: [Stretch(100, 100, 0.5, 7.0)]}
    assert history.stretches({}, instant, 0, 100) == {}


def test_charts_have_the_mean_of_each_bin_and_who_used_most_first() -> None:
    charts = Charts({A: [Stretch(0, 1, 4.0, 2.0), Stretch(1, 2, 8.0, 6.0)], B: [Stretch(1, 2, 1.0, 9.0)]})
    assert (charts.begin, charts.end, charts.width) == (0, 2, 1)
    assert [(one.name, one.values) for one in charts.use] == [(B, [None, 9.0]), (A, [2.0, 6.0])]
    assert [(one.name, one.values) for one in charts.priority] == [(B, [None, 1.0]), (A, [4.0, 8.0])]
    long = Charts({A: [Stretch(0, 240, 1.0, 1.0), Stretch(240, 1200, 3.0, 1.0)]})
    assert (long.width, long.end, len(long.use[0].values)) == (5, 1200, 240)
    even = Charts({B: [Stretch(5, 9, 1.0, 1.0)], A: [Stretch(5, 9, 1.0, 1.0)]})
    assert [one.name for one in even.use] == [A, B]


def test_only_so_many_have_a_line() -> None:
    many = {f"u{number:02d}@x": [Stretch(0, 10, 1.0, float(number))] for number in range(23)}
    charts = Charts(many)
    assert [one.name for one in charts.use] == [f"u{number:02d}@x" for number in range(22, 2, -1)]
    lines = list(text_lines(charts, 80, "12345678"))
    assert lines[-1] == "and 3 more with less use: name those to be shown"
    assert lines[0] == "Real priority (smaller is better), from 0 to 1"
    assert "Slot weight in use, from 0 to 22" in lines
    assert not list(text_lines(Charts({A: many["u01@x"]}), 80, "12345678"))[-1].startswith("and")


# -- other quotas


def settings(*groups: GroupSettings) -> NegotiatorSettings:
    return NegotiatorSettings().changed(groups=groups)


def test_quotas_are_a_tree() -> None:
    """A dynamic quota is a part of its parent's; what no group has is of the users without one."""
    groups = settings(
        GroupSettings("math", 4.0), GroupSettings("math.logic", 0.25, dynamic=True), GroupSettings("bio", 2.0)
    )
    asked = {"math": 9.0, "math.logic": 0.5, "bio": -5.0, "<none>": 1.0}
    found = quotas.quotas(groups.changed(allow_quota_oversubscription=False), asked, 10.0, {})
    assert [(one.name, one.depth, one.configured, one.dynamic, one.surplus) for one in found] == [
        ("bio", 0, 2.0, False, False), ("math", 0, 4.0, False, False), ("math.logic", 1, 0.25, True, False),
        ("<none>", 0, 4.0, False, True),
    ]  # fmt: skip
    assert [(one.quota, one.subtree, one.requested) for one in found] == [
        (2.0, 2.0, 0.0), (3.0, 4.0, 9.0), (1.0, 1.0, 0.5), (4.0, 4.0, 1.0),
    ]  # fmt: skip
    assert [one.given for one in found] == [0.0, 3.5, 0.5, 1.0], "a parent has what a subgroup does not ask for"
    assert quotas.quotas(groups, asked, 10.0, {})[1].quota == 4.0, "with oversubscription"


def test_surplus_and_other_quotas() -> None:
    groups = settings(GroupSettings("bio", 2.0), GroupSettings("math", 4.0, accept_surplus=True))
    found = {one.name: one for one in quotas.quotas(groups, {"math": 99.0}, 10.0, {"bio": 5.0})}
    assert (found["bio"].configured, found["bio"].quota, found["math"].surplus) == (5.0, 5.0, True)
    assert found["math"].given == 10.0, "all that others do not ask for"
    regroup = quotas.quotas(settings(GroupSettings("bio", 2.0, autoregroup=True)), {}, 10.0, {})
    assert regroup[0].surplus


def test_quotas_in_the_records() -> None:
    ads = [
        ClassAd({"Name": "math", "IsAccountingGroup": True, "EffectiveQuota": 1.0, "Requested": 2.5}),
        ClassAd({"Name": "bio", "IsAccountingGroup": True}), ClassAd({"Name": "ann@x", "Requested": 7.0}),
    ]  # fmt: skip
    assert quotas.requested_of(ads) == {"math": 2.5, "bio": 0.0}
    one = quotas.Quota("math", 0, 3.0, False, False, 3.0, 3.0, 0.0, 0.0)
    changed = quotas.with_quotas(ads, [one, one._replace(name="ann@x")])
    assert [ad.eval_real("EffectiveQuota", -1.0) for ad in changed] == [3.0, -1.0, -1.0]
    assert ads[0].eval_real("EffectiveQuota", 0.0) == 1.0, "the records themselves stay"


# -- other factors


def account(name: str, **more: Any) -> ClassAd:
    common = {"Name": name, "IsAccountingGroup": False, "Priority": 2000.0, "PriorityFactor": 1000.0}
    return ClassAd(common | {"LastUsageTime": 500, "ResourcesUsed": 0} | more)


def test_users_of_the_records() -> None:
    ads = [
        account(A), account(B, LastUsageTime=499, Priority=100.0), account(C, LastUsageTime=5, ResourcesUsed=1),
        account("g", IsAccountingGroup=True), account("d@x", Ceiling=0, AccountingGroup="g", PriorityFactor=0.5),
    ]  # fmt: skip
    assert whatif.users_of(ads, 500) == {
        A: whatif.User(2.0, 1000.0), C: whatif.User(2.0, 1000.0), "d@x": whatif.User(2000.0, 1.0, 0.0, "g"),
    }  # fmt: skip
    assert whatif.users_of(ads, 0, [B]) == {B: whatif.User(0.5, 1000.0)}
    unknown = ClassAd({"Name": A})
    assert whatif.users_of([unknown], 1) == {}
    assert whatif.users_of([unknown], 0) == {A: whatif.User(0.5, 1.0, math.inf, "<none>")}


def test_submitters_with_jobs() -> None:
    ads = [
        ClassAd({"Name": A, "IdleJobs": 1}), ClassAd({"Name": B, "RunningJobs": 1, "IdleJobs": 0}),
        ClassAd({"Name": C, "IdleJobs": 0, "RunningJobs": 0, "HeldJobs": 5}),
    ]  # fmt: skip
    assert whatif.with_jobs(ads) == frozenset((A, B))
    assert whatif.with_jobs([]) is None


def test_whom_a_word_means() -> None:
    ads = [account("ann@x", IsAccountingGroup=True), account("bob@y"), account("bob@x", PriorityFactor=5.0)]
    assert whatif.known(ads, "bob")[0] == "bob@y"
    assert whatif.known(ads, "bob@x") == ("bob@x", whatif.User(400.0, 5.0))
    with pytest.raises(CondorError, match="-whatif: ann has never submitted a job here"):
        whatif.known(ads, "ann")


def after(*changes: str) -> dict[str, float]:
    """Return the factors after changes."""
    ads = [account(A), account(B, Priority=4000.0), account(C)]
    return {name: user.factor for name, user in whatif.changed(ads, {}, changes).items()}


@pytest.mark.parametrize(
    ("changes", "factors"),
    [
        (["ann=1"], {A: 1.0}),
        (["ann=2.5"], {A: 2.5}),
        (["ann=1e3"], {A: 1000.0}),
        (["ann@x=5", "bob=7"], {A: 5.0, B: 7.0}),
        (["ann=1*cid"], {A: 1000.0, C: 1000.0}),
        (["ann=2*cid"], {A: 500.0, C: 1000.0}),
        (["ann=2*bob"], {A: 1000.0, B: 1000.0}),
        (["ann=0.5*cid"], {A: 2000.0, C: 1000.0}),
        (["ann=1000*cid"], {A: 1.0, C: 1000.0}),
        (["ann=4000*cid"], {A: 1.0, C: 4000.0}),
        (["ann=4000*bob"], {A: 1.0, B: 2000.0}),
        (["cid=10", "ann=2*cid"], {A: 5.0, C: 10.0}),
    ],
)
def test_changes_of_factors(changes: list[str], factors: dict[str, float]) -> None:
    """Shares are as 1 / (real priority x factor); the real ones are 2, bob's is 4."""
    assert after(*changes) == pytest.approx(factors)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ann=0.99", "Priority factors must be greater than or equal to 1."),
        ("ann=0*bob", "two different users and a ratio above 0 are needed"),
        ("ann=2*ann@x", "two different users and a ratio above 0 are needed"),
        ("ann=-1", "write USER=FACTOR or USER=RATIO*OTHER"),
        ("ann=5x", "write USER=FACTOR or USER=RATIO*OTHER"),
        ("=5", "write USER=FACTOR or USER=RATIO*OTHER"),
    ],
)
def test_what_is_no_change(change: str, said: str) -> None:
    with pytest.raises(CondorError, match=said.replace("*", r"\*")):
        after(change)


def test_the_weight_of_a_machine() -> None:
    slots = [
        ClassAd({"SlotID": 1, "TotalSlotCpus": 6.0}), ClassAd({"SlotID": 1, "DynamicSlot": True, "TotalSlotCpus": 2}),
        ClassAd({"SlotID": 2}), ClassAd({"TotalSlotCpus": 50}),
    ]  # fmt: skip
    assert whatif.weight_of(slots, 99.0) == 7.0
    assert whatif.weight_of([], 99.0) == 99.0


def test_groups_without_a_quota_share_evenly() -> None:
    users = {"g.a@x": whatif.User(1.0, 1.0, group="g"), "b@x": whatif.User(1.0, 1.0)}
    ads = [ClassAd({"Name": "g", "IsAccountingGroup": True, "EffectiveQuota": 0.0, "SurplusPolicy": "regroup"})]
    assert whatif.pies_of(ads, users, 8.0) == {"g": 4.0, "<none>": 4.0}
    assert whatif.pies_of([], users, 8.0) == {"g": 0.0, "<none>": 8.0}


def test_the_table_of_shares() -> None:
    before = {A: whatif.User(2.0, 1000.0), B: whatif.User(2.0, 1000.0)}
    changed = {A: whatif.User(2.0, 1000.0), B: whatif.User(2.0, 250.0)}
    found = list(whatif.lines([], before, changed, 8.0))
    assert found == [
        "User Name  Factor New Factor Share Now Share Then In Long Run",
        "--------- ------- ---------- --------- ---------- -----------",
        "bob@x     1000.00     250.00    50.00%     80.00%      66.67%",
        "ann@x     1000.00               50.00%     20.00%      33.33%",
        "Shares of a machine on which all of these have jobs waiting; nothing has been changed.",
        "To make it so: condor_userprio -setfactor bob@x 250",
    ]
    kept = "Ceilings and quotas of groups are kept."
    for user in (whatif.User(2.0, 1.0, ceiling=1.0), whatif.User(2.0, 1.0, group="g")):
        assert kept in list(whatif.lines([], {A: user}, {A: user}, 8.0))
    equal = list(whatif.lines([], before, before, 8.0))
    assert [line.split()[0] for line in equal[2:4]] == [A, B]
    assert len(equal) == 5

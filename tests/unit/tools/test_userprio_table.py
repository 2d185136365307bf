"""The table of condor_userprio: its cells, which records are shown, and in which order."""

from __future__ import annotations

from calendar import timegm
from collections.abc import Iterator
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.options import UsageError, parse
from condor_py.cli.userprio import SPECS, _midnight, _names, _wanted
from condor_py.cli.userprio.rows import NEVER, Detail, Row, Table, Wanted, arrange
from condor_py.cli.userprio.table import lines
from condor_py.lang.classad import ClassAd

NOW = timegm((2026, 11, 20, 22, 9, 23))
#: A real that sorts a group behind all others (FLT_MAX).
LAST = 3.402823466e38
WANTED = Wanted(Detail(0), True, False, False, False, NEVER)


@pytest.fixture(autouse=True)
def universal_time(spool: Spool) -> Iterator[None]:
    """Local time is UTC, which the queue of the tools sets."""
    return iter((None,))


def user(name: str = "ann@x", **attributes: Any) -> ClassAd:
    common = {"Name": name, "AccountingGroup": "<none>", "IsAccountingGroup": False, "LastUpdate": NOW}
    return ClassAd(common | {"Priority": 500.0, "PriorityFactor": 1000.0, "LastUsageTime": NOW} | attributes)


def group(name: str, **attributes: Any) -> ClassAd:
    common = {"Name": name, "AccountingGroup": "<none>", "IsAccountingGroup": True, "LastUpdate": NOW}
    return ClassAd(common | {"Priority": 500.0, "LastUsageTime": NOW} | attributes)


def table_of(ads: list[ClassAd], details: Detail, since: int = NEVER) -> Table:
    """These records in their order, with these columns and nothing left out."""
    rows = [Row(number, ad) for number, ad in enumerate(ads)]
    return Table(rows, details, False, False, False, False, since, "Regroup", NOW, len(ads))


def cell(ad: ClassAd, detail: Detail) -> str:
    """Return one cell of a record, in the width of its column."""
    head, first, second, rule, row, *_ = lines(table_of([ad], detail))
    width = len("Number of users: 1")
    assert rule[:width] == "-" * width
    assert set(rule[width + 1 :]) == {"-"}
    assert len(first) == len(second) == len(rule) == len(row)
    assert head == "Last Priority Update: 11/20 22:09"
    return row[width + 1 :]


@pytest.mark.parametrize(
    ("detail", "attributes", "shown"),
    [
        (Detail.PRIORITY, {"Priority": 1234.5}, "     1234.50"),
        (Detail.PRIORITY, {"Priority": 999999999.99}, "999999999.99"),
        (Detail.PRIORITY, {"Priority": 1000000000.0}, "       1e+09"),
        (Detail.PRIORITY, {"Priority": 1234567890123.0}, " 1.23457e+12"),
        (Detail.REAL_PRIORITY, {"Priority": 2500.0}, "    2.50"),
        (Detail.REAL_PRIORITY, {"Priority": 0.5, "PriorityFactor": 0.5}, "    1.00"),
        (Detail.REAL_PRIORITY, {"PriorityFactor": 0.0}, "        "),
        (Detail.REAL_PRIORITY, {"Priority": 1e8}, "   1e+05"),
        (Detail.FACTOR, {}, "  1000.00"),
        (Detail.FACTOR, {"PriorityFactor": 0.25}, "     0.25"),
        (Detail.FACTOR, {"PriorityFactor": 0.0}, "         "),
        (Detail.IN_USE, {"WeightedResourcesUsed": 2.6, "ResourcesUsed": 1}, "     3"),
        (Detail.IN_USE, {"ResourcesUsed": 4}, "     4"),
        (Detail.IN_USE, {"WeightedResourcesUsed": 1234567.0, "ResourcesUsed": 1}, " 1e+06"),
        (Detail.TOTAL_USAGE, {"WeightedAccumulatedUsage": 5400.0}, "        1.50"),
        (Detail.BEGIN, {"BeginUsageTime": 0}, " " * 16),
        (Detail.BEGIN, {"BeginUsageTime": 1}, " 1/01/1970 00:00"),
        (Detail.BEGIN, {"BeginUsageTime": timegm((2026, 1, 5, 3, 4, 59))}, " 1/05/2026 03:04"),
        (Detail.BEGIN, {"BeginUsageTime": NOW}, "11/20/2026 22:09"),
        (Detail.LAST, {"LastUsageTime": NOW - 3600}, "11/20/2026 21:09"),
        (Detail.LAST, {"LastUsageTime": 0}, " " * 16),
        (Detail.SINCE, {"LastUsageTime": NOW + 5}, "     <now>"),
        (Detail.SINCE, {"LastUsageTime": NOW}, "     <now>"),
        (Detail.SINCE, {"LastUsageTime": NOW - 1}, "   0+00:00"),
        (Detail.SINCE, {"LastUsageTime": NOW - 60}, "   0+00:01"),
        (Detail.SINCE, {"LastUsageTime": NOW - 86399}, "   0+23:59"),
        (Detail.SINCE, {"LastUsageTime": NOW - 90061}, "   1+01:01"),
        (Detail.REQUESTED, {"Requested": 7.0}, "         7"),
        (Detail.FLOOR, {"Floor": 0.5}, "     0.50"),
        (Detail.FLOOR, {"Floor": 0}, " " * 9),
        (Detail.CEILING, {"Ceiling": 0}, "     0.00"),
        (Detail.CEILING, {"Ceiling": -0.5}, "    -0.50"),
        (Detail.CEILING, {"Ceiling": -1}, " " * 9),
        (Detail.SURPLUS, {}, " " * 7),
        (Detail.EFFECTIVE_QUOTA, {}, " " * 9),
        (Detail.SORT_KEY, {"GroupSortKey": 2.0}, " " * 9),
        (Detail.FLOOR, {}, " " * 9),
    ],
)
def test_a_cell_of_a_user(detail: Detail, attributes: dict[str, Any], shown: str) -> None:
    assert cell(user(**attributes), detail) == shown


@pytest.mark.parametrize(
    ("detail", "attributes", "shown"),
    [
        (Detail.EFFECTIVE_QUOTA, {"EffectiveQuota": 2.5}, "     2.50"),
        (Detail.CONFIG_QUOTA, {"ConfigQuota": 0.25}, "     0.25"),
        (Detail.SUBTREE_QUOTA, {"SubtreeQuota": 20}, "    20.00"),
        (Detail.SUBTREE_QUOTA, {}, "      n/d"),
        (Detail.REQUESTED, {}, "       n/d"),
        (Detail.SORT_KEY, {}, "      n/d"),
        (Detail.SORT_KEY, {"GroupSortKey": 0.6}, "     0.60"),
        (Detail.SORT_KEY, {"GroupSortKey": 3.4e38}, "  3.4e+38"),
        (Detail.SORT_KEY, {"GroupSortKey": LAST}, "   <last>"),
        (Detail.SURPLUS, {"SurplusPolicy": "regroup"}, "Regroup"),
        (Detail.SURPLUS, {"SurplusPolicy": "ByQuota"}, "ByQuota"),
        (Detail.SURPLUS, {"SurplusPolicy": "no"}, "no     "),
        (Detail.SURPLUS, {"SurplusPolicy": "other"}, "n/a    "),
        (Detail.SURPLUS, {}, "    n/d"),
        (Detail.PRIORITY, {}, " " * 12),
        (Detail.FACTOR, {}, " " * 9),
        (Detail.TOTAL_USAGE, {}, " " * 12),
    ],
)
def test_a_cell_of_a_group(detail: Detail, attributes: dict[str, Any], shown: str) -> None:
    """A quota that a group does not have is no data; its priority decides nothing and is not shown."""
    assert cell(group("physics", **attributes), detail) == shown


@pytest.mark.parametrize("name", ["<none>", "."])
def test_users_without_a_group_take_surplus(name: str) -> None:
    assert cell(group(name, SurplusPolicy="no"), Detail.SURPLUS) == "yes    "


def test_a_use_that_is_not_yet_charged_is_from_the_last_update() -> None:
    assert Row(0, user(WeightedResourcesUsed=1.0, LastUsageTime=0)).last == NOW
    assert Row(0, user(WeightedResourcesUsed=0.0, LastUsageTime=0)).last == NEVER
    assert Row(0, user(WeightedResourcesUsed=1.0, LastUsageTime=5)).last == 5
    uncharged = ClassAd({"Name": "ann@x", "WeightedResourcesUsed": 1.0, "LastUpdate": NOW})
    assert Row(0, uncharged).has & (Detail.LAST | Detail.SINCE) == Detail.LAST | Detail.SINCE
    assert Row(0, ClassAd({"Name": "ann@x", "WeightedResourcesUsed": 1.0})).last == NEVER


def test_the_headings_are_centred_over_their_columns() -> None:
    details = Detail.SURPLUS | Detail.FACTOR | Detail.IN_USE | Detail.LAST | Detail.GROUP_ID
    _, first, second, rule, *_ = lines(table_of([user()], details))
    assert first[19:] == "Group   Use   Priority  Wghted       Last      "
    assert second[19:] == " Id   Surplus  Factor   In Use    Usage Time   "
    assert rule[19:] == "----- ------- --------- ------ ----------------"


def test_the_last_line_has_the_sums() -> None:
    ads = [
        user("ann@x", WeightedResourcesUsed=2.0, WeightedAccumulatedUsage=1800.0),
        user("bob@x", WeightedResourcesUsed=3.0, WeightedAccumulatedUsage=3600.0),
        group("g", WeightedResourcesUsed=50.0, WeightedAccumulatedUsage=99999.0),
    ]  # fmt: skip
    details = Detail.SURPLUS | Detail.PRIORITY | Detail.IN_USE | Detail.TOTAL_USAGE | Detail.LAST | Detail.SINCE
    *_, total = lines(table_of(ads, details, NOW - 90061))
    shown = ["Number of users: 2", "Regroup", " " * 12, "     5", "        1.50", "11/19/2026 21:08", "   1+01:01"]
    assert total == " ".join(shown)
    *_, total = lines(table_of(ads, Detail.LAST | Detail.SINCE))
    assert total.rstrip() == "Number of users: 2", "of all times"


def test_only_records_that_are_recent_enough_are_shown_and_counted() -> None:
    ads = [user("ann@x", LastUsageTime=NOW - 1), user("bob@x", LastUsageTime=NOW), user("cid@x", LastUsageTime=0)]
    found = list(lines(table_of(ads, Detail.FACTOR, NOW)))
    assert [line.split()[0] for line in found[4:-2]] == ["bob@x"]
    assert found[-1].startswith("Number of users: 1 ")
    assert len(list(lines(table_of(ads, Detail.FACTOR)))) == len(found) + 2


def names(ads: list[ClassAd], **wanted: Any) -> list[str]:
    """Return what the first column of the table has, in its order."""
    found = list(lines(arrange(ads, WANTED._replace(**wanted))))
    width = found[3].index(" ")
    return [line[:width].rstrip() for line in found[4:-2]]


USED = {"WeightedResourcesUsed": 1.0}
POOL = [
    user("zoe@x", Priority=300.0, **USED),
    user("ann@x", Priority=400.0, **USED),
    group("<none>", GroupSortKey=9.0, ConfigQuota=0.0, SurplusPolicy="no", WeightedAccumulatedUsage=1.0),
    group("math", GroupSortKey=2.0, ConfigQuota=1.0, SurplusPolicy="byquota", WeightedAccumulatedUsage=3.0),
    group("bio", GroupSortKey=1.0, ConfigQuota=1.0, SurplusPolicy="no", WeightedAccumulatedUsage=4.0),
    user("math.ann@x", AccountingGroup="math", Priority=200.0, WeightedAccumulatedUsage=9.0),
    user("math.bob@x", AccountingGroup="math", Priority=100.0, WeightedAccumulatedUsage=11.0),
    user("bio.cid@x", AccountingGroup="bio", Priority=50.0, WeightedAccumulatedUsage=10.0),
]


def test_users_stand_under_their_groups() -> None:
    """Groups by sort key, users by priority, the better first."""
    assert names(POOL) == [
        "bio", "  cid@x", "math", "  bob@x", "  ann@x", "<none>", "  zoe@x", "  ann@x",
    ]  # fmt: skip


def test_with_usage_alone_groups_and_users_come_by_what_they_used() -> None:
    assert names(POOL, details=Detail.USAGE) == [
        "<none>", "  zoe@x", "  ann@x", "math", "  ann@x", "  bob@x", "bio", "  cid@x",
    ]  # fmt: skip


def test_with_neither_priority_nor_usage_the_groups_come_by_name() -> None:
    """Quotas are of groups alone: no users."""
    shown = names(POOL, details=Detail.CONFIG_QUOTA, explicit_quotas=True)
    assert shown == ["<none>", "bio", "math"]
    shown = names(POOL, details=Detail.GROUP_ID)
    assert shown == ["<none>", "  ann@x", "  zoe@x", "bio", "  cid@x", "math", "  ann@x", "  bob@x"]


def test_a_flat_table_is_by_priority_alone() -> None:
    """With -grouporder the groups come first, in the order of their records."""
    shown = names(POOL, hierarchical=False, explicit_layout=True)
    assert shown == ["bio.cid@x", "math.bob@x", "math.ann@x", "zoe@x", "ann@x", "bio", "math", "<none>"]
    shown = names(POOL, hierarchical=False, explicit_layout=True, group_order=True)
    assert shown == ["<none>", "math", "bio", "bio.cid@x", "math.bob@x", "math.ann@x", "zoe@x", "ann@x"]


def test_priorities_alone_are_those_of_users() -> None:
    flat = ["bio.cid@x", "math.bob@x", "math.ann@x", "zoe@x", "ann@x"]
    assert names(POOL, details=Detail.PRIORITY) == flat
    assert names(POOL, details=Detail.PRIORITIES, hierarchical=False, explicit_layout=True) == flat
    under = names(POOL, details=Detail.PRIORITIES, explicit_layout=True)
    assert under == ["bio", "  cid@x", "math", "  bob@x", "  ann@x", "<none>", "  zoe@x", "  ann@x"]


def test_users_without_groups_are_one_list_without_quotas() -> None:
    ads = [POOL[1], POOL[0], POOL[2]]
    assert names(ads) == ["zoe@x", "ann@x"]
    assert not arrange(ads, WANTED).details & Detail.QUOTAS
    quotas = WANTED._replace(details=Detail.QUOTAS, explicit_quotas=True)
    assert arrange(ads, quotas).details & Detail.QUOTAS == Detail.QUOTAS
    own = [user("ann@x", ConfigQuota=1.0), user("bob@x")]
    assert arrange(own, WANTED).details & Detail.QUOTAS, "users may have quotas, too"
    assert names(own, details=Detail.CONFIG_QUOTA) == ["ann@x", "bob@x"]


def test_columns_of_which_no_record_tells_are_left_out() -> None:
    bare = ClassAd({"Name": "ann@x", "Priority": 5.0, "LastUpdate": NOW})
    everything = WANTED._replace(details=Detail.ALL)
    left = arrange([bare], everything).details
    gone = Detail.USAGE | Detail.FACTOR | Detail.BEGIN | Detail.LAST | Detail.SINCE | Detail.QUOTAS
    assert left == Detail.ALL & ~gone
    for attribute, detail in (
        ("PriorityFactor", Detail.FACTOR),
        ("WeightedAccumulatedUsage", Detail.USAGE),
        ("BeginUsageTime", Detail.BEGIN),
        ("LastUsageTime", Detail.LAST | Detail.SINCE),
    ):
        one = bare.copy()
        one[attribute] = 1.0
        assert arrange([one], everything).details == left | detail, attribute
    assert arrange([bare], WANTED).details == Detail.MOST & ~gone


def test_groups_without_users_are_part_of_a_flat_list() -> None:
    """The row of those without a group is left out."""
    assert names([POOL[1], POOL[2], POOL[3]]) == ["ann@x", "math"]


def test_without_any_data_there_are_users_only() -> None:
    table = arrange([ClassAd({"Name": "ann@x", "Priority": 5.0})], WANTED._replace(details=Detail.USAGE))
    assert (table.details, table.hide_users) == (Detail(0), False)


@pytest.mark.parametrize(
    ("day", "moment"),
    [(("11", "20", "2026"), (2026, 11, 20)), (("1", "2", "26"), (2026, 1, 2)), (("1", "2", "49"), (2049, 1, 2)),
     (("1", "2", "0"), (2000, 1, 2)), (("1", "2", "50"), (1950, 1, 2)), (("1", "2", "99"), (1999, 1, 2)),
     (("1", "2", "1900"), (1900, 1, 2))],
)  # fmt: skip
def test_the_day_of_activefrom(day: tuple[str, str, str], moment: tuple[int, int, int]) -> None:
    assert _midnight(day) == timegm((*moment, 0, 0, 0))


@pytest.mark.parametrize(
    ("words", "details", "layout"),
    [
        ("", Detail(0), (True, False, False)),
        ("-all", Detail.ALL, (True, False, False)),
        ("-most", Detail.MOST, (True, False, False)),
        ("-usage -flat", Detail.USAGE | Detail.BEGIN | Detail.LAST, (False, True, False)),
        ("-priority -hier", Detail.PRIORITIES, (True, True, False)),
        ("-grouporder", Detail(0), (False, True, True)),
        ("-grouporder -hier", Detail(0), (True, True, True)),
        ("-quotas -sortkey", Detail.QUOTAS | Detail.SORT_KEY, (True, False, False)),
        ("-surplus -groupid -order", Detail.SURPLUS | Detail.GROUP_ID | Detail.ORDER, (True, False, False)),
    ],
)
def test_columns_that_are_asked_for(words: str, details: Detail, layout: tuple[bool, bool, bool]) -> None:
    args = parse(SPECS[0], words.split())
    wanted = _wanted(args, _names(args))
    assert (wanted.details, wanted[1:4]) == (details, layout)
    assert wanted.explicit_quotas is any(name in words for name in ("-quotas", "-surplus"))


NEW_YEAR = timegm((2026, 1, 2, 0, 0, 0))


@pytest.mark.parametrize(
    ("words", "since"),
    [("", 1000000 - 86400), ("-allusers", NEVER), ("ann", NEVER), ("ann@x", NEVER), ("<none>", NEVER),
     ("-activefrom 1 2 2026", NEW_YEAR), ("-allusers -activefrom 1 2 26", NEW_YEAR),
     ("-activefrom 1 2 26 -allusers", NEVER)],
)  # fmt: skip
def test_since_when_users_are_shown(words: str, since: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1000000.5)
    args = parse(SPECS[0], words.split())
    assert _wanted(args, _names(args)).since == since


def test_users_by_full_and_by_short_names() -> None:
    names = _names(parse(SPECS[0], ["ann", "bob@x", "<none>"]))
    assert (names.full, names.short) == (("bob@x", "<none>"), ("ann",))
    assert [name for name in ("ann@x", "ann@y", "bob@x", "bob@y", "<none>", "math") if names.means(name)] == [
        "ann@x", "ann@y", "bob@x", "<none>",
    ]  # fmt: skip
    assert _names(parse(SPECS[0], [])).means("anything")
    for word in ("9lives", "_x"):
        with pytest.raises(UsageError):
            _names(parse(SPECS[0], [word]))


def test_records_without_a_name_or_without_any_figure_are_no_rows() -> None:
    ads = [user("ann@x"), ClassAd({"Name": "bob@x"}), ClassAd({"Priority": 5.0})]
    table = arrange(ads, WANTED)
    assert [row.name for row in table.rows] == ["ann@x"]
    assert (table.records, table.last_update) == (3, NOW)


@pytest.mark.parametrize(
    ("policies", "surplus"),
    [(("no",), ""), (("regroup", "no"), "Regroup"), (("byquota", "regroup"), "Regroup"),
     (("regroup", "byquota"), "ByQuota")],
)  # fmt: skip
def test_the_policy_of_the_pool_is_that_of_its_last_group_with_one(policies: tuple[str, ...], surplus: str) -> None:
    ads = [group(f"g{number}", SurplusPolicy=policy) for number, policy in enumerate(policies)]
    assert arrange(ads, WANTED).surplus == surplus


def test_with_regrouping_those_without_a_group_come_last() -> None:
    ads = [ad.copy() for ad in POOL]
    for ad in ads[2:5]:
        ad["GroupSortKey"] = -1.0 if ad.eval_str("Name") == "<none>" else 1.0
    assert names(ads)[0] == "<none>"
    ads[3]["SurplusPolicy"] = "regroup"
    assert names(ads)[-3] == "<none>"
    assert names(ads)[0] == "bio"


def test_the_first_column_is_as_wide_as_the_names_that_are_shown() -> None:
    def width(*ads: ClassAd, **wanted: Any) -> int:
        return list(lines(arrange(list(ads), WANTED._replace(**wanted))))[3].index(" ")

    least = len("Number of users: 1")
    assert width(user("a" * 18)) == least
    assert width(user("a" * 19)) == 19
    assert width(user("a" * 19, LastUsageTime=5), user(), since=6) == least, "not shown"
    assert width(user("a" * 19, LastUsageTime=6), user(), since=6) == 19
    assert width(user("a" * 150)) == 99
    assert width(user("\u00e4" * 10)) == 20, "bytes count"
    many = [user(f"u{number}") for number in range(10)]
    assert width(*many) == least + 1
    name = "math." + "a" * 30
    under = width(group("math", ConfigQuota=1.0), user(name, AccountingGroup="math"))
    assert under == len(name) - len("math") + 2 + 2


def test_the_title_of_the_first_column() -> None:
    def titles(**wanted: Any) -> tuple[str, str]:
        _, first, second, rule, *_ = lines(arrange(POOL, WANTED._replace(**wanted)))
        width = rule.index(" ")
        return first[:width].rstrip(), second[:width].rstrip()

    assert titles() == ("Group", "  User Name")
    assert titles(hierarchical=False) == ("", "User Name")
    quotas = {"details": Detail.CONFIG_QUOTA, "explicit_quotas": True}
    assert titles(**quotas) == ("Group", "Name")
    assert titles(**quotas, hierarchical=False) == ("", "Group Name")

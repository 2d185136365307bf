"""Accounting ads as rows: what each record has to show, its group, and the order of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntFlag
from typing import NamedTuple

from condor_py.lang.classad import ClassAd

_NONE_GROUPS = ("<none>", ".")
_LAST = 3.402823466e38  # FLT_MAX
NEVER = -1


class Detail(IntFlag):
    """The content of a column, and the data in an ad."""

    GROUP_ID = 1
    ORDER = 2
    SORT_KEY = 4
    EFFECTIVE_QUOTA = 8
    CONFIG_QUOTA = 16
    SURPLUS = 32
    SUBTREE_QUOTA = 64
    PRIORITY = 128
    REAL_PRIORITY = 256
    FACTOR = 512
    IN_USE = 1024
    TOTAL_USAGE = 2048
    BEGIN = 4096
    LAST = 8192
    SINCE = 16384
    REQUESTED = 32768
    FLOOR = 65536
    CEILING = 131072

    PRIORITIES = PRIORITY | REAL_PRIORITY | FACTOR
    USAGE = IN_USE | TOTAL_USAGE
    QUOTAS = EFFECTIVE_QUOTA | CONFIG_QUOTA | SUBTREE_QUOTA | SURPLUS | REQUESTED
    MOST = CONFIG_QUOTA | SURPLUS | PRIORITY | FACTOR | USAGE | SINCE | REQUESTED | CEILING | FLOOR
    ALL = MOST | QUOTAS | PRIORITIES | BEGIN | LAST


class Row:
    """One record. ``has`` tells what its ad had; ``group_id`` is 0 for ``<none>`` and its users, else from 1."""

    __slots__ = (
        "accumulated", "begin", "ceiling", "config_quota", "effective_quota", "factor", "floor", "group", "group_id",
        "has", "index", "is_group", "last", "name", "order", "priority", "requested", "sort_key", "subtree_quota",
        "surplus", "use",
    )  # fmt: skip

    def __init__(self, index: int, ad: ClassAd) -> None:
        self.index = index
        self.has = Detail(0)
        self.name = ad.eval_str("Name", "")
        self.group = ad.eval_str("AccountingGroup", None) or "<none>"
        self.is_group = bool(ad.eval_bool("IsAccountingGroup", False))
        self.order = 0.0
        self.priority = self._real(ad, "Priority", Detail.PRIORITY, 0.0)
        self.factor = self._real(ad, "PriorityFactor", Detail.FACTOR, 0.0)
        if self.factor > 0:
            self.has |= Detail.REAL_PRIORITY
        self.accumulated = self._real(ad, "WeightedAccumulatedUsage", Detail.USAGE, 0.0)
        held = self._real(ad, "ResourcesUsed", Detail.USAGE, 0.0)
        self.use = self._real(ad, "WeightedResourcesUsed", Detail.TOTAL_USAGE, held)
        self.ceiling = self._real(ad, "Ceiling", Detail.CEILING, -1.0)
        self.floor = self._real(ad, "Floor", Detail.FLOOR, 0.0)
        self.requested = self._real(ad, "Requested", Detail.REQUESTED, 0.0)
        self.begin = int(self._real(ad, "BeginUsageTime", Detail.BEGIN, 0.0))
        self.last = int(self._real(ad, "LastUsageTime", Detail.LAST | Detail.SINCE, 0.0)) or NEVER
        if self.use > 0 and self.last == NEVER:  # their use is charged for the first time soon
            self.last = int(ad.eval_int("LastUpdate", 0)) or NEVER
            self.has |= Detail.LAST | Detail.SINCE
        self.effective_quota = self._real(ad, "EffectiveQuota", Detail.EFFECTIVE_QUOTA, 0.0)
        self.config_quota = self._real(ad, "ConfigQuota", Detail.CONFIG_QUOTA, 0.0)
        self.subtree_quota = self._real(ad, "SubtreeQuota", Detail.SUBTREE_QUOTA, 0.0)
        self.sort_key = 0.0
        self.surplus = ""
        self.group_id = 0 if (self.name if self.is_group else self.group) in _NONE_GROUPS else -1
        if self.is_group:
            self._read_group(ad)

    def _real(self, ad: ClassAd, name: str, detail: Detail, default: float) -> float:
        value = ad.eval_real(name, None)
        if value is None:
            return default
        self.has |= detail
        return value

    def _read_group(self, ad: ClassAd) -> None:
        self.sort_key = self._real(ad, "GroupSortKey", Detail.SORT_KEY, 0.0)
        policy = ad.eval_str("SurplusPolicy", None)
        self.surplus = "no"
        if policy is not None:
            self.has |= Detail.SURPLUS
            self.surplus = {"regroup": "Regroup", "byquota": "ByQuota", "no": "no"}.get(policy.lower(), "n/a")
        # A group's priority decides nothing, so it is not shown.
        self.has &= ~Detail.PRIORITY


class Table(NamedTuple):
    """Rows in the order in which they are shown, and how.

    ``hierarchical`` puts users under their groups. ``since`` is the oldest last use (Unix seconds) that is shown,
    ``surplus`` the policy of the pool. ``records`` is the number of records, shown or not.
    """

    rows: list[Row]
    details: Detail
    hierarchical: bool
    hide_groups: bool
    hide_users: bool
    hide_none: bool
    since: int
    surplus: str
    last_update: int
    records: int


class Wanted(NamedTuple):
    """The request on the command line.

    ``explicit_quotas``: -quotas or -surplus; ``explicit_layout``: -hierarchical, -flat or -grouporder.
    """

    details: Detail
    hierarchical: bool
    explicit_layout: bool
    group_order: bool
    explicit_quotas: bool
    since: int


def arrange(ads: Sequence[ClassAd], wanted: Wanted) -> Table:
    """The table of these ads (not empty)."""
    rows = [row for index, ad in enumerate(ads) if (row := Row(index, ad)).has and row.name]
    details, layout = wanted.details or Detail.MOST, wanted.hierarchical
    hide_groups = False
    if not details & ~Detail.PRIORITIES:
        layout = layout and wanted.explicit_layout
        hide_groups = not layout
    details = _available(rows, details, wanted.explicit_quotas)
    surplus = _pool_surplus(rows)
    _number_groups(rows, details)
    shown = [row for row in rows if row.last >= wanted.since]
    grouped = any(row.group_id > 0 for row in shown)
    layout = layout and grouped
    users_have_quotas = any(
        not row.is_group and row.has & (Detail.EFFECTIVE_QUOTA | Detail.CONFIG_QUOTA) for row in rows
    )
    if (hide_groups or not grouped) and not wanted.explicit_quotas and not users_have_quotas:
        details &= ~Detail.QUOTAS
    only_quotas = bool(details & Detail.QUOTAS) and not details & ~Detail.QUOTAS and not users_have_quotas
    _sort(rows, details, layout, wanted.group_order, surplus == "Regroup")
    last_update = ads[0].eval_int("LastUpdate", 0)
    return Table(
        rows, details, layout, hide_groups, only_quotas, not grouped, wanted.since, surplus, last_update, len(ads)
    )


def _available(rows: list[Row], details: Detail, explicit_quotas: bool) -> Detail:
    """``details`` without what no record has data for."""
    has = Detail(0)
    for row in rows:
        has |= row.has
    for kind in (Detail.USAGE, Detail.FACTOR, Detail.BEGIN):
        if not has & kind:
            details &= ~kind
    if not has & Detail.LAST:
        details &= ~(Detail.LAST | Detail.SINCE)
    if not explicit_quotas and not has & Detail.QUOTAS:
        details &= ~Detail.QUOTAS
    return details


def _pool_surplus(rows: list[Row]) -> str:
    """The surplus policy of the last group that has one."""
    policies = [row.surplus for row in rows if row.is_group and row.surplus in ("Regroup", "ByQuota")]
    return policies[-1] if policies else ""


def _number_groups(rows: list[Row], details: Detail) -> None:
    """Groups get numbers by name, users those of their groups, and all a place in the hierarchical order.

    The rows are sorted for that, which decides later between those that are equal.
    """
    if not any(row.group_id < 0 for row in rows if not row.is_group):
        return
    own = _own_key(details)
    rows.sort(key=lambda row: (0, row.group_id == 0, row.name) if row.is_group else (1, False, own(row)))
    groups = [row for row in rows if row.is_group]
    have_keys = any(row.has & Detail.SORT_KEY for row in rows)
    for number, row in enumerate(groups, 1):
        row.group_id = number if row.group_id < 0 else 0
        row.order = _place(row, details, have_keys)
        row.has |= Detail.ORDER | (Detail.GROUP_ID if row.group_id else Detail(0))
    by_name = {row.name: row for row in groups}
    for row in rows:
        group = by_name.get("<none>" if row.group_id == 0 else row.group)
        if row.is_group or group is None:
            continue
        row.group_id, row.order = group.group_id, group.order
        row.has |= Detail.ORDER | (Detail.GROUP_ID if row.group_id else Detail(0))


def _place(group: Row, details: Detail, have_keys: bool) -> float:
    if details & Detail.PRIORITY:
        if have_keys:
            return group.sort_key
        return group.priority if group.group_id else _LAST
    if details & Detail.USAGE:
        return group.accumulated / 3600.0
    return float(group.group_id) if group.group_id else _LAST


def _sort(rows: list[Row], details: Detail, hierarchical: bool, group_order: bool, none_last: bool) -> None:
    """Order the rows in place."""
    own = _own_key(details)
    if hierarchical:
        by_order = bool(details & (Detail.PRIORITY | Detail.USAGE))
        rows.sort(
            key=lambda row: (
                none_last and row.group_id == 0,
                row.order if by_order else 0.0,
                row.group_id,
                not row.is_group,
                own(row),
            )
        )
    elif group_order:
        rows.sort(key=lambda row: (not row.is_group, row.index if row.is_group else own(row)))
    else:
        rows.sort(key=own)


def _own_key(details: Detail) -> Callable[[Row], float | str]:
    """Return the key that decides between rows that are otherwise equal."""
    if details & Detail.PRIORITY:
        return lambda row: row.priority
    if details & Detail.USAGE:
        return lambda row: row.accumulated
    return lambda row: row.name

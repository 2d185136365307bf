"""Accounting ads: what ``condor_userprio`` and ``condor_status -accounting`` show of the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from condor_py.core.accounts.core import Accountant
from condor_py.core.accounts.records import INTEGERS, REALS

_ALWAYS = (
    "PriorityFactor", "ResourcesUsed", "WeightedResourcesUsed", "AccumulatedUsage", "WeightedAccumulatedUsage",
    "Ceiling", "Floor",
)  # fmt: skip
_NEVER = ("Priority", "UnchargedTime", "WeightedUnchargedTime")


class GroupReport(NamedTuple):
    """Results of the last cycle for a group: quotas in slot weight, the sort key, the weight requested.

    ``surplus`` is ``regroup``, ``byquota`` or ``no``.
    """

    effective_quota: float = 0.0
    config_quota: float = 0.0
    subtree_quota: float = 0.0
    sort_key: float = 0.0
    surplus: str = "no"
    requested: float = 0.0


class SubmitterReport(NamedTuple):
    """Share of the pie and limit in slot weight of the first spin of the last cycle."""

    share: float = 0.0
    limit: float = 0.0


def accounting_ads(
    accountant: Accountant,
    groups: Mapping[str, GroupReport] | None = None,
    submitters: Mapping[str, SubmitterReport] | None = None,
) -> list[dict[str, Any]]:
    """One ad (attribute to int, float, bool or str) for every record, in the order of the records.

    Attributes still at their default are left out, as they are in the log. Priority is the effective one.
    """
    by_group, by_submitter = groups or {}, submitters or {}
    return [_ad(accountant, name, row, by_group, by_submitter) for name, row in accountant.table.rows()]


def _ad(
    accountant: Accountant,
    name: str,
    row: int,
    groups: Mapping[str, GroupReport],
    submitters: Mapping[str, SubmitterReport],
) -> dict[str, Any]:
    group = accountant.tree.group_name(name)
    ad: dict[str, Any] = {
        "Name": name,
        "LastUpdate": accountant.last_update,
        "Priority": accountant.effective_priority(name),
        "IsAccountingGroup": group is not None,
    }
    for attribute, value in accountant.table.values(row).items():
        default = REALS[attribute] if attribute in REALS else INTEGERS[attribute]
        if attribute not in _NEVER and (value != default or attribute in _ALWAYS):
            ad[attribute] = value
    if group is not None:
        ad["AccountingGroup"] = accountant.tree.parent.get(group, group)
        report = groups.get(group, GroupReport())
        ad["EffectiveQuota"] = report.effective_quota
        ad["ConfigQuota"] = report.config_quota
        ad["SubtreeQuota"] = report.subtree_quota
        ad["GroupSortKey"] = report.sort_key
        ad["SurplusPolicy"] = report.surplus
        ad["Requested"] = report.requested
    else:
        ad["AccountingGroup"] = accountant.tree.group_of(name)
        submitter = submitters.get(name, SubmitterReport())
        ad["SubmitterShare"] = submitter.share
        ad["SubmitterLimit"] = submitter.limit
    return ad

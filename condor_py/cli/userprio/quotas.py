"""Quotas of accounting groups as a tree, and what follows from another quota: the negotiator's own functions on what
the groups ask for now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from condor_py.core.accounts import ROOT, GroupTree
from condor_py.core.match.groups import Group, assign_quotas, build_tree, fair_share
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import NegotiatorSettings


class Quota(NamedTuple):
    """A group in slot weight: its ``quota`` without its subgroups and ``subtree`` with them, what its users ask for,
    and what it is given of that, surplus included. ``configured`` is the number of the knob, a part of the parent's
    quota where it is ``dynamic``. ``depth`` is 0 for a group of the root."""

    name: str
    depth: int
    configured: float
    dynamic: bool
    surplus: bool
    quota: float
    subtree: float
    requested: float
    given: float


def quotas(
    settings: NegotiatorSettings, requested: Mapping[str, float], weight: float, with_quota: Mapping[str, float]
) -> list[Quota]:
    """The groups of a pool of that slot weight, each before its subgroups, and last what no group has (``<none>``).

    ``requested`` is the slot weight that groups ask for, ``with_quota`` has other numbers for GROUP_QUOTA_ and
    GROUP_QUOTA_DYNAMIC_ of groups.
    """
    groups = tuple(group._replace(quota=with_quota.get(group.name, group.quota)) for group in settings.groups)
    found = build_tree(GroupTree(group.name for group in groups), settings.changed(groups=groups))
    for group in found.values():
        group.requested = group.wanted = max(0.0, requested.get(group.name, 0.0))
    root = found[ROOT]
    assign_quotas(root, weight, settings.allow_quota_oversubscription)
    fair_share(root)
    own = Quota(ROOT, 0, root.quota, False, True, root.quota, root.quota, root.requested, min(root.allocated, weight))
    return [*(one for child in root.children for one in _rows(child, 0, weight)), own]


def _rows(group: Group, depth: int, weight: float) -> list[Quota]:
    settings = group.settings
    row = Quota(
        group.name, depth, settings.quota, settings.dynamic, settings.accept_surplus or settings.autoregroup,
        group.quota, group.subtree_quota, group.requested, min(group.allocated, weight),
    )  # fmt: skip
    return [row, *(one for child in group.children for one in _rows(child, depth + 1, weight))]


def requested_of(ads: Sequence[ClassAd]) -> dict[str, float]:
    """Return what each group, and the root, asked for in the last cycle, in slot weight."""
    return {ad.eval_str("Name", ""): ad.eval_real("Requested", 0.0) for ad in ads if ad.eval_bool("IsAccountingGroup")}


def with_quotas(ads: Sequence[ClassAd], found: Sequence[Quota]) -> list[ClassAd]:
    """The Accounting ads with these quotas as those of the groups."""
    effective = {one.name: one.quota for one in found}
    made = []
    for ad in ads:
        name = ad.eval_str("Name", "")
        if ad.eval_bool("IsAccountingGroup") and name in effective:
            ad = ad.copy()
            ad["EffectiveQuota"] = effective[name]
        made.append(ad)
    return made

"""Sources of the Accounting ads: the log where the caller may read it, else the ads that the negotiator published."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from condor_py.lang.classad import ClassAd

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.core.accounts import Accountant, GroupReport, SubmitterReport


class Holding(NamedTuple):
    """A slot charged to a submitter: its name, and the time of the charge (Unix seconds)."""

    slot: str
    start: int


def accounting_ads(pool: Pool) -> list[ClassAd]:
    """One ad a record; empty when there are no records.

    The log is never behind; the published ads know the quotas that the last cycle worked out.
    """
    published = pool.ads("ACCOUNTING")
    accountant = load_accountant(pool)
    if accountant is None:
        return published
    from condor_py.core.accounts import accounting_ads as make_ads

    # An update that changes nothing is not written, only published.
    last_update = max((ad.eval_int("LastUpdate", 0) or 0 for ad in published), default=0)
    accountant.last_update = max(accountant.last_update, last_update)
    return [ClassAd(ad) for ad in make_ads(accountant, _reports(pool, published), _shares(published))]


def _shares(published: Iterable[ClassAd]) -> dict[str, SubmitterReport]:
    """Return the last cycle's reports on the submitters."""
    from condor_py.core.accounts import SubmitterReport

    return {
        ad.eval_str("Name", "") or "": SubmitterReport(
            ad.eval_real("SubmitterShare", 0.0) or 0.0, ad.eval_real("SubmitterLimit", 0.0) or 0.0
        )
        for ad in published
        if not ad.eval_bool("IsAccountingGroup", False)
    }


def load_accountant(pool: Pool) -> Accountant | None:
    """The accountant as the log has it; None when there is no log or the caller may not read it."""
    path = pool.paths.accountant_log
    if not os.access(path, os.R_OK):
        return None
    from condor_py.core.accounts import Accountant
    from condor_py.lang.config.builders.negotiator import accountant as accountant_knobs
    from condor_py.store.accountant_log import AccountantLog

    table = AccountantLog(path, readonly=True)
    accountant = Accountant(accountant_knobs(pool.config))
    accountant.load(table.customers(), table.resources(), table.last_update)
    return accountant


def _reports(pool: Pool, published: Iterable[ClassAd]) -> dict[str, GroupReport]:
    """Return the last cycle's reports on the groups; where it has none, the configured values."""
    from condor_py.core.accounts import GroupReport

    reports: dict[str, GroupReport] = {}
    if pool.config.list("GROUP_NAMES"):
        from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs

        for group in negotiator_knobs(pool.config).groups:
            surplus = "regroup" if group.autoregroup else "byquota" if group.accept_surplus else "no"
            reports[group.name] = GroupReport(config_quota=group.quota, surplus=surplus)
    for ad in published:
        if ad.eval_bool("IsAccountingGroup", False):
            reports[ad.eval_str("Name", "") or ""] = GroupReport(
                ad.eval_real("EffectiveQuota", 0.0) or 0.0,
                ad.eval_real("ConfigQuota", 0.0) or 0.0,
                ad.eval_real("SubtreeQuota", 0.0) or 0.0,
                ad.eval_real("GroupSortKey", 0.0) or 0.0,
                ad.eval_str("SurplusPolicy", "no") or "no",
                ad.eval_real("Requested", 0.0) or 0.0,
            )
    return reports


def holdings(accountant: Accountant, name: str) -> list[Holding]:
    """The slots charged to a submitter."""
    return [
        Holding(key.rpartition("@")[0], holding.start)
        for key, holding in accountant.holdings.items()
        if holding.submitter == name
    ]


def rolled_up(ads: list[ClassAd]) -> list[ClassAd]:
    """The ads with each group's usage that of its whole subtree (-grouprollup)."""
    groups = {ad.eval_str("Name", "") or "": ad.copy() for ad in ads if ad.eval_bool("IsAccountingGroup", False)}
    above = {name: ad.eval_str("AccountingGroup", "<none>") or "<none>" for name, ad in groups.items()}
    for name in sorted(groups, key=lambda group: (group == "<none>", -group.count("."))):
        parent = groups.get(above[name])
        if name != "<none>" and parent is not None:
            _add_up(parent, groups[name])
    return [
        groups[name] if ad.eval_bool("IsAccountingGroup", False) and (name := ad.eval_str("Name", "") or "") else ad
        for ad in ads
    ]


def _add_up(parent: ClassAd, child: ClassAd) -> None:
    for name in ("ResourcesUsed", "WeightedResourcesUsed", "AccumulatedUsage", "WeightedAccumulatedUsage"):
        total = (parent.eval_real(name, 0.0) or 0.0) + (child.eval_real(name, 0.0) or 0.0)
        parent[name] = int(total) if name == "ResourcesUsed" else total
    last = max(parent.eval_int("LastUsageTime", 0) or 0, child.eval_int("LastUsageTime", 0) or 0)
    if last:
        parent["LastUsageTime"] = last


def numbered(ads: list[ClassAd]) -> ClassAd:
    """All ads as one, its attributes numbered from 1, groups first (-legacy)."""
    merged = ClassAd()
    ordered = sorted(ads, key=lambda ad: not ad.eval_bool("IsAccountingGroup", False))
    for number, ad in enumerate(ordered, 1):
        for name, text in ad.text_items():
            if name != "LastUpdate":
                merged.set_text(f"{name}{number}", text)
    merged["LastUpdate"] = (ordered[0].eval_int("LastUpdate", 0) or 0) if ordered else 0
    merged["NumSubmittors"] = len(ordered)
    return merged


def unnumbered(merged: ClassAd) -> list[ClassAd]:
    """The ads of a numbered one; empty when it does not say how many there are (NumSubmittors)."""
    count = merged.eval_int("NumSubmittors", 0) or 0
    ads = [ClassAd() for _ in range(max(0, count))]
    for name, text in merged.text_items():
        bare = name.rstrip("0123456789")
        number = name[len(bare) :]
        if bare and number and 1 <= int(number) <= count:
            ads[int(number) - 1].set_text(bare, text)
    last_update = merged.text("LastUpdate")
    if ads and last_update is not None:
        ads[0].set_text("LastUpdate", last_update)
    return ads

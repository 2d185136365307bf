"""Who a job is charged to."""

from __future__ import annotations

from condor_py.lang.classad import ClassAd


def submitter_of(ad: ClassAd, domain: str) -> str:
    """The unit of accounting: ``[group.]user@domain`` (negotiation manual, accounting groups); ``domain`` is
    ACCOUNTING_DOMAIN."""
    group = ad.eval_str("AccountingGroup", None)
    if group:
        return f"{group}@{domain}"
    user = ad.eval_str("Owner", None) or ad.eval_str("User", None) or "nobody"
    return f"{user.partition('@')[0]}@{domain}"

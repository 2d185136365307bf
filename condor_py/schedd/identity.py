"""Who a job is charged to."""

from __future__ import annotations

from condor_py.classad import ClassAd


def submitter_of(ad: ClassAd, uid_domain: str) -> str:
    """The unit of accounting: ``[group.]user@domain`` (negotiation manual, accounting groups)."""
    group = ad.eval_str("AccountingGroup", None)
    if group:
        return f"{group}@{uid_domain}"
    return ad.eval_str("User", None) or f"{ad.eval_str('Owner', 'nobody')}@{uid_domain}"

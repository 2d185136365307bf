"""What a schedd is told of claims: of one that it got, and of all when it comes (again). And what a starter tells of a
data slot."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.core.slots.core import Startd
from condor_py.core.slots.events import StagedCatalog
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.claims import ClaimTold, Granted
from condor_py.model.messages.runs import CatalogStaged


def claim_told(claim_id: str, slot: str, submitter: str, ad: ClassAd | None, job: str, run: int) -> ClaimTold:
    """One claim, as messages have it."""
    return ClaimTold(claim_id, slot, submitter, _items(ad), job, run)


def granted(request_id: str, claim_id: str, slot: str, submitter: str, ad: ClassAd | None) -> Granted:
    """The answer to a request for a claim."""
    return Granted(id=request_id, claim=claim_id, slot=slot, submitter=submitter, ad=_items(ad))


def staged_catalog(told: CatalogStaged) -> StagedCatalog:
    """A catalog of common files, as the core has it."""
    return StagedCatalog(**{name: getattr(told, name) for name in StagedCatalog.__dataclass_fields__})


def _items(ad: ClassAd | None) -> dict[str, str]:
    return dict(ad.text_items()) if ad is not None else {}


def claims_told(core: Startd, unacknowledged: Iterable[tuple[str, str, int]], now: float) -> list[ClaimTold]:
    """Every claim. ``unacknowledged`` are (claim, job, run) of reports that the schedd may have missed: their claims
    are told as well, though they may be over."""
    claims = []
    for info in core.claims():
        ad = core.slot_ad(info.claim_id, now)
        claim = claim_told(info.claim_id, info.slot_name, info.submitter, ad, info.job, info.run)
        claims.append(claim.but(data=True, staged=info.staged) if info.data else claim)
    known = {claim.claim for claim in claims}
    for claim_id, job, run in unacknowledged:
        claims = [
            claim.but(job=job, run=run) if claim.claim == claim_id and not claim.job else claim for claim in claims
        ]
        if claim_id not in known:
            claims.append(claim_told(claim_id, "", "", None, job, run))
            known.add(claim_id)
    return claims

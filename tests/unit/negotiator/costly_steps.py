"""Steps that cost time."""

from __future__ import annotations

from negotiator_pool import job_ad

from condor_py.lang.classad import ClassAd

#: Doubles 44 times: more steps than any evaluation may take.
DOUBLING = {f"A{n}": (f"A{n - 1} + A{n - 1}",) for n in range(1, 45)}


def costly(number: int, attribute: str, owner: str = "mallory", depth: int = 44) -> ClassAd:
    """A job whose ``attribute`` takes as long as an evaluation may; no two are alike."""
    ad = job_ad(A0=number, Owner=owner, **DOUBLING)
    texts = {
        "Requirements": f"A{depth} > 0",
        "Rank": f"A{depth}",
        "RequestMemory": f"A{depth}",
        "ConcurrencyLimits": f'strcat("x", A{depth})',
        "Size": f"A{depth}",
    }
    ad.set_text(attribute, texts[attribute])
    return ad

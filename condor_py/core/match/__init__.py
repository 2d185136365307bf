"""Matching demand with slots: a snapshot of the pool in, a plan out. Pure; see ``cycle``.

Differs from HTCondor where its way follows from its distributed parts: partitionable slots are dealt by what
a match consumes, fractions of a slot left over are dealt in the same cycle, and ceilings and floors are
exact.

What has names here is imported on first use: a schedd needs the types, and not the code that deals slots.
"""

from typing import TYPE_CHECKING

from condor_py.model.later import loaded

if TYPE_CHECKING:
    from condor_py.core.match.carried import Carried
    from condor_py.core.match.cycle import Cycle, charge, match_slots, negotiate, prepare
    from condor_py.core.match.significant import significant_attributes
    from condor_py.core.match.snapshot import Request, Snapshot, SubmitterDemand

_PLACES = {
    "Carried": "carried",
    **dict.fromkeys(("Cycle", "charge", "negotiate", "match_slots", "prepare"), "cycle"),
    "significant_attributes": "significant",
    **dict.fromkeys(("Request", "Snapshot", "SubmitterDemand"), "snapshot"),
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(loaded(f"{__name__}.{_PLACES[name]}"), name)


__all__ = [
    "Carried",
    "Cycle",
    "Request",
    "Snapshot",
    "SubmitterDemand",
    "charge",
    "match_slots",
    "negotiate",
    "prepare",
    "significant_attributes",
]

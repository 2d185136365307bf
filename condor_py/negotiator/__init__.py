"""Matching demand with slots: a snapshot of the pool in, a plan out. Pure; see ``cycle``.

Differs from HTCondor where its way follows from its distributed parts: partitionable slots are dealt by what
a match consumes, fractions of a slot left over are dealt in the same cycle, and ceilings and floors are
exact.
"""

from condor_py.negotiator.carried import Carried
from condor_py.negotiator.cycle import Cycle, charge, cycle, negotiate, prepare, run
from condor_py.negotiator.significant import significant_attributes
from condor_py.negotiator.snapshot import Request, Snapshot, SubmitterDemand

__all__ = [
    "Carried",
    "Cycle",
    "Request",
    "Snapshot",
    "SubmitterDemand",
    "charge",
    "cycle",
    "negotiate",
    "prepare",
    "run",
    "significant_attributes",
]

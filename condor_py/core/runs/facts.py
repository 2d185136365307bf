"""What decides over the course of a run, read from its job ad once."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.core.runs.deferral import AT_ONCE, Deferral, deferral_of
from condor_py.core.runs.kill import PLAIN, KillRules, kill_rules
from condor_py.lang.classad import ClassAd


@dataclass(frozen=True, slots=True)
class RunFacts:
    """``job`` is its number as users know it (``cluster.proc``)."""

    job: str = ""
    deferral: Deferral = AT_ONCE
    kill: KillRules = PLAIN


def facts_of(ad: ClassAd) -> RunFacts:
    """The facts of a job ad."""
    job = f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"
    return RunFacts(job, deferral_of(ad), kill_rules(ad))

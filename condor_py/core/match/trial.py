"""Search for the cause of a failed cycle: the requests and slots that it fails with, each tried alone.

A cycle is a function of its snapshot, so that is a matter of elimination; it costs about two more cycles, and only when
one has failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from condor_py.core.match.snapshot import Request, Snapshot, SubmitterDemand
from condor_py.core.match.values import string
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Rejection

#: Characters of a fault that the log shows.
_SHOWN = 200


class Verdict(NamedTuple):
    """``snapshot`` without the requests at fault, their rejections (``fault`` set), and lines for the log."""

    snapshot: Snapshot
    rejections: tuple[Rejection, ...]
    log: tuple[str, ...]


def without_culprits(snapshot: Snapshot, run: Callable[[Snapshot], object]) -> Verdict:
    """``snapshot`` reduced to what ``run`` does not fail with."""
    log: list[str] = []
    bare = snapshot._replace(submitters=[])
    slots = [ad for ad in snapshot.slots if not _blame(run, bare._replace(slots=[ad]), f"slot {_name(ad)}", log)]
    rejections: list[Rejection] = []
    submitters = []
    for demand in snapshot.submitters:
        good = []
        for request in demand.requests:
            alone = snapshot._replace(slots=slots, submitters=[demand._replace(requests=[request])])
            reason = _blame(run, alone, f"request {request.autocluster} of {demand.name}", log)
            if reason:
                rejections += _refused(demand, request, reason)
            else:
                good.append(request)
        submitters.append(demand._replace(requests=good))
    return Verdict(snapshot._replace(slots=slots, submitters=submitters), tuple(rejections), tuple(log))


def _blame(run: Callable[[Snapshot], object], alone: Snapshot, what: str, log: list[str]) -> str:
    """Why ``alone`` fails; empty when it does not."""
    try:
        run(alone)
    except Exception as error:  # whatever its ads make of us
        reason = f"{type(error).__name__}: {error}"[:_SHOWN]
        log.append(f"ERROR {what} is left out, it cannot be judged: {reason}")
        return reason
    return ""


def _refused(demand: SubmitterDemand, request: Request, reason: str) -> list[Rejection]:
    text = f"The negotiator could not judge this job: {reason}"
    return [Rejection(job, demand.name, request.autocluster, text, fault=True) for job in request.jobs]


def _name(ad: ClassAd) -> str:
    return string(ad, "Name") or "without a name"

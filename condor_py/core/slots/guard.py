"""Guards for the turn of a slot and for an event: a failure is logged and answered, and does not affect other slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.slots.effects import Effect, KillStarter, Log
from condor_py.core.slots.events import Activate, BetterClaim, ClaimRequest, Event
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import described
from condor_py.model.messages.claims import ClaimRefused
from condor_py.model.messages.runs import RunEnded, RunUpdate, Sample
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode

#: Characters of an error that a reason shows.
_SHOWN = 200


def take(pool: Pool, slot: Slot, step: Callable[..., object], *arguments: Any) -> None:
    """Does ``step`` for a slot. When it fails, what the slot has is what it had; the next look tries again."""
    try:
        with pool.paying(slot):
            step(*arguments)
    except Exception as error:  # a policy may ask an ad anything
        pool.log(slot, f"ERROR the look at this slot failed: {described(error)}")


def payer(pool: Pool, event: Event) -> Slot | ClassAd | None:
    """The slot or job ad whose expressions ``event`` makes the startd evaluate."""
    if isinstance(event, BetterClaim):
        return event.request.job_ad
    ad = getattr(event, "job_ad", None)
    return ad if isinstance(ad, ClassAd) else pool.claims.get(getattr(event, "claim", ""))


def answer(event: Event, error: Exception) -> list[Effect]:
    """Return the answers to an event that could not be handled: a request is refused for good, and the job of a claim
    ends with its starter."""
    reason = f"The startd could not handle this job: {type(error).__name__}: {error}"[:_SHOWN]
    log = Log(f"ERROR {type(event).__name__} failed: {described(error)}")
    match event:
        case ClaimRequest():
            return [log, ClaimRefused(event.request_id, reason, fault=True)]
        case Activate():
            held = int(HoldCode.STARTD_HELD_JOB)
            return [log, RunEnded(ExitReport(event.claim, event.job, event.run, hold_code=held, hold_reason=reason))]
        case RunUpdate() | Sample():
            return [log]  # the next one may be better
    claim = getattr(event, "claim", "")
    return [log, KillStarter(claim)] if claim else [log]

"""Events of the startd's own event log (STARTD_EVENTLOG): what claims were asked for, used, vacated and given back."""

from __future__ import annotations

from condor_py.core.slots.effects import EpEvent
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.event_types import JobEventType


def tell(pool: Pool, slot: Slot, kind: JobEventType, **attributes: str) -> None:
    """Emit an event about a slot if the startd has an event log; ``attributes`` are ClassAd texts."""
    if pool.settings.events:
        pool.emit(event(slot, kind, attributes))


def event(slot: Slot | None, kind: JobEventType, attributes: dict[str, str]) -> EpEvent:
    """An event, with its attributes in the order of their names."""
    where = (slot.slot_id, slot.dslot_id) if slot is not None else (0, 0)
    return EpEvent(kind.value, kind.name, where, tuple(sorted(attributes.items(), key=lambda pair: pair[0].lower())))


def job_id(ad: ClassAd) -> str:
    """The id of a job, as ClassAd text."""
    return quote_string(f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}")


def requested(pool: Pool, slot: Slot, target: Slot | None, submitter: str, job: ClassAd) -> None:
    """A claim was asked for: ``target`` is the slot that was given, None when it was refused."""
    attributes = {"JobId": job_id(job), "RemoteUser": quote_string(submitter), "Success": "true" if target else "false"}
    if target is not None and target is not slot:
        attributes["NewSlots"] = quote_string(target.tag)
    tell(pool, slot, JobEventType.EP_REQUEST_CLAIM, **attributes)


def vacated(pool: Pool, slot: Slot, code: int, reason: str, *, kill: bool) -> None:
    """A claim has to go."""
    attributes = {"Code": str(int(code)), "Reason": quote_string(reason)}
    tell(pool, slot, JobEventType.EP_VACATE_CLAIM, **attributes, **({"Kill": "true"} if kill else {}))

"""Machines that sleep: which of them would have taken a job that no other took. Pure: ads in, attributes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.match import symmetric_match
from condor_py.model.plan import Rejection

Update = dict[str, int]


def missed(
    rejections: Iterable[Rejection], job_ads: Mapping[int, ClassAd], machines: Sequence[ClassAd], now: int
) -> dict[str, Update]:
    """Return the updates for the ads of offline slots, by Name: MachineLastMatchTime (Unix seconds) of the slot that a
    rejected job matches, and MachineMatchCount. The ad of the machine's first slot gets slot<N>_MachineLastMatchTime as
    well. Each slot is wanted by one request; jobs that cannot be judged want none."""
    free = list(machines)
    found: dict[str, Update] = {}
    for rejection in rejections:
        job = job_ads.get(rejection.autocluster)
        if job is None or rejection.fault:
            continue
        slot = next((ad for ad in free if symmetric_match(job, ad)), None)
        if slot is not None:
            free.remove(slot)
            _note(found, slot, now)
    return found


def _note(found: dict[str, Update], slot: ClassAd, now: int) -> None:
    name, number = slot.eval_str("Name", "") or "", slot.eval_int("SlotID", 0) or 0
    count = (slot.eval_int("MachineMatchCount", 0) or 0) + 1
    found.setdefault(name, {}).update(MachineLastMatchTime=now, MachineMatchCount=count)
    first = slot.eval_str("OfflinePrimarySlotName", "") or _first_slot(name)
    if first and number:
        found.setdefault(first, {})[f"slot{number}_MachineLastMatchTime"] = now


def _first_slot(name: str) -> str:
    """slot1@host for slot7@host, whatever the prefix is."""
    slot, at, host = name.partition("@")
    return f"{slot.rstrip('0123456789_')}1@{host}" if at else ""

"""``condor_q -forecast``: the machine and its jobs as the core that draws their future wants them (ours)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from condor_py.cli.waiting import emptied
from condor_py.core.match.consumption import Consumer
from condor_py.core.match.slot import Slot
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.simulate.outlook import Amounts, Likely, Room, Runs, Span, User, Waits, outlook
from condor_py.simulate.runtimes import Sample

#: A limit of the pool that the drawn machine does not know makes jobs start so much later that it shows.
_LATER = 1.5


class Waiting(NamedTuple):
    """A job that waits: its submitter, the ad of its autocluster, run times of jobs like it."""

    job: JobId
    submitter: str
    request: ClassAd
    times: Sample


class Prospect:
    """The slots of a pool and what uses them. ``priority`` gives that of a submitter: a lower one gets more."""

    def __init__(
        self, slots: Sequence[ClassAd], settings: NegotiatorSettings, priority: Callable[[str], float]
    ) -> None:
        self._priority = priority
        self._names = sorted({name for slot in slots for name in _resources(slot)})
        self._consumer = Consumer(settings)
        self._whole = [slot for slot in slots if not slot.eval_bool("DynamicSlot")]
        self._parts = [slot for slot in slots if slot.eval_bool("DynamicSlot")]
        self._empty = next((emptied(slot) for slot in self._whole if slot.eval_bool("PartitionableSlot")), None)
        self._asked: dict[int, Amounts] = {}

    def likely(
        self,
        order: Sequence[Waiting],
        passed: Callable[[ClassAd], float],
        times: Callable[[ClassAd], Sample],
        at: Mapping[JobId, float],
        worklife: float,
    ) -> dict[JobId, Likely]:
        """The spans of jobs, each user's in the order in which they wait. ``passed`` tells how long a slot's job has
        run, ``times`` what it is like. ``at`` is when the negotiator's own cycles start jobs, in seconds from now, as
        far as they were analysed; ``worklife`` is CLAIM_WORKLIFE in seconds."""
        rooms = [Room(self._amounts(slot), not slot.eval_bool("PartitionableSlot")) for slot in self._whole]
        waiting = [Waits(self._user(one.submitter), self._asks(one.request), one.times) for one in order]
        found = outlook(rooms, list(self._runs(passed, times)), waiting, worklife=worklife)
        return {
            one.job: _not_before(likely, at.get(one.job))
            for one, likely in zip(order, found, strict=True)
            if likely is not None
        }

    def _user(self, submitter: str) -> User:
        return User(submitter, self._priority(submitter))

    def _runs(self, passed: Callable[[ClassAd], float], times: Callable[[ClassAd], Sample]) -> Iterable[Runs]:
        places = {_place(slot): number for number, slot in enumerate(self._whole)}
        nothing = (0.0,) * len(self._names)
        for part in self._parts:
            if _place(part) in places:
                yield Runs(self._holder(part), places[_place(part)], self._amounts(part), passed(part), times(part))
        for number, slot in enumerate(self._whole):
            if slot.has("RemoteUser") and not slot.eval_bool("PartitionableSlot"):
                yield Runs(self._holder(slot), number, nothing, passed(slot), times(slot))

    def _holder(self, slot: ClassAd) -> User:
        return self._user(slot.eval_str("AccountingGroup") or slot.eval_str("RemoteUser") or "")

    def _amounts(self, slot: ClassAd) -> Amounts:
        return tuple(slot.eval_real(name, 0.0) for name in self._names)

    def _asks(self, ad: ClassAd) -> Amounts:
        """Return a job's share of a slot, as the negotiator rounds it. ``ad`` is that of its autocluster."""
        known = self._asked.get(id(ad))
        if known is None:
            taken = None if self._empty is None else self._consumer.of(Slot(0, self._empty, 0.0), ad)
            if taken is not None:
                known = tuple(taken.amounts.get(name, 0.0) for name in self._names)
            else:
                known = tuple(ad.eval_real(f"Request{name}", 0.0, self._empty) for name in self._names)
            self._asked[id(ad)] = known
        return known


def _not_before(likely: Likely, at: float | None) -> Likely:
    """Spans moved to where quotas, ceilings and limits let the job start, if that is clearly later."""
    middle = likely.start.middle
    if at is None or at <= max(likely.start.late, middle * _LATER):
        return likely
    factor = at / middle if middle > 0 else 1.0
    more = at - middle
    start = Span(*(value * factor for value in likely.start)) if middle > 0 else Span(at, at, at)
    return Likely(start, Span(*(value + more for value in likely.end)))


def _resources(slot: ClassAd) -> list[str]:
    names = (slot.eval_str("MachineResources") or "Cpus Memory Disk").split()
    return [name for name in names if name.lower() != "swap"]


def _place(slot: ClassAd) -> tuple[str | None, int | None]:
    return slot.eval_str("Machine"), slot.eval_int("SlotID")

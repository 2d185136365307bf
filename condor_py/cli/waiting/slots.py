"""The slots of a pool, asked about a job: what it is short of and who holds that, conditions that none meets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from condor_py.cli.waiting.reasons import JOB, Holder, Reason, Shortage, amount
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.match import requirements_match
from condor_py.lang.classad.nodes import Binary, Node, Paren
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import as_bool

#: Tells when the job on a slot is expected to end (Unix seconds; infinity: not known).
Ends = Callable[[ClassAd], float]
_FOREVER = float("inf")
#: The request for a resource, by the resource's name where that is not its own.
_REQUESTS = {"cpus": "RequestCpus", "memory": "RequestMemory", "disk": "RequestDisk", "gpus": "RequestGPUs"}


class Blocked(NamedTuple):
    """The slot that comes closest to a job, what it is short of, and its parts that hold that."""

    slot: ClassAd
    shortages: list[Shortage]
    parts: list[ClassAd]

    @property
    def for_ever(self) -> bool:
        """Whether the slot is too small even when nothing runs on it."""
        return any(found.wanted > found.total for found in self.shortages)

    def reason(self, end: Ends | None = None) -> Reason:
        """Return what is short, who holds it, and what helps."""
        what = f"{'; '.join(found.text() for found in self.shortages)} on {self.slot.eval_str('Name', '?')}"
        if self.for_ever:
            small = next(found for found in self.shortages if found.wanted > found.total)
            return Reason(f"no slot is large enough: {what}", _ask_for_less(small.name, small.total), final=True)
        short = max(self.shortages, key=lambda found: (found.wanted - found.free) / max(found.total, 1.0))
        less = f"; or {_ask_for_less(short.name, short.free)}" if short.free >= 1 else ""
        return Reason(what, f"it starts when enough of that is free{less}", holders=self._holders(short.name, end))

    def _holders(self, name: str, end: Ends | None) -> tuple[Holder, ...]:
        """Return the users who hold most of a resource."""
        shares = [(part, part.eval_real(name, 0.0)) for part in self.parts]
        return holders([(part, share) for part, share in shares if share > 0], lambda share: amount(name, share), end)


def _ask_for_less(name: str, most: float) -> str:
    request = _REQUESTS.get(name, f"Request{name.capitalize()}")
    return f"let it ask for less: condor_qedit {JOB} {request} {most:.0f}"


def holders(
    shares: Iterable[tuple[ClassAd, float]], words: Callable[[float], str], end: Ends | None
) -> tuple[Holder, ...]:
    """Return who holds slots, the largest share first. ``shares`` are slots and how much of something they have."""
    sums: dict[str, float] = {}
    slots: dict[str, list[ClassAd]] = {}
    for slot, share in shares:
        user = slot.eval_str("RemoteOwner") or slot.eval_str("RemoteUser", "")
        if user:
            sums[user] = sums.get(user, 0.0) + share
            slots.setdefault(user, []).append(slot)
    return tuple(
        _holder(user, words(sums[user]), slots[user], end) for user in sorted(sums, key=lambda user: -sums[user])
    )


def _holder(user: str, share: str, slots: Sequence[ClassAd], end: Ends | None) -> Holder:
    jobs = tuple(job for slot in slots if (job := slot.eval_str("JobId", "")))
    begun = [since for slot in slots if (since := slot.eval_int("JobStart", 0))]
    until = min((end(slot) for slot in slots), default=_FOREVER) if end is not None else _FOREVER
    return Holder(user, share, jobs, min(begun, default=0), 0 if until == _FOREVER else until)


def blocked(job: ClassAd, slots: Sequence[ClassAd]) -> Blocked | None:
    """Return why a job fits no partitionable slot now; None where it fits one, or there is none.

    ``slots`` are all slots, the dynamic ones too.
    """
    whole = [slot for slot in slots if slot.eval_bool("PartitionableSlot")]
    found = [(slot, shortages(job, slot)) for slot in whole]
    if not found or not all(short for _, short in found):
        return None
    slot, short = min(found, key=lambda pair: (_misfits(pair[1]), len(pair[1])))
    return Blocked(slot, short, _parts(slot, slots))


def _misfits(short: Iterable[Shortage]) -> int:
    return sum(found.wanted > found.total for found in short)


def shortages(job: ClassAd, slot: ClassAd) -> list[Shortage]:
    """The resources of which a partitionable slot has not enough left for a job."""
    found = []
    for name in re.split(r"[ ,\t]+", slot.eval_str("MachineResources") or "Cpus Memory Disk"):
        wanted, free = job.eval_real(f"Request{name}", None, slot), slot.eval_real(name)
        if name and wanted is not None and free is not None and wanted > free:
            found.append(Shortage(name.lower(), wanted, free, slot.eval_real(f"TotalSlot{name}", free)))
    return found


def _parts(slot: ClassAd, slots: Iterable[ClassAd]) -> list[ClassAd]:
    """The dynamic slots that were cut out of a slot."""
    place = slot.eval_str("Machine"), slot.eval_int("SlotID")
    return [
        part for part in slots
        if part.eval_bool("DynamicSlot") and (part.eval_str("Machine"), part.eval_int("SlotID")) == place
    ]  # fmt: skip


def emptied(slot: ClassAd) -> ClassAd:
    """A partitionable slot as it is when nothing runs on it; any other slot unchanged."""
    if not slot.eval_bool("PartitionableSlot"):
        return slot
    empty = slot.flat_copy()
    for name in re.split(r"[ ,\t]+", slot.eval_str("MachineResources") or "Cpus Memory Disk"):
        total = slot.eval_real(f"TotalSlot{name}") if name else None
        if total is not None:
            empty.set_real(name, total)
    return empty


def why_no_slot(job: ClassAd, slots: Sequence[ClassAd], end: Ends | None) -> list[Reason]:
    """Return why none of these slots runs a job now; none where one is free."""
    whole = [(slot, emptied(slot)) for slot in slots if not slot.eval_bool("DynamicSlot")]
    lack = blocked(job, slots)
    if lack is not None and lack.for_ever:
        return [lack.reason()]
    fitting = [(slot, empty) for slot, empty in whole if requirements_match(job, empty)]
    if not fitting:
        return [_unmet(job, [empty for _, empty in whole])]
    willing = [slot for slot, empty in fitting if requirements_match(empty, job)]
    if not willing:
        return [_refused(fitting[0][0], job)]
    awake = [slot for slot in willing if not slot.eval_bool("Offline")]
    if not awake:
        machine = willing[0].eval_str("Machine", "?")
        return [Reason(f"every machine for it sleeps, such as {machine}", f"condor_power -m {machine} wakes it")]
    if any(_is_free(slot, job) for slot in awake):
        return []
    return [_full(awake, end) if lack is None else lack.reason(end)]


def _full(slots: Sequence[ClassAd], end: Ends | None) -> Reason:
    """Return that others use what the job could use, and who they are."""
    users = holders([(slot, 1.0) for slot in slots], "{:.0f}".format, end)
    return Reason(f"all {len(slots)} slots for it are in use", "it starts when one of them is free", holders=users)


def _is_free(slot: ClassAd, job: ClassAd) -> bool:
    if slot.eval_bool("PartitionableSlot"):
        return not shortages(job, slot)
    return slot.eval_str("RemoteUser") is None


def _unmet(job: ClassAd, slots: Sequence[ClassAd]) -> Reason:
    """The conditions of Requirements that no slot meets."""
    helps = f"condor_qedit {JOB} Requirements changes them; condor_q -better-analyze {JOB} counts the slots of each"
    if not job.has("Requirements"):
        return Reason("it has no Requirements, so it matches nothing", f"condor_qedit {JOB} Requirements true", True)
    unmet = [
        unparse(node, old=False)
        for node in _conditions(job.lookup("Requirements").node)
        if not any(as_bool(job.raw(ExprTree.of(node), slot)) for slot in slots)
    ]
    if not unmet:
        return Reason("no slot meets all of its Requirements at once", helps, final=True)
    return Reason(f"no slot meets its Requirements: {' && '.join(unmet)}", helps, final=True)


def _conditions(node: Node) -> Iterator[Node]:
    """The parts of an expression that must all be true."""
    if isinstance(node, Paren) and isinstance(node.inner, (Binary, Paren)):
        yield from _conditions(node.inner)
    elif isinstance(node, Binary) and node.op == "&&":
        yield from _conditions(node.left)
        yield from _conditions(node.right)
    else:
        yield node


def _refused(slot: ClassAd, job: ClassAd) -> Reason:
    """Return why a slot's own Requirements refuse a job."""
    name, state = slot.eval_str("Name", "?"), slot.eval_str("State", "?")
    start = slot.text("Start")
    if start is not None and not as_bool(slot.raw("Start", job)):
        return Reason(f"{name} ({state}) does not accept it: START = {start}", "an administrator can change START")
    text = f"{name} ({state}) does not accept it: Requirements = {slot.text('Requirements')}"
    return Reason(text, f"condor_q -better-analyze -reverse -machine {name} shows which part")

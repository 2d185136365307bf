"""Parallel jobs in the place of others (SCHEDD_PREEMPTION_REQUIREMENTS, SCHEDD_PREEMPTION_RANK).

Only running parallel jobs make room, and only for a parallel job that the free slots cannot hold. A job that makes room
loses all its nodes. The new nodes are matched as if these had ended already; each match names all slots that have to be
left first. The rest of what becomes free then is not for other jobs in this cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from condor_py.core.match import explain, gangs
from condor_py.core.match.candidates import freed
from condor_py.core.match.consumption import slot_weight
from condor_py.core.match.session import Member, Session, Work
from condor_py.core.match.slot import Slot, parent_name
from condor_py.core.match.values import NO_RANK, as_real, as_truth, boolean, number_text, real
from condor_py.lang.classad import parse
from condor_py.model.plan import Preemption


class _Held(NamedTuple):
    """A running parallel job that may be preempted: the best rank of its slots, and all of these."""

    rank: float
    slots: Sequence[Slot]


def match(
    session: Session, member: Member, work: Work, permits: gangs.Permits, obstacles: explain.Obstacles
) -> float | None:
    """Match all nodes of a parallel job with free slots and those of other parallel jobs, as few as it takes and those
    of the highest rank first; return the weight of the slots, None where nothing was matched. OutOfSteps."""
    found = _preemptable(session, work)
    if not found or not gangs.fits(session, work, _left_by(session, found)):
        return None
    if not member.may_preempt:
        obstacles.lost = True
        return None
    most = next(n for n in range(1, len(found) + 1) if gangs.fits(session, work, _left_by(session, found[:n])))
    needed = found[:most]
    for one in found[: most - 1]:
        fewer = [other for other in needed if other is not one]
        if gangs.fits(session, work, _left_by(session, fewer)):
            needed = fewer
    return _match(session, member, work, permits, [slot for held in needed for slot in held.slots])


def _preemptable(session: Session, work: Work) -> list[_Held]:
    """The parallel jobs that may be preempted, the best first."""
    requirements, rank = session.settings.gang_preemption_requirements, session.settings.gang_preemption_rank
    if not (session.snapshot.gangs and requirements.strip() and rank.strip()):
        return []
    ads, leaving, found = session.ads_by_name(), session.leaving(), []
    serials = count(len(ads))
    for names in session.snapshot.gangs:
        held = [ads[name] for name in names if name in ads]
        slots = [Slot(next(serials), ad, slot_weight(ad, session.settings)) for ad in held]
        ranks = list(_ranks(slots, work, requirements, rank)) if leaving.isdisjoint(names) else []
        if ranks:
            found.append(_Held(max(ranks), slots))
    return sorted(found, key=lambda held: -held.rank)


def _ranks(slots: Iterable[Slot], work: Work, requirements: str, rank: str) -> Iterator[float]:
    """The ranks of the slots that may be preempted for a node."""
    allowed, order = parse(requirements), parse(rank)
    for slot in slots:
        for part in work.parts:
            if as_truth(slot.ad.raw(allowed, part.ad)):
                value = as_real(slot.ad.raw(order, part.ad), NO_RANK)
                if value != NO_RANK:
                    yield value


def _left_by(session: Session, held: Iterable[_Held]) -> list[Slot]:
    """The free slots when these jobs have ended."""
    return _free_without(session, [slot for one in held for slot in one.slots])


def _free_without(session: Session, victims: Sequence[Slot]) -> list[Slot]:
    """The free slots when the jobs on ``victims`` have ended. Those that change are copies."""
    children: dict[str, list[Slot]] = {}
    found = []
    for victim in victims:
        if boolean(victim.ad, "DynamicSlot"):
            children.setdefault(parent_name(victim.name), []).append(victim)
        else:
            found.append(Slot(victim.serial, victim.ad, victim.weight))
            found[-1].remote = ""
    for slot in session.slots:
        if not (slot.remote or slot.taken):
            found.append(_widened(slot, children[slot.name]) if slot.name in children else slot)
    return sorted(found, key=lambda slot: slot.serial)


def _widened(slot: Slot, children: Sequence[Slot]) -> Slot:
    """A partitionable slot with what some of its dynamic ones have."""
    ad = slot.ad.flat_copy()
    for resource, amount in freed(slot, children).items():
        ad.set_text(resource, number_text(real(ad, resource, 0.0) + amount))
    return Slot(slot.serial, ad, slot.weight)


def _match(
    session: Session, member: Member, work: Work, permits: gangs.Permits, victims: Sequence[Slot]
) -> float | None:
    """Match all nodes as if the jobs on ``victims`` had ended; None where something else than slots is in the way."""
    before = {slot.name: slot for slot in session.slots}
    after = _free_without(session, victims)
    matches, lines = len(session.matches), len(session.log)
    _charge_groups(session, victims, -1.0)
    try:
        with session.instead(after):
            weight = gangs.match(session, member, work, permits, explain.Obstacles())
    finally:
        _charge_groups(session, victims, 1.0)
    if weight is None:
        return None
    for slot in after:
        if slot.partitionable and before[slot.name] is not slot:
            _keep_rest(before[slot.name], slot)
    for victim in victims:
        if victim.name in before:
            before[victim.name].taken = True
    names = tuple(victim.name for victim in victims)
    session.matches[matches:] = [
        one._replace(preemption=Preemption.PRIORITY, victims=names) for one in session.matches[matches:]
    ]
    session.displace(member, work, victims, lines)
    return weight


def _charge_groups(session: Session, victims: Iterable[Slot], sign: float) -> None:
    """Count in the use of groups what the holders of ``victims`` have, or no longer have (``sign`` -1)."""
    for victim in victims:
        session.group_use[session.accountant.tree.group_of(victim.remote)] += sign * victim.weight


def _keep_rest(slot: Slot, later: Slot) -> None:
    """Leave to other jobs what is free of a slot now and will be ``later``."""
    ad = slot.ad.flat_copy()
    for resource in freed(slot, ()):
        ad.set_text(resource, number_text(min(real(slot.ad, resource, 0.0), real(later.ad, resource, 0.0))))
    slot.restore(ad, slot.taken)

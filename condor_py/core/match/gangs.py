"""Parallel jobs in a cycle: the nodes of one get their slots together, or none of them gets one.

The nodes are matched one after the other, as any jobs are. When a slot is found for each, the matches stand; else all
of them are taken back, and the cycle continues as if the job had not been there. Only free slots count: a parallel job
preempts no other. Its turn comes by the priority of its submitter; then it may have all its slots, even beyond the
submitter's share (a share smaller than the job would keep it waiting for ever), but not beyond a ceiling or a quota.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from condor_py.core.match import explain
from condor_py.core.match.candidates import Candidate, room
from condor_py.core.match.session import Member, Session, Work
from condor_py.core.match.slot import Slot
from condor_py.core.match.values import number_text, real, string
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Preemption

#: The attribute of slots that WantParallelSchedulingGroups looks at.
_GROUP = "ParallelSchedulingGroup"

#: Whether a weight on top of what the nodes before got may be taken; what is in the way is noted.
Permits = Callable[[Work, Candidate, float, explain.Obstacles], bool]


class _Before(NamedTuple):
    """A slot as it was before a node took it, or a part of it."""

    slot: Slot
    ad: ClassAd
    taken: bool


class _Attempt:
    """The state of a session when the nodes of a job began to be matched, and what changed since."""

    def __init__(self, session: Session, member: Member, works: Iterable[Work]) -> None:
        self._session, self._name, self._works = session, member.name, [(work, work.next) for work in works]
        self._use, self._group_use = session.use_of(member.name), dict(session.group_use)
        self._in_use = dict(session.limits.in_use)
        self._lengths = len(session.matches), len(session.log)
        self._rejections = dict(session.rejections)
        self._considered = session.tally.considered
        self._slots: list[_Before] = []

    def note(self, slot: Slot) -> None:
        """A node takes a slot now."""
        self._slots.append(_Before(slot, slot.ad.flat_copy() if slot.partitionable else slot.ad, slot.taken))

    def take_back(self, *, all_but_slots: bool = False) -> int:
        """Nothing has happened; ``all_but_slots``: except that the slots are taken. Return how many there are."""
        session = self._session
        for before in reversed(self._slots) if not all_but_slots else ():
            before.slot.restore(before.ad, before.taken)
        session.use[self._name], session.group_use = self._use, self._group_use
        session.limits.in_use = self._in_use
        del session.matches[self._lengths[0] :], session.log[self._lengths[1] :]
        session.rejections, session.tally.considered = self._rejections, self._considered
        for work, at in self._works:
            work.next = at
        if self._slots and not all_but_slots:
            session.look_again()
        return len(self._slots)


def reserve(session: Session, member: Member, work: Work, permits: Permits | None) -> None:
    """Keep the free slots that some nodes of a parallel job could have for the whole of it, until others end and there
    are enough. One job at a time has this, for UNUSED_CLAIM_TIMEOUT seconds; then others may use the slots for as long,
    and so on: what holds the rest of them may never end. With 0 seconds it has this without end, with fewer not at all.
    It is for a job that ``could_hold`` and that waits for nothing else. Without ``permits`` no slot is kept that is
    free now, but the schedd gives back those whose jobs end."""
    seconds, cluster = session.settings.unused_claim_timeout, work.job.cluster
    if session.reserved or seconds < 0:
        return
    past = 0
    if seconds:
        since = session.carried.reserving.get(cluster, session.snapshot.now)
        past = session.snapshot.now - since
        if not 0 <= past < 2 * seconds:
            since, past = session.snapshot.now, 0
        session.left.reserving[cluster] = since
        session.call_again(seconds - past % seconds)
    if past < seconds or not seconds:
        session.reserved = cluster
        kept = 0 if permits is None else _keep_slots(session, member, work, permits)
        session.log.append(explain.reserved_line(cluster, kept, sum(part.left for part in work.parts)))


def _keep_slots(session: Session, member: Member, work: Work, permits: Permits) -> int:
    """Take the slots that nodes could have out of this cycle; return how many."""
    attempt = _Attempt(session, member, work.parts)
    group = _group_for(session, work) if work.request.one_group else None
    weight = 0.0
    try:
        for part in work.parts:
            while part.left:
                candidate = _best(session, member, part, permits, weight, explain.Obstacles(), group)
                if candidate is None:
                    break
                attempt.note(candidate.slot)
                session.commit(member, part, candidate)
                weight += candidate.weight
    finally:
        kept = attempt.take_back(all_but_slots=True)
    return kept


def could_hold(session: Session, work: Work) -> bool:
    """Whether the slots could hold all nodes if nothing else ran."""
    return fits(session, work, _all_empty(session))


def _all_empty(session: Session) -> list[Slot]:
    """All slots as if nothing ran."""
    return [Slot(slot.serial, _emptied(slot), slot.weight) for slot in session.every_slot()]


def _group_for(session: Session, work: Work) -> str | None:
    """The first group of slots that could hold all nodes if nothing else ran."""
    empty = _all_empty(session)
    return next((group for group in _groups(empty) if _fits_all(session, work, empty, group)), None)


def fits(session: Session, work: Work, slots: Sequence[Slot]) -> bool:
    """Whether all nodes find a place on ``slots``."""
    groups = _groups(slots) if work.request.one_group else [None]
    return any(_fits_all(session, work, slots, group) for group in groups)


def _emptied(slot: Slot) -> ClassAd:
    """The ad of a slot without what is in use of it."""
    ad = slot.ad.flat_copy()
    for name in (string(ad, "MachineResources") or "Cpus Memory Disk").split() if slot.partitionable else ():
        total = real(ad, f"TotalSlot{name}", -1.0)
        if total >= 0:
            ad.set_text(name, number_text(total))
    return ad


def _fits_all(session: Session, work: Work, slots: Iterable[Slot], group: str | None) -> bool:
    """Whether each node finds a slot among ``slots``, which are used up."""
    free = [Slot(slot.serial, slot.ad, slot.weight) for slot in slots if group in (None, string(slot.ad, _GROUP))]
    for part in work.parts:
        for _ in range(part.left):
            for slot in free:
                if slot.partitionable:
                    piece = room(session.matchmaker, session.consumer, slot, part.ad)
                    if piece is not None:
                        slot.carve(piece.amounts)
                        break
                elif not slot.taken and session.matchmaker.fits(slot, part.ad):
                    slot.taken = True
                    break
            else:
                return False
    return True


def match(session: Session, member: Member, work: Work, permits: Permits, obstacles: explain.Obstacles) -> float | None:
    """Match all nodes of a parallel job; return the weight of their slots, None (and nothing has changed) where some
    find none. OutOfSteps: nothing has changed either."""
    groups = _groups(session.slots) if work.request.one_group else [None]
    for group in groups:
        weight = _match_in(session, member, work, permits, obstacles, group)
        if weight is not None:
            return weight
    return None


def _groups(slots: Iterable[Slot]) -> list[str | None]:
    """The values of ParallelSchedulingGroup of the slots."""
    return list(dict.fromkeys(name for slot in slots if (name := string(slot.ad, _GROUP))))


def _match_in(
    session: Session, member: Member, work: Work, permits: Permits, obstacles: explain.Obstacles, group: str | None
) -> float | None:
    works = work.parts
    attempt = _Attempt(session, member, works)
    weight, matched = 0.0, False
    try:
        for part in works:
            while part.left:
                candidate = _best(session, member, part, permits, weight, obstacles, group)
                if candidate is None:
                    return None
                attempt.note(candidate.slot)
                session.commit(member, part, candidate)
                weight += candidate.weight
        matched = True
        return weight
    finally:
        if not matched:
            attempt.take_back()


def _best(
    session: Session,
    member: Member,
    work: Work,
    permits: Permits,
    weight: float,
    obstacles: explain.Obstacles,
    group: str | None,
) -> Candidate | None:
    """The best free slot for the next node."""

    def permitted(candidate: Candidate, found: explain.Obstacles) -> bool:
        if candidate.preemption is not Preemption.NONE:
            return False
        if group is not None and string(candidate.slot.ad, _GROUP) != group:
            return False
        return permits(work, candidate, weight, found)

    return session.candidates(member, work).best(permitted, obstacles)

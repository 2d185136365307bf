"""Free whole slots dealt to the jobs of one request, one after the other: what most matches of a large pool are.

Where nobody is preempted, nothing is cut out of a slot and no concurrency limit counts, whether a slot may be had
depends on its weight alone, and what may not be had now may not be had later in the same turn. So a shape that weighs
too much is put aside once for all jobs of the request. ``CandidateList.best`` decides the same, job by job.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from condor_py.core.match import explain
from condor_py.core.match.allowance import Allowance
from condor_py.core.match.session import Member, Session, Work
from condor_py.core.match.shapes import Head, best_of
from condor_py.core.match.slot import Slot


class Dealer:
    """Deals the best of ``heads``, a heap of free slots (see ``Shapes.heads``), to the jobs of ``work``.

    ``room_for`` says whether the quota of the group has room for a weight; None where there is no quota.
    """

    __slots__ = ("_allowance", "_aside", "_dealt", "_heads", "_member", "_room_for", "_session", "_work")

    def __init__(
        self,
        session: Session,
        member: Member,
        work: Work,
        heads: list[Head],
        allowance: Allowance,
        room_for: Callable[[float], bool] | None,
    ) -> None:
        self._session = session
        self._member = member
        self._work = work
        self._heads = heads
        self._allowance = allowance
        self._room_for = room_for
        self._aside: list[Head] = []
        #: Slots that are not charged to anybody yet.
        self._dealt: list[Slot] = []

    def deal(self, is_late: Callable[[], bool], obstacles: explain.Obstacles) -> bool:
        """Matches until the next job may have none of the slots (False, and ``obstacles`` has what is in the way), or
        until no job, nothing of the allowance or no time is left (True)."""
        heads, name, wanted, dealt = self._heads, self._member.name, self._work.left, self._dealt
        may_take, take, room_for = self._allowance.may_take, self._allowance.take_free, self._room_for
        try:
            while (entry := best_of(heads, name)) is not None:
                slot = entry.slot
                weight = slot.weight
                if not may_take(weight) or (room_for is not None and not room_for(weight)):
                    self._aside.append(heappop(heads))
                    continue
                slot.taken = True
                dealt.append(slot)
                if room_for is not None:  # it goes by what is in use
                    wanted -= self._commit()
                if take(weight) or len(dealt) == wanted or is_late():
                    return True
            self._note(obstacles)
            return False
        finally:
            self._commit()
            for head in self._aside:
                heappush(heads, head)

    def _commit(self) -> int:
        """The next jobs get the slots that were dealt: how many."""
        session, work, count = self._session, self._work, len(self._dealt)
        if count:
            session.commit_all(self._member, work.request.jobs[work.next : work.next + count], self._dealt)
            work.next += count
            session.tally.considered += count
            self._dealt.clear()
        return count

    def _note(self, obstacles: explain.Obstacles) -> None:
        """What is in the way of the slots that were put aside."""
        for _, _, cursor in self._aside:
            if self._allowance.below_ceiling(cursor.slot.weight):
                obstacles.limit = True
            else:
                obstacles.ceiling = True

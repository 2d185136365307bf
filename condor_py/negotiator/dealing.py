"""Free whole slots dealt to the jobs of one request, one after the other: what most matches of a large pool are.

Where nobody is preempted, nothing is cut out of a slot and no concurrency limit counts, whether a slot may be had
depends on its weight alone, and what may not be had now may not be had later in the same turn. So a shape that weighs
too much is put aside once for all jobs of the request. ``CandidateList.best`` decides the same, job by job.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from condor_py.negotiator import explain
from condor_py.negotiator.allowance import Allowance
from condor_py.negotiator.session import Member, Session, Work
from condor_py.negotiator.shapes import Head, best_of
from condor_py.negotiator.slot import Slot


class Dealer:
    """Deals the best of ``heads``, a heap of free slots (see ``Shapes.heads``), to the jobs of ``work``.

    ``room_for`` says whether the quota of the group has room for a weight; None where there is no quota.
    """

    __slots__ = ("_allowance", "_aside", "_heads", "_member", "_room_for", "_session", "_work")

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

    def deal(self, is_late: Callable[[], bool], obstacles: explain.Obstacles) -> bool:
        """Matches until the next job may have none of the slots (False, and ``obstacles`` has what is in the way), or
        until no job, nothing of the allowance or no time is left (True)."""
        session, work, allowance, first = self._session, self._work, self._allowance, self._work.next
        jobs, commit = work.request.jobs, session.committer(self._member)
        try:
            for slot in iter(self._best, None):
                commit(jobs[work.next], slot)
                work.next += 1
                allowance.take(slot.weight, free=True)
                if work.next == len(jobs) or allowance.used_up or allowance.at_ceiling or is_late():
                    return True
            self._note(obstacles)
            return False
        finally:
            session.tally.considered += work.next - first
            for head in self._aside:
                heappush(self._heads, head)

    def _best(self) -> Slot | None:
        """The best slot that may be had; shapes that weigh too much are put aside."""
        heads, allowance, room_for = self._heads, self._allowance, self._room_for
        while (entry := best_of(heads, self._member.name)) is not None:
            weight = entry.slot.weight
            may = allowance.below_ceiling(weight) and allowance.fits_free(weight)
            if may and (room_for is None or room_for(weight)):
                return entry.slot
            self._aside.append(heappop(heads))
        return None

    def _note(self, obstacles: explain.Obstacles) -> None:
        """What is in the way of the slots that were put aside."""
        for _, _, cursor in self._aside:
            if self._allowance.below_ceiling(cursor.slot.weight):
                obstacles.limit = True
            else:
                obstacles.ceiling = True

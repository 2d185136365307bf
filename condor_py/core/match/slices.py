"""The pie: shares by inverse effective priority, and spins that deal the slots out by them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush

from condor_py.core.accounts import kernel
from condor_py.core.match import displacing, explain, gangs
from condor_py.core.match.allowance import EPSILON, Allowance
from condor_py.core.match.candidates import Candidate, CandidateList
from condor_py.core.match.session import Member, Session, Work
from condor_py.core.match.shapes import Head, best_of
from condor_py.core.match.slot import Slot
from condor_py.core.match.steps import OutOfSteps, check_steps
from condor_py.model.plan import Preemption


class Dealer:
    """Deals the best of ``heads``, a heap of free whole slots (see ``Shapes.heads``), to the jobs of one request
    (``work``), one after the other. Most matches of a large pool are made here.

    If no job is preempted, no slot is divided and no concurrency limit applies, only the weight of a slot decides
    whether the submitter may have it; and a slot that it may not have now it may not have later in the same turn. So a
    shape that weighs too much is put aside once for all jobs of the request. ``CandidateList.best`` decides the same,
    job by job.

    ``room_for`` returns whether the quota of the group has room for a weight; None if there is no quota.
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
        #: Slots that are not charged to a submitter yet.
        self._dealt: list[Slot] = []

    def deal(self, is_late: Callable[[], bool], obstacles: explain.Obstacles) -> bool:
        """Match until no job, no allowance or no time is left (True), or until the next job may have none of the slots
        (False; ``obstacles`` has the reasons)."""
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
                if room_for is not None:  # it reads the use of the group, which a commit changes
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
        """Give the slots that were dealt to the next jobs; return how many."""
        session, work, count = self._session, self._work, len(self._dealt)
        if count:
            session.commit_all(self._member, work.request.jobs[work.next : work.next + count], self._dealt)
            work.next += count
            session.tally.considered += count
            self._dealt.clear()
        return count

    def _note(self, obstacles: explain.Obstacles) -> None:
        """Note the obstacles of the slots that were put aside."""
        for head in self._aside:
            if self._allowance.below_ceiling(head.cursor.slot.weight):
                obstacles.limit = True
            else:
                obstacles.ceiling = True


#: A share of 4 slots may be computed as 3.99, as priorities decay every second. So a match may exceed a limit by _SLACK
#: of a slot, and all matches of a spin together by _SLACKS, unless a submitter's share is smaller than a slot.
_SLACK, _SLACKS = 0.05, 0.5


@dataclass(slots=True)
class Pie:
    """Slots that are divided among submitters (``members``) by shares. ``size`` is their slot weight, ``quota`` (of a
    group) the weight that the use of the group must not exceed. ``idle_only``: no job is preempted.

    ``run`` deals in spins. In a spin each submitter, best priority first, has one turn with fresh shares, and its first
    match may round the share up to a slot. Dealing continues until no free slot fits any request that may have it.
    """

    session: Session
    members: list[Member]
    size: float
    quota: float | None = None
    idle_only: bool = False
    #: The first share of each submitter: as a fraction of the pie, and in slot weight.
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)

    def run(self) -> None:
        """Deal the pie: first up to the floors of submitters, then all of it."""
        self.session.tally.pies += 1
        below = [m for m in self.members if m.works and self.session.use_of(m.name) < m.floor - EPSILON]
        if below:
            floors = Pie(self.session, below, self.size, self.quota)
            floors.spin(1, floor_round=True)
        if not self.session.settings.consider_preemption:
            self.members = [m for m in self.members if m.works]
        self._deal(first=True)
        while self.members and self.session.free_capacity():
            if not self._deal(first=False) and not self._extend():
                break
        self.session.log.append(explain.pie_finished_line(len(self.members)))

    def _deal(self, first: bool) -> bool:
        """Spin until a spin changes nothing. Return whether any did."""
        moved = False
        spin = 1
        while self.members and (spin == 1 or (self.session.slots_left() and self._group_room() > EPSILON)):
            if not self.spin(spin, past_limit=first and spin == 1):
                break
            moved = True
            spin += 1
        return moved

    def _extend(self) -> bool:
        """Make the pie larger if no share is left but slots are. Return False if that would not help.

        Pieces of a partitionable slot can weigh more than the slot did, if its SlotWeight is not additive.
        """
        size = sum(self.session.use_of(m.name) for m in self.members) + self.session.min_weight
        if self.quota is not None:
            size = min(size, self.quota)
        if self.session.counts_only_some:
            size = min(size, self.session.pool_size)
        if size <= self.size + EPSILON:
            return False
        self.size = size
        return True

    def _group_room(self) -> float:
        """Return the slot weight that the quota of the group leaves."""
        if self.quota is None:
            return float("inf")
        return max(0.0, self.quota - self.session.group_use[self.session.group.name])

    def spin(self, number: int, past_limit: bool = False, floor_round: bool = False) -> bool:
        """Give each submitter one turn. Return whether a match was made or a submitter left the pie. ``floor_round``:
        no submitter gets more than its floor; ``past_limit``: see ``Negotiation``."""
        session = self.session
        session.tally.spins += 1
        if number == 1:
            session.log.append(explain.PHASE_3)
        with session.tally.phase(3):
            order, limits, left = self._limits()
        session.log.append(explain.spin_line(number))
        group_room = self._group_room()
        matches_before = len(session.matches)
        slack = _SLACKS
        staying: list[Member] = []
        turns = self.members
        if number == 1:
            turns, has_small_share = self._first_turns(order, limits)
            slack = 0.0 if has_small_share else _SLACKS
        by_name = dict(zip([m.name for m in self.members], limits, strict=True))
        preempting = session.settings.consider_preemption
        for member in turns:
            use = session.use_of(member.name)
            limit = max(0.0, min(by_name[member.name], left))
            if floor_round:
                limit = min(limit, member.floor - use)
            free_limit = min(limit, group_room)
            room = member.ceiling - use
            allowance = Allowance(limit if preempting else free_limit, free_limit, room, slack=min(_SLACK, slack))
            if self._turn(member, allowance, number, left, past_limit):
                staying.append(member)
            left -= allowance.matched
            slack -= allowance.overdrawn
        has_left = len(staying) < len(self.members)
        self.members = staying
        return has_left or len(session.matches) > matches_before

    def _first_turns(self, order: Iterable[int], limits: Sequence[float]) -> tuple[list[Member], bool]:
        """Return the order of turns in the first spin, and whether a submitter with jobs has a limit below one slot.

        The first such limit in the order of priorities is rounded up to a slot, which uses up what is left for the
        others. So a submitter that has no slot at all comes before those with a smaller limit: otherwise the same
        submitter would get the rest of the pie in each cycle.
        """
        found = [(self.members[i], limits[i]) for i in order]
        owed = [limit for member, limit in found if member.idle and limit > EPSILON]
        least = self.session.min_weight * (1.0 - _SLACK) if owed else 0.0
        if not owed or min(owed) >= least:
            return [member for member, _ in found], False
        for at, (member, limit) in enumerate(found):
            if limit < least and member.idle and self.session.use_of(member.name) <= EPSILON:
                before = [place for place in range(at) if EPSILON < found[place][1] < limit]
                found.insert(before[0] if before else at, found.pop(at))
        return [member for member, _ in found], True

    def _limits(self) -> tuple[Iterable[int], array[float], float]:
        """Return the order of the turns (indices of ``members``), the limit of each member, and the sum of the
        limits."""
        count = len(self.members)
        eup = array("d", [member.eup for member in self.members])
        use = array("d", [self.session.use_of(member.name) for member in self.members])
        share, limit = array("d", bytes(8 * count)), array("d", bytes(8 * count))
        kernel.shares(eup, share)
        if self.session.settings.ignore_user_priorities:
            limit = array("d", [float("inf")] * count)
            left = float("inf")
        else:
            left = kernel.limits(share, use, self.size, limit)
        for i, member in enumerate(self.members):
            self.shares.setdefault(member.name, (share[i], share[i] * self.size))
        starved = array("d", [u / (u + w) if u + w > 0 else 0.0 for u, w in zip(use, limit, strict=True)])
        if self.session.settings.use_global_job_prios:
            prios = [-member.demand.job_prio for member in self.members]
            order: Iterable[int] = sorted(range(count), key=lambda i: (eup[i], prios[i], starved[i]))
        else:
            indices = array("q", bytes(8 * count))
            kernel.order(eup, starved, indices)
            order = indices
        return order, limit, left

    def _turn(self, member: Member, allowance: Allowance, spin: int, left: float, past_limit: bool) -> bool:
        """Give a submitter its turn, unless it has nothing to do or may take nothing. Return whether it stays in the
        pie."""
        session, idle = self.session, member.idle
        if idle == 0:
            return False
        turn = session.tally.turn(member.name, member.demand.schedd, idle)
        if session.tally.time_left(turn) <= 0:
            session.log += session.tally.no_time(turn)
            member.ended = explain.OUT_OF_TIME
            return False
        if spin > 1 and min(allowance.limit, left) < session.min_weight * (1.0 - allowance.slack) - EPSILON:
            session.log.append(explain.small_limit_line(member.name))
            member.ended = explain.LIMIT_EXCEEDED
            session.tally.share_limit[member.name] = None
            return True
        if allowance.ceiling <= EPSILON:
            session.log.append(explain.no_ceiling_room_line(member.name, allowance.ceiling))
            member.ended = explain.CEILING_REACHED
            return False
        session.log += explain.submitter_lines(turn.name, turn.schedd, int(turn.spent), int(turn.spent_by_schedd))
        with turn as deadline:
            stays = Negotiation(self, member, allowance, past_limit, deadline).run()
        if stays:
            session.tally.share_limit[member.name] = None
        return stays

    def room_for(self, weight: float) -> bool:
        """Whether the quota of the group has room for a weight. A group that uses nothing may take one slot that is
        larger than its quota."""
        room = self._group_room()
        if weight <= room + EPSILON:
            return True
        return room > EPSILON and self.session.group_use[self.session.group.name] <= EPSILON


class Negotiation:
    """The turn of one submitter in one spin: its requests in their order get slots.

    ``past_limit``: when its limit is used up, its jobs may still have slots that prefer them by RANK.
    """

    __slots__ = (
        "_allowance",
        "_blocked_by",
        "_deadline",
        "_late",
        "_limited",
        "_member",
        "_only_by_rank",
        "_past_limit",
        "_pie",
        "_refused",
        "_refused_together",
        "_session",
        "_wall",
    )

    def __init__(self, pie: Pie, member: Member, allowance: Allowance, past_limit: bool, deadline: float) -> None:
        self._deadline = deadline
        self._wall = pie.session.tally.wall
        self._late = False
        self._pie = pie
        self._session = pie.session
        self._member = member
        self._allowance = allowance
        self._past_limit = past_limit and any(not slot.taken for slot in pie.session.held)
        #: Whether the limit is used up, so that only slots that prefer a job by RANK are left for it.
        self._only_by_rank = False
        #: Whether a limit, and not the lack of fitting slots, kept a request from a match.
        self._limited = False
        #: Autoclusters that have had a rejection, and the same of parallel jobs: (autocluster, jobs) of each part.
        self._refused: set[int] = set()
        self._refused_together: set[tuple[tuple[int, int], ...]] = set()
        #: The cluster of the parallel job that those behind it wait for; 0 for none (DEDICATED_SCHEDULER_USE_FIFO).
        self._blocked_by = 0

    def run(self) -> bool:
        """Match until limit, ceiling or requests are used up. Return whether the submitter stays in the pie."""
        allowance, session = self._allowance, self._session
        for work in self._member.works:
            if work.left == 0 or (work.request.others is None and work.request.autocluster in self._refused):
                continue
            if not self._serve_within_steps(work):
                return True
        if self._member.idle == 0:
            return False
        return self._limited or (allowance.used_up and session.free_capacity())

    def _serve_within_steps(self, work: Work) -> bool:
        """Call ``_serve``, unless the owner of the jobs has no steps left. Return its result; True if steps are
        missing."""
        try:
            with work.steps:
                if not work.steps.used_up:
                    return self._serve(work)
        except OutOfSteps:
            pass
        self._session.no_steps(self._member, work)
        return True

    def _serve(self, work: Work) -> bool:
        """Match the jobs of one request; False when the turn is over."""
        allowance, session = self._allowance, self._session
        allowance.in_request = False
        candidates: CandidateList | None = None
        while work.left:
            if self._is_late():
                session.log.append(explain.deadline_line(self._member.name))
                self._member.ended = explain.OUT_OF_TIME
                return False
            self._only_by_rank = allowance.used_up
            if self._only_by_rank and not self._continues_past_limit(work):
                return False
            if allowance.at_ceiling:
                session.log.append(explain.ceiling_line(allowance.matched))
                self._member.ended = explain.CEILING_REACHED
                return False
            if candidates is None:
                if not self._only_by_rank:
                    session.log.append(explain.request_line(work.job, work.request.autocluster, work.left))
                candidates = session.candidates(self._member, work)
            if work.request.others is not None:
                self._match_together(work)
                break
            if not self._match_some(work, candidates):
                break
        return True

    def _continues_past_limit(self, work: Work) -> bool:
        """The limit is used up: return whether the turn continues with slots that prefer a job by RANK."""
        self._member.ended = explain.LIMIT_EXCEEDED
        if work.request.others is not None:
            self._reserve_later(work)
        if not self._past_limit:
            self._session.log.append(explain.limit_line(self._allowance.matched))
        return self._past_limit

    def _is_late(self) -> bool:
        """Whether the deadline of the turn has come."""
        self._late = self._late or self._wall() >= self._deadline
        return self._late

    def _match_some(self, work: Work, candidates: CandidateList) -> bool:
        """Give one or more of the next jobs their best candidates. Return False if a job was rejected."""
        heads = candidates.free_heads
        if heads is None or self._only_by_rank:
            return self._match_one(work, candidates)
        check_steps()
        obstacles = explain.Obstacles()
        room_for = None if self._pie.quota is None else self._pie.room_for
        dealer = Dealer(self._session, self._member, work, heads, self._allowance, room_for)
        if dealer.deal(self._is_late, obstacles):
            return True
        candidates.note(obstacles)
        self._rejected(work, obstacles)
        return False

    def _match_together(self, work: Work) -> None:
        """Give all nodes of a parallel job their slots, or none of them."""
        kind = tuple((part.request.autocluster, part.left) for part in work.parts)
        if self._only_by_rank or kind in self._refused_together:
            return
        if self._blocked_by:
            behind = explain.Obstacles(nodes=explain.behind(self._blocked_by))
            self._session.reject(self._member, work, behind)
            return
        obstacles = explain.Obstacles()
        weight = gangs.match(self._session, self._member, work, self._permits_node, obstacles)
        if weight is not None:
            self._allowance.take(weight, free=True)
            return
        check_steps()
        self._refused_together.add(kind)
        self._limited = self._limited or obstacles.limit
        obstacles.policy = obstacles.lost = False  # these rules are those of ordinary jobs
        if not (obstacles.concurrency or obstacles.ceiling) and self._displace(work, obstacles):
            return
        ever = gangs.could_hold(self._session, work)
        obstacles.nodes = explain.too_few_slots(sum(part.left for part in work.parts), ever=ever)
        self._session.reject(self._member, work, obstacles)
        if ever and not obstacles.is_limited:
            gangs.reserve(self._session, self._member, work, self._permits_node)
            if self._session.settings.fifo:
                self._blocked_by = work.job.cluster

    def _displace(self, work: Work, obstacles: explain.Obstacles) -> bool:
        """Give all nodes of a parallel job their slots, some of them from other parallel jobs. Return whether that
        worked."""
        weight = displacing.match(self._session, self._member, work, self._permits_node, obstacles)
        check_steps()
        if weight is not None:
            self._allowance.take(weight, free=False)
        return weight is not None

    def _reserve_later(self, work: Work) -> None:
        """Serve a parallel job of a submitter that has its share. If it is the first of the submitter's jobs, others
        may be preempted for it, and slots that the submitter gives back are kept for it."""
        if next(one for one in self._member.works if one.left) is not work:
            return
        obstacles = explain.Obstacles()
        if not self._displace(work, obstacles) and gangs.could_hold(self._session, work):
            gangs.reserve(self._session, self._member, work, None)
        if obstacles.lost:
            self._session.call_to_preempt(self._member)

    def _permits_node(self, work: Work, candidate: Candidate, taken: float, obstacles: explain.Obstacles) -> bool:
        """Whether ceiling, quota and concurrency limits let the next node have ``candidate``, in addition to the weight
        that the nodes before it have ``taken``."""
        if not self._allowance.below_ceiling(taken + candidate.weight):
            obstacles.ceiling = True
            return False
        if self._pie.quota is not None and not self._pie.room_for(candidate.weight):
            obstacles.limit = True
            return False
        return not (work.limits and self._limit_reached(work, candidate, obstacles))

    def _match_one(self, work: Work, candidates: CandidateList) -> bool:
        """Give the next job its best candidate; False when it is rejected."""
        session, obstacles = self._session, explain.Obstacles()
        candidate = None
        if not (work.limits and self._limit_reached(work, None, obstacles)):
            candidate = candidates.best(partial(self._permitted, work), obstacles)
        if candidate is not None and candidate.preemption is Preemption.PRIORITY:
            candidate = self._confirmed(work, candidates, candidate, obstacles)
        check_steps()
        if candidate is None:
            self._rejected(work, obstacles)
            return False
        session.commit(self._member, work, candidate)
        self._allowance.take(candidate.weight, candidate.preemption is Preemption.NONE)
        return True

    def _rejected(self, work: Work, obstacles: explain.Obstacles) -> None:
        """Reject the next job, and with it all others of its autocluster in this turn."""
        self._refused.add(work.request.autocluster)
        self._limited = self._limited or self._only_by_rank or obstacles.limit
        if not self._only_by_rank:
            self._session.reject(self._member, work, obstacles)

    def _confirmed(
        self, work: Work, candidates: CandidateList, candidate: Candidate, obstacles: explain.Obstacles
    ) -> Candidate | None:
        """Return ``candidate``, whose holder is to be preempted because of the priority; or the best one of a new list,
        if what the preemption depends on has changed since the list was made."""
        settings, session = self._session.settings, self._session
        stable = settings.preemption_requirements_stable and settings.preemption_rank_stable
        if stable or not session.ephemeral.changing:
            return candidate
        session.refresh(self._member, work)
        if candidates.still_preemptable(candidate):
            return candidate
        work.candidates = None
        fresh = session.candidates(self._member, work)
        return fresh.best(partial(self._permitted, work), obstacles)

    def _limit_reached(self, work: Work, candidate: Candidate | None, obstacles: explain.Obstacles) -> bool:
        """Whether a concurrency limit forbids the job: on any slot (``candidate`` None), or on one slot, as the limits
        may depend on the slot."""
        text = work.ad.raw("ConcurrencyLimits", None if candidate is None else candidate.slot.ad)
        name = self._session.limits.reached(text) if isinstance(text, str) else None
        if name is not None:
            obstacles.concurrency += (name,)
        return name is not None

    def _permitted(self, work: Work, candidate: Candidate, obstacles: explain.Obstacles) -> bool:
        """Whether limit, ceiling, quota and concurrency limits let the next job have ``candidate``."""
        allowance, weight = self._allowance, candidate.weight
        if self._only_by_rank and candidate.preemption is not Preemption.RANK:
            return False
        if self._pie.idle_only and candidate.preemption is not Preemption.NONE:
            return False
        if not allowance.below_ceiling(weight):
            obstacles.ceiling = True
            return False
        if not self._within_limit(candidate):
            obstacles.limit = True
            return False
        return not (work.limits and self._limit_reached(work, candidate, obstacles))

    def _within_limit(self, candidate: Candidate) -> bool:
        """Whether the limit of the submitter and the quota of the group let the next job have ``candidate``."""
        allowance, weight = self._allowance, candidate.weight
        if candidate.preemption is Preemption.RANK:
            return True
        free = allowance.fits_free(weight)
        if candidate.preemption is Preemption.NONE:
            return free and (self._pie.quota is None or self._pie.room_for(weight))
        # From the second match of a request on, a slot to be preempted may overshoot the limit by itself.
        return allowance.fits(weight) or (allowance.in_request and free)

"""The working state of one cycle: the slots that are left, the use of submitters, and the matches so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import compress

from condor_py.core.accounts import HELD_STATES, ROOT, Accountant
from condor_py.core.match import explain
from condor_py.core.match.asked import Asked
from condor_py.core.match.candidates import Candidate, CandidateList, freed, list_candidates
from condor_py.core.match.carried import Carried, Loss
from condor_py.core.match.consumption import Consumer, Consumption, slot_weights
from condor_py.core.match.ephemeral import Ephemeral, GroupContext
from condor_py.core.match.rank import Matchmaker
from condor_py.core.match.shapes import Shapes
from condor_py.core.match.slot import NAMES, Slot, parent_name
from condor_py.core.match.snapshot import Promise, Request, Snapshot, SubmitterDemand
from condor_py.core.match.steps import Budgets, OutOfSteps, check_steps
from condor_py.core.match.tally import Tally
from condor_py.core.match.values import as_truth, boolean, real, string
from condor_py.lang.classad import ClassAd, clock, parse
from condor_py.lang.classad.allowance import Allowance
from condor_py.lang.classad.columns import column
from condor_py.lang.classad.functions.types import strtod
from condor_py.model.ids import JobId
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.model.settings.negotiator import ConcurrencySettings, NegotiatorSettings

_NAME = re.compile(r"[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?\Z")


def parse_limits(text: str) -> Iterator[tuple[str, float]]:
    """Yield (name, units) of a ConcurrencyLimits string. Invalid names are left out; units are what C's strtod reads,
    and count 1 if they are missing or not positive."""
    for item in re.split(r"[\s,]+", text.lower()):
        name, _, units_text = item.partition(":")
        if _NAME.match(name):
            yield name, _units(units_text)


def _units(text: str) -> float:
    units = strtod(text)
    return units if units is not None and units > 0 else 1.0


class ConcurrencyLimits:
    """Concurrency limits: how many units of each named limit (licenses, for example) claimed slots and the matches of
    this cycle use, and whether there is room for more."""

    def __init__(self, settings: ConcurrencySettings, taken: Iterable[str]) -> None:
        """``taken`` are the ConcurrencyLimits strings of the slots; empty where there are none."""
        self._limits = dict(settings.limits)
        self._sets = dict(settings.set_defaults)
        self._default = settings.default
        self.in_use: dict[str, float] = {}
        for text in filter(None, taken):
            self.take(text)

    def take(self, text: str) -> None:
        """A match with these limits was made."""
        for name, units in parse_limits(text):
            self.in_use[name] = self.in_use.get(name, 0.0) + units

    def maximum(self, name: str) -> float:
        """The largest number of units of ``name`` (lower case) that may be in use."""
        limit = self._limits.get(name)
        if limit is None and "." in name:
            limit = self._sets.get(name.partition(".")[0])
        return self._default if limit is None else limit

    def reached(self, text: str) -> str | None:
        """The first limit of a ConcurrencyLimits string that has no room; None when all have."""
        for name, units in parse_limits(text):
            if self.in_use.get(name, 0.0) + units > self.maximum(name):
                return name
        return None


#: Attributes that are read from all slots at once. The limits are those that the holder of a slot uses, and those that
#: the next one will.
_ASKED = (*NAMES, "State", "ConcurrencyLimits", "PreemptingConcurrencyLimits")
#: Slot weights that differ by less are equal.
_ROUNDING = 1e-9


#: Makes one of very many without its Python constructor.
_match = partial(tuple.__new__, Match)


class Work:
    """One request of one submitter: its ad with the ephemeral attributes, and the next job to match."""

    __slots__ = ("ad", "candidates", "limits", "next", "others", "request", "steps")

    def __init__(self, request: Request, ad: ClassAd, steps: Allowance) -> None:
        self.request = request
        #: The other parts of a parallel job, which are matched together with this one.
        self.others: list[Work] = []
        self.ad = ad
        #: The budget that the evaluation of the jobs' expressions is charged to.
        self.steps = steps
        self.next = 0
        self.candidates: CandidateList | None = None
        self.limits = ad.text("ConcurrencyLimits") is not None

    @property
    def left(self) -> int:
        """Number of jobs still to be matched."""
        return len(self.request.jobs) - self.next

    @property
    def parts(self) -> list[Work]:
        """This, and what is matched together with it."""
        return [self, *self.others]

    @property
    def job(self) -> JobId:
        """The next job."""
        return self.request.jobs[self.next]


class Member:
    """A submitter in the cycle: its priority, what it may use, and its requests."""

    __slots__ = ("ceiling", "demand", "ended", "eup", "floor", "may_preempt", "name", "works")

    def __init__(self, demand: SubmitterDemand, accountant: Accountant, may_preempt: bool) -> None:
        self.demand = demand
        self.name = demand.name
        self.eup = accountant.effective_priority(demand.name)
        ceiling = accountant.ceiling(demand.name)
        self.ceiling = float("inf") if ceiling < 0 else float(ceiling)
        self.floor = float(accountant.floor(demand.name))
        self.works: list[Work] = []
        #: Whether others may lose slots to it because of its priority.
        self.may_preempt = may_preempt
        #: Why its last turn ended before all its requests were examined; empty when it had none.
        self.ended = ""

    @property
    def idle(self) -> int:
        """Number of jobs still to be matched."""
        return sum([len(part.request.jobs) - part.next for work in self.works for part in work.parts])


def wanted_slots(ads: Sequence[ClassAd], settings: NegotiatorSettings) -> Sequence[ClassAd]:
    """Return the slot ads that NEGOTIATOR_SLOT_CONSTRAINT lets take part."""
    text = settings.slot_constraint
    return [ad for ad in ads if as_truth(ad.raw(parse(text)))] if text.strip() else ads


class Session:
    """Everything that changes while a cycle runs. The accountant is only read; ``use`` starts from it."""

    def __init__(
        self,
        snapshot: Snapshot,
        accountant: Accountant,
        settings: NegotiatorSettings,
        tally: Tally,
        carried: Carried | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.accountant = accountant
        self.settings = settings
        self.tally = tally
        #: What the cycle before left, and what this one leaves.
        self.carried = carried or Carried()
        self.left = Carried()
        #: The slot weight that each group that negotiated could reach.
        self.quotas: dict[str, float] = {}
        #: The cluster of the parallel job that free slots are kept for; 0 for none.
        self.reserved = 0
        #: In how many seconds a cycle without news could do more than this one; None where none could.
        self.again: int | None = None
        self.matches: list[Match] = []
        self.rejections: dict[tuple[str, JobId], Rejection] = {}
        self.log: list[str] = []
        self._budgets = Budgets()
        self._shapes: Shapes | None = None

        self.use: dict[str, float] = {}
        #: What is used outside of the pool counts for priorities, and not for shares, quotas and limits of its slots.
        self._elsewhere = accountant.elsewhere()
        self.group_use = self._use_of_groups()
        self.group = GroupContext()
        self._grouped = bool(accountant.tree.parent)

        #: The ads and weights of all slots that take part, also of those that cannot be matched.
        self._every_ad = self._seen(wanted_slots(snapshot.slots, settings))
        self._weights = slot_weights(self._every_ad, settings)
        self.total_weight = sum(self._weights)
        asked = Asked(self._every_ad, _ASKED)
        used_limits = zip(asked.strings("ConcurrencyLimits"), asked.strings("PreemptingConcurrencyLimits"), strict=True)
        self.limits = ConcurrencyLimits(settings.concurrency, [text for pair in used_limits for text in pair])
        self.consumer = Consumer(settings)

        demands = self._taking_part(snapshot.submitters)
        requests = [part.ad for demand in demands for request in demand.requests for part in request.parts]
        self.matchmaker = Matchmaker(settings, self._every_ad, requests)
        self.ephemeral = Ephemeral(self.matchmaker.names, accountant, settings)

        self.slots = self._in_reach(asked)
        tally.slots, tally.trimmed, tally.candidates = len(self._every_ad), len(self.slots), len(self.slots)
        for slot in self.slots:
            if slot.remote or self.ephemeral.cross:
                self.ephemeral.prepare_slot(slot, self.use_of)
        self.members = [self._member(demand) for demand in demands]
        self.held = [slot for slot in self.slots if slot.remote]
        #: The slots whose ads name a user, whose attributes change with the cycle.
        self._naming_users = [slot for slot in self.slots if self.ephemeral.names_user(slot)]
        self._partitionable = [slot for slot in self.slots if slot.partitionable]
        if self.matchmaker.pslot_preemption:
            _link(self._partitionable, self.held)
        for promise in snapshot.promises:
            self._withhold(promise)

    def _use_of_groups(self) -> dict[str, float]:
        """Return the slot weight of the pool that each group uses."""
        tree = self.accountant.tree
        use = {name: self.accountant.use(name) for name in tree.names}
        for name, weight in self._elsewhere.items():
            use[tree.group_of(name)] -= weight
        return use

    def _withhold(self, promise: Promise) -> None:
        """Charge a promised slot to the submitter it is promised to, and withhold it from all others."""
        for slot in self.slots:
            if slot.name in promise.victims:
                slot.taken = True
            elif slot.name == promise.slot and slot.partitionable:
                slot.carve({name: min(amount, real(slot.ad, name, 0.0)) for name, amount in promise.amounts})
        self._charge(promise.submitter, promise.weight)

    def _seen(self, ads: Sequence[ClassAd]) -> Sequence[ClassAd]:
        """The slot ads as the cycle sees them."""
        if not self.settings.match_exprs and not any(column(ads, "negotiatorrequirements")):
            return ads
        return [self._as_seen(ad) for ad in ads]

    def _as_seen(self, ad: ClassAd) -> ClassAd:
        """Return a slot ad with NegotiatorRequirements as its Requirements, and with NEGOTIATOR_MATCH_EXPRS."""
        text = ad.text("NegotiatorRequirements")
        exprs = self.settings.match_exprs
        if text is None and not exprs:
            return ad
        copy = ad.flat_copy()
        if text is not None:
            copy.set_text("Requirements", text)
        for name, value in exprs:
            copy.set_text(name, value)
        return copy

    def _taking_part(self, demands: Iterable[SubmitterDemand]) -> list[SubmitterDemand]:
        """Return the demands of the submitters that take part, the one first that has waited longest.

        HTCondor defines no order for submitters with equal priorities. Many are equal, as none falls below 0.5, and any
        fixed order would starve the last.
        """
        found = [demand for demand in self._well_named(demands) if self._wanted_submitter(demand)]
        return sorted(found, key=lambda demand: self.accountant.last_use(demand.name))

    def _well_named(self, demands: Iterable[SubmitterDemand]) -> Iterator[SubmitterDemand]:
        """Yield the demands of submitters whose names the accountant can keep. The others are ignored, as in HTCondor,
        and their jobs get the reason."""
        for demand in demands:
            reason = explain.why_ignored(demand.name)
            if not reason:
                yield demand
                continue
            self.log.append(reason)
            for one in demand.requests:
                self.rejections[demand.name, one.jobs[0]] = Rejection(one.jobs[0], demand.name, one.autocluster, reason)

    def _wanted_submitter(self, demand: SubmitterDemand) -> bool:
        """Whether a submitter has jobs and NEGOTIATOR_SUBMITTER_CONSTRAINT lets it take part."""
        text = self.settings.submitter_constraint
        if not demand.requests and not demand.running_weight and not demand.running:
            return False
        if not text.strip():
            return True
        ad = ClassAd({"MyType": "Submitter", "HeldJobs": 0}) if demand.ad is None else demand.ad.flat_copy()
        ad.set_str("Name", demand.name)
        ad.set_str("ScheddIpAddr", demand.schedd)
        ad.set_int("IdleJobs", demand.idle)
        ad.set_int("RunningJobs", demand.running)
        ad.set_real("WeightedIdleJobs", demand.idle_weight)
        ad.set_real("WeightedRunningJobs", demand.running_weight)
        return as_truth(ad.raw(parse(text)))

    def _in_reach(self, asked: Asked) -> list[Slot]:
        """Return the slots that can be matched at all: they are free, or their holders may be preempted. ``asked`` has
        the values of all slots."""
        ads, weights = self._every_ad, self._weights
        states, partitionable = asked.strings("State"), asked.truths("PartitionableSlot")
        free = [state.lower() not in HELD_STATES or whole for state, whole in zip(states, partitionable, strict=True)]
        reached = [unheld or self._may_lose_job(ad) for ad, unheld in zip(ads, free, strict=True)]
        if self.settings.trim_shutdown_threshold > 0:
            reached = [there and not self._ends_soon(ad) for ad, there in zip(ads, reached, strict=True)]
        if not all(reached):
            ads, weights = list(compress(ads, reached)), list(compress(weights, reached))
            asked = Asked(ads, NAMES)
        return Slot.many(asked, ads, weights)

    def _may_lose_job(self, ad: ClassAd) -> bool:
        """Whether the holder of a slot may be preempted at all."""
        if not self.settings.consider_preemption:
            return False
        return self.settings.consider_early_preemption or real(ad, "RetirementTimeRemaining", 0.0) <= 0

    def _ends_soon(self, ad: ClassAd) -> bool:
        """NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD: whether the startd will have shut down that many seconds from now."""
        then = int(real(ad, "MyCurrentTime", self.snapshot.now)) + self.settings.trim_shutdown_threshold
        with clock.frozen(then):
            return boolean(ad, "DaemonShutdown") or boolean(ad, "DaemonShutdownFast")

    def _member(self, demand: SubmitterDemand) -> Member:
        waits_until = self.carried.waits_until(demand.name, self.settings.cycle_delay)
        member = Member(demand, self.accountant, may_preempt=waits_until <= self.snapshot.now)
        use = self.use[member.name] = self.use_of(member.name)
        text = self.settings.job_constraint.strip()
        for request in demand.requests:
            steps = self._budgets.of(member.name, request.ad)
            if not text or self._is_wanted(request, text, steps):
                ad = self.ephemeral.prepare_job(request.ad, member.name, member.eup, use)
                work = Work(request, ad, steps)
                for part in request.others or ():
                    ad = self.ephemeral.prepare_job(part.ad, member.name, member.eup, use)
                    work.others.append(Work(part, ad, steps))
                for each in work.parts if request.one_group else ():
                    each.ad = each.ad.flat_copy()
                    each.ad.set_bool("WantParallelSchedulingGroups", True)
                member.works.append(work)
        self._resume(member)
        return member

    def _is_wanted(self, request: Request, constraint: str, steps: Allowance) -> bool:
        """Whether NEGOTIATOR_JOB_CONSTRAINT lets a request take part, or its owner has no steps left to say."""
        with steps:
            wanted = as_truth(request.ad.raw(parse(constraint)))
        return wanted or steps.used_up

    def _resume(self, member: Member) -> None:
        """Begin with the request at which the submitter's steps ended in the cycle before."""
        first = self.carried.resume.get(member.name)
        if first is not None:
            at = next((i for i, work in enumerate(member.works) if work.request.autocluster == first), 0)
            member.works = member.works[at:] + member.works[:at]

    @cached_property
    def min_weight(self) -> float:
        """The least that a match can weigh: a whole slot, or a request's piece of a partitionable one."""
        weights = [slot.weight for slot in self.slots if not slot.partitionable]
        works = [work for member in self.members for work in member.works]
        for slot in self._partitionable:
            if slot.free:
                weights += [self._piece_weight(slot, work) for work in works]
        positive = [weight for weight in weights if weight > 0] or [weight for weight in self._weights if weight > 0]
        return min(positive, default=1.0)

    def _piece_weight(self, slot: Slot, work: Work) -> float:
        """Weight of a request's part of a partitionable slot; 0 for a request that cannot have one."""
        try:
            with work.steps:
                piece = None if work.steps.used_up else self.consumer.of(slot, work.ad)
        except OutOfSteps:
            return 0.0
        return 0.0 if piece is None else piece.weight

    # -- questions -------------------------------------------------------------------------------------------

    def use_of(self, name: str) -> float:
        """Slot weight of the pool in use by a submitter, the matches of this cycle included."""
        use = self.use.get(name)
        return self.accountant.use(name) - self._elsewhere.get(name, 0.0) if use is None else use

    @cached_property
    def pool_size(self) -> float:
        """The slot weight that shares and quotas are fractions of: that of the slots, those in use included, for which
        NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT holds."""
        if not self.counts_only_some:
            return self.total_weight
        expression = parse(self.settings.slot_pool_size_constraint)
        pairs = zip(self._every_ad, self._weights, strict=True)
        return sum(weight for ad, weight in pairs if as_truth(ad.raw(expression)))

    @property
    def counts_only_some(self) -> bool:
        """Whether not all slots may count for the size of the pool."""
        return bool(self.settings.slot_pool_size_constraint.strip())

    def free_capacity(self) -> bool:
        """Whether any slot without a holder is left."""
        return any(slot.free for slot in self.slots)

    def every_slot(self) -> list[Slot]:
        """All slots, those in use included, and without those that were carved out of others."""
        ads = [ad for ad in self._every_ad if not boolean(ad, "DynamicSlot")]
        return Slot.many(Asked(ads, NAMES), ads, [0.0] * len(ads))

    def ads_by_name(self) -> dict[str, ClassAd]:
        """The ads of all slots, those in use included."""
        return {string(ad, "Name"): ad for ad in self._every_ad}

    def leaving(self) -> set[str]:
        """The names of the slots whose holders already have to give way."""
        promised = (name for promise in self.snapshot.promises for name in promise.victims)
        return {*promised, *(name for one in self.matches for name in one.victims)}

    @contextmanager
    def instead(self, slots: list[Slot]) -> Iterator[None]:
        """Match with these slots instead of those of the pool for a while."""
        before = self.slots, self._partitionable
        self.slots, self._partitionable = slots, [slot for slot in slots if slot.partitionable]
        self.look_again()
        try:
            yield
        finally:
            self.slots, self._partitionable = before
            self.look_again()

    def slots_left(self) -> bool:
        """Whether any slot, free or held, is still in the cycle."""
        return any(slot.free or (slot.remote and not slot.taken) for slot in self.slots)

    def candidates(self, member: Member, work: Work) -> CandidateList:
        """Return the slots for a request, best first. The list is made again if its order may have changed."""
        if work.candidates is None or self.ephemeral.changing:
            self.refresh(member, work)
            if self._shapes is None:
                self._shapes = Shapes(self.matchmaker, self.slots)
            work.candidates = list_candidates(
                self.matchmaker,
                self.consumer,
                self._shapes,
                self._partitionable,
                work.ad,
                member.name,
                member.may_preempt,
            )
        return work.candidates

    def refresh(self, member: Member, work: Work) -> None:
        """Bring the attributes that change within a cycle up to date."""
        if not self.ephemeral.changing:
            return
        self.ephemeral.refresh_job(work.ad, self.use_of(member.name), self.group, self.group_use)
        self.matchmaker.forget_request(work.ad)
        for slot in self._naming_users:
            self.ephemeral.refresh_slot(slot, self.use_of, self.group)
        self._shapes = None

    def look_again(self) -> None:
        """Forget what was found out about the slots: some that were taken are free again, or there are others."""
        self._shapes = None
        for member in self.members:
            for work in member.works:
                for part in work.parts:
                    part.candidates = None

    # -- changes ---------------------------------------------------------------------------------------------

    def commit(self, member: Member, work: Work, candidate: Candidate) -> None:
        """Give the next job of ``work`` the candidate. OutOfSteps: nothing has changed yet."""
        slot, job = candidate.slot, work.job
        victims = () if candidate.preemption is Preemption.NONE else victims_of(candidate)
        limits = work.ad.raw("ConcurrencyLimits", slot.ad) if work.limits else None
        if work.limits or victims:
            lines = self._preempting_lines(member, work, victims)
            check_steps()
            self.log += lines
        self.log += explain.matched_lines(
            job, member.name, member.demand.schedd, slot.name, victims[0].remote if victims else "none"
        )
        if candidate.preemption is Preemption.PRIORITY:
            self._remember_losses(member, dict.fromkeys(victim.remote for victim in victims))
        group = self.group
        own_group = self.accountant.tree.group_of(member.name) if self._grouped else ""
        names = tuple([victim.name for victim in victims]) if victims else ()
        of_groups = group.name, group.autoregroup, own_group
        match = job, member.name, slot.name, candidate.weight, candidate.preemption, names, *of_groups
        self.matches.append(_match(match))
        if isinstance(limits, str):
            self.limits.take(limits)
        if candidate.consumption is not None:
            self._carve(candidate, candidate.consumption)
        else:
            slot.taken = True
        self._charge(member.name, candidate.weight)
        if self.rejections:
            self.rejections.pop((member.name, job), None)
        self.tally.considered += 1
        work.next += 1

    def commit_all(self, member: Member, jobs: Sequence[JobId], slots: Sequence[Slot]) -> None:
        """Do what ``commit`` does for several jobs of a member, whose free whole slots are taken out of the cycle
        already."""
        name, schedd = member.name, member.demand.schedd
        group = self.accountant.tree.group_of(name)
        served = Preemption.NONE, (), self.group.name, self.group.autoregroup, group if self._grouped else ""
        use, group_use = self.use[name], self.group_use[group]
        for slot in slots:
            use += slot.weight
            group_use += slot.weight
        self.use[name], self.group_use[group] = use, group_use
        self.log += explain.all_matched_lines(jobs, name, schedd, [slot.name for slot in slots])
        self.matches += [
            _match((job, name, slot.name, slot.weight, *served)) for job, slot in zip(jobs, slots, strict=True)
        ]
        if self.rejections:
            for job in jobs:
                self.rejections.pop((name, job), None)

    def _carve(self, candidate: Candidate, consumption: Consumption) -> None:
        """Take a piece out of a partitionable slot. What its victims have in excess of that stays theirs until they
        have left."""
        back = freed(candidate.slot, candidate.victims)
        amounts = {name: max(0.0, amount - back.get(name, 0.0)) for name, amount in consumption.amounts.items()}
        candidate.slot.carve(amounts)
        for victim in candidate.victims:
            victim.taken = True

    def _charge(self, name: str, weight: float) -> None:
        """Add slot weight to the use of a submitter and of its group."""
        self.use[name] = self.use_of(name) + weight
        self.group_use[self.accountant.tree.group_of(name)] += weight

    def _remember_losses(self, member: Member, losers: Iterable[str]) -> None:
        """Remember the submitters that lose slots now, which preempt none for a while; log mutual preemption."""
        for loser in losers:
            self.left.losses[loser] = Loss(self.snapshot.now, member.name)
            before = self.carried.losses.get(member.name)
            if before is not None and before.by == loser:
                self.log.append(explain.exchange_line(member.name, loser))

    def displace(self, member: Member, work: Work, victims: Iterable[Slot], at: int) -> None:
        """Note that running parallel jobs are preempted for one: lines for the log, before line ``at``, and the
        losses."""
        self.log[at:at] = self._preempting_lines(member, work, victims)
        self._remember_losses(member, dict.fromkeys(victim.remote for victim in victims))

    def _preempting_lines(self, member: Member, work: Work, victims: Iterable[Slot]) -> list[str]:
        """Return a line of the log for each victim of a match."""
        return [
            explain.preempting_line(
                victim.remote,
                self.accountant.effective_priority(victim.remote),
                victim.current_rank,
                victim.name,
                member.name,
                member.eup,
                self.matchmaker.rank_or_zero(victim, work.ad),
            )
            for victim in victims
        ]

    def no_steps(self, member: Member, work: Work) -> None:
        """The owner of a request has no steps left in this cycle. The next cycle begins with this request, or with the
        following one if this cycle began with it."""
        if member.name not in self.left.resume:
            place = member.works.index(work)
            if place == 0 and len(member.works) > 1:
                place = 1
            self.left.resume[member.name] = member.works[place].request.autocluster
            self.log.append(explain.steps_line(member.name))
            self.tally.out_of_time[member.name] = None
            self.call_again(1)
        member.ended = explain.OUT_OF_STEPS

    def call_again(self, seconds: int) -> None:
        """Ask for another cycle in so many seconds: it could do more than this one, even if nothing changes."""
        self.again = seconds if self.again is None else min(self.again, seconds)

    def call_to_preempt(self, member: Member) -> None:
        """Ask for another cycle when a submitter may preempt again."""
        self.call_again(self.carried.waits_until(member.name, self.settings.cycle_delay) - self.snapshot.now)

    def reject(self, member: Member, work: Work, obstacles: explain.Obstacles) -> None:
        """Reject the next job of ``work``: it gets nothing in this spin."""
        reason = obstacles.reason()
        job = work.job
        if obstacles.lost:
            self.call_to_preempt(member)
        self.rejections[member.name, job] = Rejection(job, member.name, work.request.autocluster, reason)
        self.log.append(explain.rejected_line(job, member.name, member.demand.schedd, reason))
        self.tally.considered += 1
        self.tally.rejections += 1

    def left_waiting(self) -> tuple[tuple[str, int, int], ...]:
        """Submitter, autocluster and number of the jobs that found nothing."""
        return tuple(
            (member.name, work.request.autocluster, work.left)
            for member in self.members
            for work in member.works
            if work.left
        )

    def plan(self) -> Plan:
        """Return the result of the cycle. Each autocluster with jobs left has a reason, even one that had no turn."""
        refused = {(rejection.submitter, rejection.autocluster) for rejection in self.rejections.values()}
        kinds = self._kinds(self.slots)
        for member in self.members:
            for work in member.works:
                if work.left and (member.name, work.request.autocluster) not in refused:
                    refused.add((member.name, work.request.autocluster))
                    reason = self._reason_without_turn(member, work, kinds)
                    rejection = Rejection(work.job, member.name, work.request.autocluster, reason)
                    self.rejections[member.name, work.job] = rejection
        rejections: Iterable[Rejection] = self.rejections.values()
        if self.quotas:
            rejections = (one._replace(reason=self._with_group(one)) for one in rejections)
        return Plan(tuple(self.matches), tuple(rejections), tuple(self.log), self.reserved)

    def _with_group(self, rejection: Rejection) -> str:
        """Return the reason of a rejection; if the quota of a group is the cause, with the name of the group."""
        group = self.accountant.tree.group_of(rejection.submitter)
        if rejection.reason not in explain.FOR_LIMITS or group == ROOT:
            return rejection.reason
        quota = self.quotas[group]
        if self.group_use[group] + self.min_weight <= quota + _ROUNDING:
            return rejection.reason
        return f"{explain.QUOTA_REACHED}: {group} has {quota:g}"

    def _kinds(self, slots: Iterable[Slot]) -> list[Slot]:
        """Return one of each kind of slots, which no request can tell apart."""
        return list({self.matchmaker.fits.kinds.slot(slot): slot for slot in slots}.values())

    @cached_property
    def _free_kinds(self) -> list[Slot]:
        """The kinds of slots that are free at the end of the cycle."""
        return self._kinds(slot for slot in self.slots if slot.free)

    def _reason_without_turn(self, member: Member, work: Work, kinds: Iterable[Slot]) -> str:
        """Why a request that had no turn got nothing. ``kinds``: slots that differ for some request."""
        try:
            with work.steps:
                fits = self.matchmaker.fits.of_request(work.ad)
                if not work.steps.used_up and not any(map(fits, kinds)):
                    return explain.NO_MATCH
                has_all = member.ended == explain.LIMIT_EXCEEDED and self._is_alone(member)
                if has_all and not work.steps.used_up and not any(map(fits, self._free_kinds)):
                    return explain.NO_MATCH if self._free_kinds else explain.ALL_TAKEN
        except OutOfSteps:
            pass
        if work.steps.used_up:
            self.no_steps(member, work)
            return explain.OUT_OF_STEPS
        return member.ended or (explain.QUOTA_REACHED if self.accountant.tree.parent else explain.NO_MATCH)

    def _is_alone(self, member: Member) -> bool:
        """Whether no other submitter uses a slot, so that a larger share would bring nothing."""
        return all(self.use_of(other.name) <= _ROUNDING for other in self.members if other is not member)


def victims_of(candidate: Candidate) -> tuple[Slot, ...]:
    """The slots whose holders give way to a match."""
    if candidate.preemption is Preemption.NONE:
        return ()
    return candidate.victims or (candidate.slot,)


def _link(parents: Iterable[Slot], held: Iterable[Slot]) -> None:
    """Link partitionable slots to their dynamic ones, by name: slot1_2@host is a child of slot1@host."""
    by_name = {slot.name.lower(): slot for slot in parents}
    for slot in held:
        parent = by_name.get(parent_name(slot.name.lower()))
        if parent is not None and boolean(slot.ad, "DynamicSlot"):
            parent.children = [*parent.children, slot]

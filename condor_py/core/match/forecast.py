"""A forecast of job starts: the negotiator's cycles in virtual time on the present pool.

Running jobs end when they are expected to, what they held is free then, and a cycle follows. New jobs, changes of
priority by hand, and claims that users keep for their next jobs (CLAIM_WORKLIFE) are not foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush

from condor_py.core.accounts import Accountant
from condor_py.core.match.consumption import Consumer
from condor_py.core.match.cycle import negotiate
from condor_py.core.match.slot import Slot, parent_name
from condor_py.core.match.snapshot import Snapshot, SubmitterDemand
from condor_py.core.match.values import boolean, number_text, real, string
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.plan import Match
from condor_py.model.settings.negotiator import NegotiatorSettings

_HOLDER = ("RemoteUser", "RemoteOwner", "AccountingGroup", "CurrentRank", "PreemptingUser", "PreemptingAccountingGroup")

#: Number of requests that never start for which reasons are found.
_MOST_REASONS = 200


@dataclass(frozen=True, slots=True)
class Forecast:
    """``starts``: Unix seconds by job. ``reasons``: why a request (submitter, autocluster) finds nothing even at the
    end. ``until`` is as far as was looked."""

    starts: Mapping[JobId, int]
    reasons: Mapping[tuple[str, int], str]
    until: int


@dataclass(slots=True)
class _Future:
    """The pool as it will be: slot ads by name, and (end, slot name) of what is held, as a heap. Of a slot that is
    preempted an earlier end is there, too; ``until`` has the one that counts."""

    slots: dict[str, ClassAd]
    consumer: Consumer
    until: dict[str, int] = field(default_factory=dict)
    ends: list[tuple[int, str]] = field(default_factory=list)
    carved: int = 0

    def occupy(self, match: Match, request: ClassAd, end: int) -> None:
        """A job starts."""
        for victim in match.victims:
            self.free(victim)
        name = match.slot if match.slot in self.slots else parent_name(match.slot)
        ad = self.slots[name]
        if boolean(ad, "PartitionableSlot"):
            name, ad = self._carve(name, ad, request)
        ad = self.slots[name] = ad.flat_copy()
        ad.set_str("State", "Claimed")
        ad.set_str("RemoteUser", match.submitter)
        ad.set_str("RemoteOwner", match.submitter)
        self.ends_at(name, end)

    def ends_at(self, name: str, end: int) -> None:
        """Note the time (Unix seconds) at which the holder of a slot ends."""
        self.until[name] = end
        heappush(self.ends, (end, name))

    def _carve(self, parent: str, ad: ClassAd, request: ClassAd) -> tuple[str, ClassAd]:
        """A dynamic slot for ``request``; nothing is taken where the pool differs from what the plan saw."""
        self.carved += 1
        head, at, host = parent.partition("@")
        child, rest = ad.flat_copy(), ad.flat_copy()
        consumption = self.consumer.of(Slot(0, ad, 0.0), request)
        for resource, amount in (consumption.amounts if consumption is not None else {}).items():
            child.set_text(resource, number_text(amount))
            rest.set_text(resource, number_text(real(ad, resource, 0.0) - amount))
        name = f"{head}_F{self.carved}{at}{host}"
        child.set_str("Name", name)
        child.set_bool("PartitionableSlot", False)
        child.set_bool("DynamicSlot", True)
        self.slots[parent] = rest
        return name, child

    def free(self, name: str) -> None:
        """A slot is given back, a dynamic one to its parent."""
        ad = self.slots.get(name)
        if ad is None:
            return
        parent = parent_name(name)
        if boolean(ad, "DynamicSlot") and parent in self.slots:
            del self.slots[name]
            whole = self.slots[parent] = self.slots[parent].flat_copy()
            for resource in (string(whole, "MachineResources") or "Cpus Memory Disk").split():
                amount = real(whole, resource, 0.0) + real(ad, resource, 0.0)
                whole.set_text(resource, number_text(amount))
            return
        ad = self.slots[name] = ad.flat_copy()
        for attribute in _HOLDER:
            ad.remove(attribute)
        ad.set_str("State", "Unclaimed")
        ad.set_str("Activity", "Idle")

    def advance(self) -> int:
        """Frees what ends next; when that is."""
        end = self.ends[0][0]
        while self.ends and self.ends[0][0] == end:
            _, name = heappop(self.ends)
            if self.until[name] == end:
                self.free(name)
        return end


def forecast(
    snapshot: Snapshot,
    accountant: Accountant,
    settings: NegotiatorSettings,
    run_time: Callable[[JobId], float],
    ends: Mapping[str, float],
    horizon: float = 30 * 86400.0,
    most: int | None = None,
) -> Forecast:
    """Follow the pool until all jobs of ``snapshot`` have started, nothing is running any more, or ``horizon`` seconds
    have passed. ``accountant`` is changed: hand in one of your own. ``run_time`` gives the seconds a job will take,
    ``ends`` the Unix seconds when what runs on a slot (by name) ends; held slots without one never do. After ``most``
    starts (about) the forecast has of the other jobs only those that never start.
    """
    future = _Future({string(ad, "Name"): ad for ad in snapshot.slots}, Consumer(settings))
    for name, end in ends.items():
        future.ends_at(name, int(max(end, snapshot.now + 1)))
    waiting = list(snapshot.submitters)
    every = [(s.name, part) for s in waiting for request in s.requests for part in request.parts]
    requests = {(name, job): part.ad for name, part in every for job in part.jobs}
    starts: dict[JobId, int] = {}
    now, last = snapshot.now, snapshot.now + int(horizon)
    while True:
        plan = negotiate(Snapshot(now, list(future.slots.values()), waiting), accountant, settings).plan
        for match in plan.matches:
            starts[match.job] = now
            end = now + max(1, int(run_time(match.job)))
            future.occupy(match, requests[match.submitter, match.job], end)
        waiting = [_without(demand, {match.job for match in plan.matches}) for demand in waiting]
        if not any(demand.idle for demand in waiting) or not future.ends or future.ends[0][0] > last:
            reasons = {(refused.submitter, refused.autocluster): refused.reason for refused in plan.rejections}
            return Forecast(starts, reasons, now)
        if most is not None and len(starts) >= most:
            return Forecast(starts, _hopeless(future, waiting, accountant, settings, now), now)
        now = future.advance()


def _hopeless(
    future: _Future, waiting: Sequence[SubmitterDemand], accountant: Accountant, settings: NegotiatorSettings, now: int
) -> dict[tuple[str, int], str]:
    """Why requests find nothing even when nothing else runs."""
    while future.ends:
        future.advance()
    slots = list(future.slots.values())
    reasons: dict[tuple[str, int], str] = {}
    for demand in waiting:
        tried: set[int] = set()
        for request in demand.requests:
            if request.autocluster not in tried and len(reasons) < _MOST_REASONS:
                tried.add(request.autocluster)
                first = request if request.others is not None else request._replace(jobs=request.jobs[:1])
                alone = demand._replace(requests=[first])
                plan = negotiate(Snapshot(now, slots, [alone]), accountant, settings).plan
                reasons.update(((one.submitter, one.autocluster), one.reason) for one in plan.rejections)
    return reasons


def _without(demand: SubmitterDemand, gone: AbstractSet[JobId]) -> SubmitterDemand:
    """``demand`` less the jobs that have started, its weight in proportion."""
    before = demand.idle
    if not before or not gone:
        return demand
    requests = []
    for request in demand.requests:
        jobs = request.jobs if gone.isdisjoint(request.jobs) else [job for job in request.jobs if job not in gone]
        if jobs:
            requests.append(request._replace(jobs=jobs))
    after = sum(len(request.jobs) for request in requests)
    idle_weight = demand.idle_weight * after / before
    running_weight = demand.running_weight + demand.idle_weight - idle_weight
    running = demand.running + before - after
    return demand._replace(requests=requests, idle_weight=idle_weight, running_weight=running_weight, running=running)

"""Records of cycles for later queries: shares, demand, reasons and use, summed up over periods of time.

A cycle pays for its matches only. Its findings (the submitters that wait, and why) are recorded when they have lasted
for a second or more, however many cycles have followed each other meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from condor_py.core.accounts import ROOT, Accountant
from condor_py.core.match.cycle import Cycle
from condor_py.core.match.explain import ALL_TAKEN, NO_MATCH
from condor_py.core.match.slot import Slot
from condor_py.core.match.snapshot import Snapshot
from condor_py.core.match.values import string
from condor_py.model.cyclerecords import CycleRecord, GroupRecord, Reason, SubmitterRecord
from condor_py.model.plan import Match

#: Bounds of a record: submitters, reasons of one of them, and characters of a reason (names of limits are users' own).
MOST_SUBMITTERS, MOST_REASONS, _LONGEST = 1000, 12, 160
#: A period without submitters is recorded so much more rarely.
_QUIET = 15
_OTHER = "other reasons"


class _Found(NamedTuple):
    """Findings of a cycle, which hold until the next."""

    done: Cycle
    snapshot: Snapshot


class Recorder:
    """Sums cycles up. Times are Unix seconds; a clock that goes back ends the stretch."""

    def __init__(self, accountant: Accountant) -> None:
        self._accountant = accountant
        self._found: _Found | None = None
        self._since = self._begin = 0
        self._record = CycleRecord(0, 0)
        self._accumulated: dict[str, float] = {}

    def observe(self, done: Cycle, snapshot: Snapshot) -> None:
        """A cycle has ended."""
        self._settle(snapshot.now)
        record = self._record
        record.cycles += 1
        self._found = _Found(done, snapshot)
        for demand in snapshot.submitters:
            if demand.name not in self._accumulated:
                self._accumulated[demand.name] = self._charged(demand.name)
        if done.plan.matches:
            self._count(done.plan.matches, done.slots)

    def lost_touch(self, now: int) -> None:
        """No schedd reports its demand: from ``now`` on nothing is known."""
        self._settle(now)
        self._found = None

    def take(self, now: int, interval: int) -> CycleRecord | None:
        """The record of the stretch, if ``interval`` seconds have passed (many more where there was no demand)."""
        quiet = not self._record.submitters and not (self._found and self._found.snapshot.submitters)
        if now - self._begin + 1 < interval * (_QUIET if quiet else 1):
            return None
        self._settle(now)
        record = self._record
        self._record = CycleRecord(now, now)
        self._begin = now
        if not record.cycles and not record.known:
            return None
        self._finish(record)
        return record

    # -- the stretch -----------------------------------------------------------------------------------------

    def _settle(self, now: int) -> None:
        """Record the last findings for the time until ``now``."""
        seconds, self._since = now - self._since, now
        if self._begin == 0 or seconds < 0:
            self._begin, self._record = now, CycleRecord(now, now)
            return
        self._record.end = now
        if self._found is None or seconds == 0:
            return
        self._record.known += seconds
        done, snapshot = self._found
        self._slots(done, seconds)
        reasons = self._reasons(done)
        for demand in snapshot.submitters:
            part = self._part(demand.name)
            asked = demand.running_weight + demand.idle_weight
            report = done.submitters.get(demand.name)
            limit, part.share = (0.0, 0.0) if report is None else (report.limit, report.share)
            ceiling = self._accountant.ceiling(demand.name)
            part.present += seconds
            part.asked += asked * seconds
            part.entitled += limit * seconds
            part.due += min(limit, asked, ceiling if ceiling >= 0 else limit) * seconds
            _wait(part, reasons.get(demand.name, {}), seconds)
        for name, group in done.groups.items():
            if name != ROOT:
                kept = self._record.groups.setdefault(name, GroupRecord())
                kept.quota = group.effective_quota
                kept.allowed += group.effective_quota * seconds
                kept.asked += group.requested * seconds

    def _part(self, name: str) -> SubmitterRecord:
        return _part_of(self._record, name)

    def _slots(self, done: Cycle, seconds: int) -> None:
        record = self._record
        record.weight += done.weight * seconds
        for slot in done.slots:
            state = string(slot.ad, "State").lower()
            if state == "drained":
                record.drained += slot.weight * seconds
            elif state == "unclaimed" and slot.free:
                record.free += slot.weight * seconds

    def _reasons(self, done: Cycle) -> dict[str, dict[str, int]]:
        """By submitter and reason: how many jobs were left waiting."""
        refused = {(one.submitter, one.autocluster): one.reason for one in done.plan.rejections}
        nothing_left = not any(slot.free for slot in done.slots)
        found: dict[str, dict[str, int]] = {}
        for name, autocluster, count in done.left:
            reason = refused.get((name, autocluster), NO_MATCH)
            if reason == NO_MATCH and nothing_left:
                reason = ALL_TAKEN
            mine = found.setdefault(name, {})
            mine[reason] = mine.get(reason, 0) + count
        return found

    def _count(self, matches: Iterable[Match], slots: Iterable[Slot]) -> None:
        holders: dict[str, str] | None = None
        for match in matches:
            self._part(match.submitter).matched += 1
            for victim in match.victims:
                if holders is None:
                    holders = {slot.name: slot.remote for slot in slots}
                loser = holders.get(victim, "")
                if loser:
                    lost = self._part(loser).lost
                    lost[match.submitter] = lost.get(match.submitter, 0) + 1

    # -- its end ---------------------------------------------------------------------------------------------

    def _finish(self, record: CycleRecord) -> None:
        accountant = self._accountant
        for name, before in self._accumulated.items():
            if self._charged(name) != before:
                _part_of(record, name)  # submitters that have left the queue meanwhile, too
        for name, part in record.submitters.items():
            part.group = accountant.tree.group_of(name) if accountant.tree.parent else ""
            part.real, part.factor = accountant.real_priority(name), accountant.factor(name)
            part.ceiling = float(accountant.ceiling(name))
            part.use = accountant.use(name)
            part.used = self._used(name)
            group = record.groups.get(part.group)
            if group is not None:
                group.used += part.used
        if len(record.submitters) > MOST_SUBMITTERS:
            by_weight = sorted(record.submitters.items(), key=lambda item: -item[1].used - item[1].asked)
            record.submitters = dict(by_weight[:MOST_SUBMITTERS])

    def _used(self, name: str) -> float:
        """Charge to a submitter since the last call; the whole charge after it was set to less."""
        charged = self._charged(name)
        before = self._accumulated.get(name, charged)
        self._accumulated[name] = charged
        return charged - before if charged >= before else charged

    def _charged(self, name: str) -> float:
        row = self._accountant.table.index.get(name)
        return 0.0 if row is None else self._accountant.table.reals["WeightedAccumulatedUsage"][row]


def _part_of(record: CycleRecord, name: str) -> SubmitterRecord:
    part = record.submitters.get(name)
    if part is None:
        part = record.submitters[name] = SubmitterRecord()
    return part


def _wait(part: SubmitterRecord, reasons: dict[str, int], seconds: int) -> None:
    """Jobs that waited for ``seconds``, by reason."""
    part.idle = sum(reasons.values())
    if reasons:
        part.waiting += seconds
    for text, jobs in reasons.items():
        key = text[:_LONGEST]
        if key not in part.reasons and len(part.reasons) >= MOST_REASONS:
            key = _OTHER
        kept = part.reasons.setdefault(key, Reason())
        kept.seconds += seconds
        kept.jobs = max(kept.jobs, jobs)

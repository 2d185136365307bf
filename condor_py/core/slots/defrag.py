"""The policy of condor_defrag: which machines are drained, so that whole ones come to be.

Pure: it receives the time, the slot ads and the results of its drains, and returns what to do.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from condor_py.core.slots.machineads import Pair, real
from condor_py.lang.classad import ClassAd, ExprTree, is_true, parse, quote_string
from condor_py.model.settings.defrag import DefragSettings

_HOUR, _DAY = 3600, 86400
_SLOT = "PartitionableSlot && Offline =!= true"
#: How far the expected end and the expected loss may grow until the request arrives.
_GROWTH, _SLIP_SECONDS, _SLIP_BADPUT = 1.25, 1200, 1200
_REMEMBERED = 10
_WINDOW = 10


@dataclass(frozen=True, slots=True)
class DrainOrder:
    """One machine to drain: the name of its slot, and what must still be true when the request arrives."""

    name: str
    check: str


@dataclass(frozen=True, slots=True)
class DefragPlan:
    """Result of one check of the pool; ``lines`` are for the log."""

    cancel: tuple[str, ...]
    drain: tuple[DrainOrder, ...]
    lines: tuple[str, ...]


def machine_of(name: str) -> str:
    """The machine of a slot's name."""
    return name.partition("@")[2] or name


class Defrag:
    """The policy with its memory: what was seen at the last look, and statistics of all looks."""

    def __init__(self, settings: DefragSettings, now: float) -> None:
        self._born = int(now)
        self._last_poll = 0
        self._draining: set[str] = set()
        self._whole: set[str] = set()
        self._peaks = {"MachinesDraining": 0, "WholeMachines": 0}
        self._successes: list[float] = []
        self._failures: list[float] = []
        self._drains: deque[tuple[int, str, str]] = deque(maxlen=_REMEMBERED)
        self._cancels: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)
        self._last_arrival = 0
        self._arrived = 0
        self._arrival_sum = self._arrival_squares = 0.0
        self._arrival_mean = self._arrival_deviation = 0.0
        self._badput = self._unclaimed = 0.0
        self.configure(settings)

    def configure(self, settings: DefragSettings) -> None:
        """New settings; what was seen so far stays."""
        self.settings = settings
        self._mine = f"(DrainReason is undefined || DrainReason == {quote_string(self.reason)})"
        self._is_draining = parse(f"{_SLOT} && Draining && {self._mine}")
        self._is_whole = parse(f"{settings.whole_machine} && {_SLOT} && {self._mine}")
        more = f" && ({settings.requirements})" if settings.requirements else ""
        self._may_drain = parse(f"{_SLOT} && Draining =!= true{more}")
        cancel = settings.cancel_requirements
        self._may_cancel = parse(f"{_SLOT} && Draining && {self._mine} && ({cancel})") if cancel else None
        self._rank = parse(settings.rank)

    @property
    def reason(self) -> str:
        """Reason that machines publish for their draining."""
        return f"Defrag {self.settings.name}"

    # -- one look

    def poll(self, now: float, ads: Iterable[ClassAd]) -> DefragPlan:
        """Looks at the slots of the pool."""
        moment, before, self._last_poll = int(now), self._last_poll, int(now)
        slots = list(ads)
        draining, whole = self._machines(slots, self._is_draining), self._machines(slots, self._is_whole)
        lines = [f"There are currently {len(draining)} draining and {len(whole)} whole machines."]
        lines += self._arrivals(moment, draining, whole)
        self._draining, self._whole = draining, whole
        for name, count in (("MachinesDraining", len(draining)), ("WholeMachines", len(whole))):
            self._peaks[name] = max(self._peaks[name], count)
        self._costs(slots)
        cancelled = self._cancelled(slots)
        if self._may_cancel is not None:
            lines.append(f"Cancelled draining of {len(cancelled)} whole machines.")
        wanted, exact = self._number(moment, before)
        obstacle = self._obstacle(wanted, exact)
        if obstacle:
            return DefragPlan(tuple(cancelled.values()), (), (*lines, f"Doing nothing, because {obstacle}"))
        lines.append(f"Looking for {wanted} machines to drain.")
        chosen = self._chosen(slots, wanted, set(cancelled) | whole)
        lines.append(f"Drained {len(chosen)} machines (wanted to drain {wanted} machines).")
        return DefragPlan(tuple(cancelled.values()), tuple(chosen), tuple(lines))

    @staticmethod
    def _machines(slots: list[ClassAd], condition: ExprTree) -> set[str]:
        return {machine_of(ad.eval_str("Name") or "") for ad in slots if is_true(ad.raw(condition))}

    def _number(self, now: int, before: int) -> tuple[int, float]:
        """Number of machines that may be drained now, rounded and exact: so many each interval, and the rest of the
        rate once an hour and once a day, where the interval cannot express it."""
        interval, hourly = self.settings.interval, self.settings.machines_per_hour
        rate = hourly / _HOUR * interval
        each = max(0, math.floor(rate + 0.00001))
        rest = (rate - each) / interval * _HOUR
        an_hour = math.floor(rest + 0.00001) if interval <= _HOUR else 0
        a_day = math.floor((rest - an_hour) * 24 + 0.5) if interval <= _DAY else 0
        number, exact = each, float(each)
        if before:
            for amount, period in ((an_hour, _HOUR), (a_day, _DAY)):
                if now // period != before // period:
                    more, exact_more = _prorated(amount, now % period, period, interval)
                    number += more
                    exact += exact_more
        return number, exact

    def _obstacle(self, wanted: int, exact: float) -> str:
        """Why nothing may be drained now; "" when something may."""
        settings = self.settings
        if wanted <= 0:
            return f"number to drain in next {settings.interval}s is calculated to be {exact:.3f}."
        if settings.max_concurrent == 0:
            return "DEFRAG_MAX_CONCURRENT_DRAINING=0"
        if settings.max_whole == 0:
            return "DEFRAG_MAX_WHOLE_MACHINES=0"
        if 0 <= settings.max_concurrent <= len(self._draining):
            found = f"DEFRAG_MAX_CONCURRENT_DRAINING={settings.max_concurrent}"
            return f"{found} and there are {len(self._draining)} draining machines."
        if 0 <= settings.max_whole <= len(self._whole):
            found = f"DEFRAG_MAX_WHOLE_MACHINES={settings.max_whole}"
            return f"{found} and there are {len(self._whole)} whole machines."
        return ""

    def _ranked(self, slots: list[ClassAd], condition: ExprTree) -> list[tuple[str, ClassAd]]:
        """The slots that meet a condition by falling rank: (name, ad)."""
        found = [(ad.eval_str("Name") or "", ad) for ad in slots if is_true(ad.raw(condition))]
        return sorted(found, key=lambda item: (-_number(item[1].raw(self._rank)), item[0]))

    def _cancelled(self, slots: list[ClassAd]) -> dict[str, str]:
        """Machines whose draining is to end: machine to the name of a slot."""
        found: dict[str, str] = {}
        if self._may_cancel is not None:
            for name, _ in self._ranked(slots, self._may_cancel):
                found.setdefault(machine_of(name), name)
        return found

    def _chosen(self, slots: list[ClassAd], wanted: int, left_alone: set[str]) -> list[DrainOrder]:
        chosen: list[DrainOrder] = []
        for name, ad in self._ranked(slots, self._may_drain):
            machine = machine_of(name)
            if machine not in left_alone and len(chosen) < wanted:
                left_alone.add(machine)
                chosen.append(DrainOrder(name, self._check(ad)))
        return chosen

    def _check(self, ad: ClassAd) -> str:
        """The startd refuses if it has become much worse than its ad showed."""
        kind = "Graceful" if self.settings.schedule == "graceful" else "Quick"
        completion, badput = f"ExpectedMachine{kind}DrainingCompletion", f"ExpectedMachine{kind}DrainingBadput"
        latest = (ad.eval_int(completion) or 0) + _SLIP_SECONDS
        most = int(_GROWTH * (ad.eval_int(badput) or 0)) + _SLIP_BADPUT
        return f"{completion} <= {latest} && {badput} <= {most}"

    # -- what it remembers

    def _arrivals(self, now: int, draining: set[str], whole: set[str]) -> Iterator[str]:
        """Counts machines that became whole since the last look, also those that were claimed again meanwhile."""
        new = len(whole - self._whole) + len(self._draining - draining)
        rate = 0.0
        if new:
            if self._last_arrival:
                elapsed = max(1, now - self._last_arrival)
                self._arrived += new
                self._arrival_sum += new * elapsed
                rate = new / elapsed
                yield f"Arrival rate is {rate * _HOUR:g} machines/hour"
            self._last_arrival = now
        yield f"Lifetime whole machines arrived: {self._arrived}"
        if self._arrival_sum > 0:
            self._arrival_mean = self._arrived / self._arrival_sum
            if new:
                self._arrival_squares += (rate - self._arrival_mean) ** 2
            self._arrival_deviation = math.sqrt(self._arrival_squares / self._arrived)
            yield f"Lifetime mean arrival rate: {self._arrival_mean * _HOUR:g} machines / hour"

    def _costs(self, slots: list[ClassAd]) -> None:
        """Compute the costs of draining so far, as shares of the machines' time, weighted by their cpus."""
        badput = unclaimed = cpus = 0.0
        for ad in slots:
            heard, born = ad.eval_int("LastHeardFrom") or 0, ad.eval_int("DaemonStartTime") or 0
            if ad.eval_int("SlotID") != 1 or ad.eval_bool("DynamicSlot") or not born or heard <= born:
                continue
            lost, idle = ad.eval_int("TotalMachineDrainingBadput"), ad.eval_int("TotalMachineDrainingUnclaimedTime")
            if lost is None and idle is None:
                continue
            badput += (lost or 0) / (heard - born)
            unclaimed += (idle or 0) / (heard - born)
            cpus += ad.eval_real("TotalCpus") or 0.0
        self._badput, self._unclaimed = (badput / cpus, unclaimed / cpus) if cpus else (0.0, 0.0)

    def drained(self, name: str, now: float, ok: bool) -> None:
        """A request to drain was answered."""
        (self._successes if ok else self._failures).append(now)
        self._drains.append((int(now), name, self.settings.schedule))

    def cancelled(self, name: str, now: float) -> None:
        """A request to end a draining was sent."""
        self._cancels.append((int(now), name))

    def pairs(self, now: float) -> Iterator[Pair]:
        """The attributes of the daemon's ad."""
        since = now - _WINDOW * max(1, self.settings.interval)
        for name, times in (("DrainSuccesses", self._successes), ("DrainFailures", self._failures)):
            yield name, str(len(times))
            yield f"Recent{name}", str(sum(1 for when in times if when >= since))
        for name, machines in (("MachinesDraining", self._draining), ("WholeMachines", self._whole)):
            yield name, str(len(machines))
            yield f"{name}Peak", str(self._peaks[name])
        yield "AvgDrainingBadput", real(self._badput)
        yield "AvgDrainingUnclaimed", real(self._unclaimed)
        yield "MeanDrainedArrival", real(self._arrival_mean)
        yield "MeanDrainedArrivalSD", real(self._arrival_deviation)
        yield "DrainedMachines", str(self._arrived)
        yield "StatsLifetime", str(int(now) - self._born)
        yield "RecentStatsLifetime", str(min(int(now) - self._born, _WINDOW * max(1, self.settings.interval)))
        drains = [f"[ when = {when}; who = {quote_string(who)}; what = {quote_string(what)} ]"
                  for when, who, what in reversed(self._drains)]  # fmt: skip
        cancels = [f"[ when = {when}; who = {quote_string(who)} ]" for when, who in reversed(self._cancels)]
        yield "RecentDrainsList", f"{{ {','.join(drains)} }}"
        yield "RecentCancelsList", f"{{ {','.join(cancels)} }}"


def _prorated(amount: int, elapsed: int, period: int, granularity: int) -> tuple[int, float]:
    """The part of ``amount`` for what is left of a period, and the same before it is rounded."""
    share = (period - elapsed + granularity) / period
    answer = math.floor(amount * share + 0.5)
    if abs(answer) > abs(amount):
        answer = amount
    return (0 if answer * amount < 0 else answer), amount * share


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0

"""Putting the machine to sleep: HIBERNATE asked of every slot, the way into a low power state, and out of it again.

The machine goes to sleep when all slots want it, in the deepest state that one of them names. First everything that
runs here ends (Startd hibernated); then the daemon publishes the slots as offline and puts the machine to sleep. What
time it is when it wakes, and whether it slept at all, the event Woken tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.core.slots import backfill, lifecycle
from condor_py.core.slots.effects import Sleep
from condor_py.core.slots.events import PowerFound, Woken
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction
from condor_py.core.slots.transitions import MATCHED, OWNER, WITH_BACKFILL
from condor_py.lang.classad import ClassAd, finite, parse
from condor_py.model.ids import JobId
from condor_py.model.power import SleepState, sleep_state
from condor_py.model.settings.power import RoosterSettings
from condor_py.model.states import OF_SCHEDD, JobStatus, VacateCode

_REASON = "Startd hibernated"
_NEVER = 2**31 - 1
#: Failed tries are further apart than HIBERNATE_CHECK_INTERVAL, so that jobs get something done: seconds.
_AFTER_FAILURE = 300.0


def on_found(pool: Pool, event: PowerFound) -> None:
    """Store the sleep abilities of this machine."""
    if pool.power.abilities != event.abilities:
        pool.power.abilities = event.abilities
        pool.publish()


def check(pool: Pool) -> None:
    """HIBERNATE, when it is time; and the last step into sleep, when nothing runs any more."""
    power, settings = pool.power, pool.settings.power
    if power.target is not SleepState.NONE:
        _go_on(pool)
        return
    if settings.interval <= 0 or pool.drain.active or pool.shutdown is not None:
        power.next_check = 0.0
        return
    if not power.next_check:
        power.next_check = pool.now + settings.interval
    if pool.now < power.next_check:
        return
    power.next_check = pool.now + settings.interval
    wanted = wanted_state(pool)
    if wanted is not SleepState.NONE and not _refused(pool, wanted):
        _begin(pool, wanted)


def wanted_state(pool: Pool) -> SleepState:
    """The deepest state that a slot names; NONE when one of them names none."""
    states = []
    for slot in pool.every_slot():
        value = slot.policy.value("HIBERNATE", pool.view(slot))
        states.append(sleep_state(value) if isinstance(value, str) else SleepState.NONE)
        if states[-1] is SleepState.NONE:
            return SleepState.NONE
    return max(states, default=SleepState.NONE)


def _refused(pool: Pool, wanted: SleepState) -> bool:
    able, network = pool.power.abilities, pool.facts.interface
    why = ""
    if not able.states:
        why = "Machine does not support any sleep states."
    elif wanted not in able.states:
        why = f"Machine does not support the sleep state {wanted.name}."
    elif not pool.facts.wake.is_wakeable and not pool.settings.power.override_wol:
        why = f"Machine cannot be woken by its public network adapter ({network})."
    if why != pool.power.told:
        pool.power.told = why
        if why:
            pool.log(None, f"ERROR: Ignoring HIBERNATE: {why}")
    return bool(why)


def _begin(pool: Pool, wanted: SleepState) -> None:
    pool.log(None, f"This machine is about to enter hibernation ({wanted.name})")
    pool.power.target = wanted
    ending = Eviction(VacateCode.STARTD_HIBERNATE, _REASON, cause="shutdown")
    for slot in list(pool.every_slot()):
        if slot.claim is not None:
            lifecycle.evict(pool, slot, ending, fast=True)
        elif slot.place in WITH_BACKFILL:
            backfill.leave(pool, slot, OWNER)
        elif slot.place == MATCHED:
            pool.move(slot, OWNER)
    pool.publish()
    _go_on(pool)


def _go_on(pool: Pool) -> None:
    power = pool.power
    if pool.shutdown is not None:
        power.target = SleepState.NONE
    elif not power.asleep and not pool.claims and not pool.works_for_itself:
        power.asleep = True
        pool.publish()
        pool.emit(Sleep(power.target.name, pool.settings.power.wake_early))


def on_woken(pool: Pool, event: Woken) -> None:
    """The machine is awake, or did not go to sleep (``reason``). It stays awake for a while."""
    power = pool.power
    if power.target is SleepState.NONE:
        return
    if event.reason:
        pool.log(None, f"This machine did not enter {power.target.name}: {event.reason}")
        awake = max(_AFTER_FAILURE, pool.settings.power.interval)
    else:
        pool.log(None, f"This machine is back from {power.target.name}")
        awake = max(pool.settings.power.awake, pool.settings.power.interval)
    power.target, power.asleep = SleepState.NONE, False
    power.next_check = pool.now + awake
    pool.publish()


def offline_ads(ads: Iterable[ClassAd], now: float) -> list[ClassAd]:
    """The slots as others see them while the machine sleeps: idle, unclaimed, offline, and to be matched."""
    found = []
    for ad in ads:
        if not ad.has("SlotID") or ad.eval_bool("DynamicSlot", False):
            continue
        copy = ad.flat_copy()
        copy["Offline"] = True
        copy["State"], copy["Activity"] = "Unclaimed", "Idle"
        for name in ("EnteredCurrentState", "EnteredCurrentActivity", "CpuBusyTime"):
            copy[name] = 0
        for name in ("LoadAvg", "CondorLoadAvg", "TotalLoadAvg", "TotalCondorLoadAvg"):
            copy[name] = 0.0
        copy["KeyboardIdle"] = copy["ConsoleIdle"] = _NEVER
        copy["CpuIsBusy"] = False
        copy["MyCurrentTime"] = copy["LastHeardFrom"] = int(now)
        found.append(copy)
    return found


@dataclass(slots=True)
class Wakes:
    """The ads of machines to wake, the first one first, and what the log says of them."""

    ads: list[ClassAd] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def choose(ads: Iterable[ClassAd], settings: RoosterSettings) -> Wakes:
    """One ad a machine: that of its best slot by ROOSTER_UNHIBERNATE_RANK. Ads of the same rank keep their order."""
    wanted = [ad for ad in ads if ad.eval_text(settings.unhibernate) is True]
    wanted.sort(key=lambda ad: -_rank(ad, settings.rank))
    chosen, done = Wakes(), set()
    for ad in wanted:
        machine = ad.eval_str("Machine", "") or ad.eval_str("Name", "")
        if machine in done:
            continue
        done.add(machine)
        chosen.ads.append(ad)
        if len(chosen.ads) == settings.most:
            chosen.lines.append(f"Reached ROOSTER_MAX_UNHIBERNATE={settings.most} in this cycle.")
            break
    return chosen


def _rank(ad: ClassAd, rank: str) -> float:
    """Evaluated in an ad of its own, with the machine as TARGET, as a job's Rank is."""
    if not rank:
        return 0.0
    return finite(ClassAd().raw(parse(rank), ad)) or 0.0


#: Seconds. No machine is put to sleep for less; nor is one written to its disk or shut down, which takes longer.
_SHORTEST, _SHORTEST_DEEP = 30, 300


class Outlook(NamedTuple):
    """Unix seconds at which the next deferred job (or cron job) wants to be prepared, 0 for never; and a job that runs
    without a slot, which the machine must not sleep under."""

    wake_at: int = 0
    busy: str = ""

    def is_near(self, state: SleepState, early: int, now: int) -> bool:
        """Whether the machine, awake ``early`` seconds before that, would have no time to sleep: its clock could ring
        before it is in that state, and would not wake it then."""
        shortest = _SHORTEST_DEEP if state >= SleepState.S4 else _SHORTEST
        return 0 < self.wake_at < now + early + shortest


def outlook(jobs: Iterable[tuple[JobId, ClassAd]], now: int) -> Outlook:
    """Time at which the machine must be awake for these jobs, and a running job that it must not sleep under."""
    times, busy = [], ""
    for job, ad in jobs:
        status = ad.eval_int("JobStatus", 0)
        if status == JobStatus.RUNNING and ad.eval_int("JobUniverse", 0) in OF_SCHEDD:
            busy = busy or str(job)
        elif status == JobStatus.IDLE and ad.has("DeferralTime"):
            due = ad.eval_int("DeferralTime", 0)
            if due + max(0, ad.eval_int("DeferralWindow", 0)) > now:
                times.append(max(now, due - max(0, ad.eval_int("DeferralPrepTime", 0))))
    return Outlook(min(times, default=0), busy)

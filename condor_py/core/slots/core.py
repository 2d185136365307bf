"""The startd as a pure machine: events in, effects out.

``Startd.handle`` is the only way to change it. The core never reads a clock, a file or the configuration: time
comes with each event, facts about the hardware with Poll, settings with Reconfig. Errors of the outside are
events too (StarterGone, ScheddGone); an event that cannot be is IllegalTransition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from condor_py.core.slots import (
    backfill,
    benchmarks,
    claiming,
    dataslots,
    draining,
    evaluation,
    fetchwork,
    guard,
    invariants,
    meters,
    power,
    preempting,
    running,
    settling,
)
from condor_py.core.slots.ads import AdWriter, is_latched
from condor_py.core.slots.effects import Effect, Log, ShutdownMachine
from condor_py.core.slots.events import (
    Activate,
    BackfillGone,
    BackfillStarted,
    BenchmarksDone,
    BetterClaim,
    ClaimRequest,
    ClockJumped,
    ContainersFound,
    CronAd,
    CronJobs,
    Event,
    JavaFound,
    MachinesFound,
    Match,
    Poll,
    PowerFound,
    Reconfig,
    ScheddBack,
    ScheddGone,
    ScheddSilent,
    Shutdown,
    StarterGone,
    Vacate,
    Woken,
    WorkFetched,
)
from condor_py.core.slots.extras import key_of
from condor_py.core.slots.meters import run_pairs, sample_of, without_metrics
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import ClaimedSlots, ClaimInfo, Latch, Run, Slot, SlotKind, claim_info, recalled
from condor_py.core.slots.transitions import MATCHED, OWNER, UNCLAIMED
from condor_py.lang.classad import ClassAd, clock, is_valid
from condor_py.model.facts import MachineFacts
from condor_py.model.messages.claims import ContinueClaim, Deactivate, ReleaseClaim, SuspendClaim, WithdrawClaim
from condor_py.model.messages.machine import CancelDrain, Drain, UpdateAd
from condor_py.model.messages.runs import CatalogsStaged, Ready, RunEnded, RunStarted, RunUpdate, Sample
from condor_py.model.settings.startd import StartdSettings


class Startd:
    """The slots of one machine. ``address`` is what claim ids begin with ("<127.0.0.1:0?...>")."""

    def __init__(
        self,
        settings: StartdSettings,
        facts: MachineFacts,
        now: float,
        *,
        address: str,
        new_secret: Callable[[], str],
        remembered: Mapping[str, Any] | None = None,
        quiet: bool = False,
    ) -> None:
        """Makes the slots. ``remembered`` is what the last RememberDrain of a former startd said; ``quiet``: no log and
        no records of runs are wanted. ConfigError when a slot type or a policy expression cannot be read."""
        self._pool = Pool(settings, facts, now, address, new_secret)
        self._pool.quiet = quiet
        self._writer = AdWriter(self._pool)
        self._pool.make_ad = self._writer.slot_ad
        self._pool.refresh = self._writer.refresh
        self._pool.ask_for_work = lambda slot: fetchwork.consider(self._pool, slot)
        if remembered:
            self._pool.drain = recalled(remembered, facts.boot_time, now)
            if self._pool.drain.active:
                self._pool.log(None, f"Draining continues (request {self._pool.drain.request_id})")
        _complain_of_attributes(self._pool)
        for text in self._pool.layout.errors:
            self._pool.log(None, text, block=True)
        with self._at(now):
            for slot in self._pool.slots:
                self._pool.log(slot, _birth(slot))
                self._pool.log(slot, f"\t{slot.total.describe()}")
                settling.settle(self._pool, slot)
        self._early = self._take_effects()

    @property
    def failed(self) -> bool:
        """True when SLOT_CONFIG_FAILURE_MODE is ABORT and a slot could not be made: exit with status 4."""
        return self._pool.layout.fatal

    def extras(self) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        """The ads of programs and of jobs that are merged into those of the slots, with their names."""
        return self._pool.extras.shown()

    @property
    def slots(self) -> int:
        """Number of slots, without the dynamic ones."""
        return len(self._pool.slots)

    @property
    def exiting(self) -> bool:
        """True once Exit was asked for."""
        return self._pool.exited

    def _at(self, now: float) -> clock.frozen:
        """Every way in goes through this: inside it is ``now``, for expressions too."""
        self._pool.now = now
        return clock.frozen(now)

    def handle(self, event: Event, now: float) -> list[Effect]:
        """Return the effects of ``event`` at ``now`` (Unix seconds), in the order in which to carry them out."""
        pool = self._pool
        with self._at(now):
            pool.touch()
            with pool.paying(guard.payer(pool, event)):
                _HANDLERS[type(event)](pool, event)
            if pool.again:
                preempting.serve_again(pool)
            if pool.drain.active or pool.shutdown is not None:
                draining.check(pool)
        early, self._early = self._early, []
        return early + self._take_effects()

    def interrupted(self) -> list[Effect]:
        """Return the effects of an event up to the point where ``handle`` failed."""
        return self._take_effects()

    def _take_effects(self) -> list[Effect]:
        effects, self._pool.effects = self._pool.effects, []
        return effects

    def ads(self, now: float, about_self: Iterable[tuple[str, str]] = ()) -> list[ClassAd]:
        """The ads of all slots, and the StartDaemon ad last. Publish is asked for again after UPDATE_INTERVAL.
        ``about_self`` are attributes of the daemon's own process, as name and ClassAd text."""
        self._pool.about_self = tuple(about_self)
        self._pool.published = now
        with self._at(now):
            ads = self._writer.all_ads()
            return [*power.offline_ads(ads, now), *ads[-1:]] if self._pool.power.asleep else ads

    def daemon_ad(self, now: float) -> ClassAd:
        """The StartDaemon ad."""
        with self._at(now):
            return self._writer.daemon_ad()

    def slot_ad(self, claim_id: str, now: float) -> ClassAd | None:
        """The ad of the slot that a claim holds (for .machine.ad); None when there is no such claim."""
        slot = self._pool.claims.get(claim_id)
        if slot is None:
            return None
        with self._at(now):
            return self._writer.machine_ad(slot)

    def named_ad(self, slot_name: str, now: float) -> ClassAd | None:
        """The ad of a slot by its Name; None for a slot that does not exist."""
        slot = self._pool.find(slot_name)
        with self._at(now):
            return self._writer.slot_ad(slot) if slot is not None else None

    def may_reactivate(self, claim_id: str, now: float) -> bool:
        """Whether a claim would take its job once more, after a checkpoint."""
        with self._at(now):
            return running.may_reactivate(self._pool, claim_id)

    def measured(self, claim_id: str) -> dict[str, str]:
        """Measurements of the run on a claim by monitors: attributes for its job."""
        slot = self._pool.claims.get(claim_id)
        if slot is None or slot.run is None or not slot.run.meters.first:
            return {}
        latest = self._pool.extras.samples(self._pool.make_ad(slot), slot.slot_id)
        return dict(run_pairs(slot.run.meters, latest))

    def claims(self) -> list[ClaimInfo]:
        """Every claim and what runs on it, for a schedd that has come back."""
        return [claim_info(slot) for slot in self._pool.claimed() if slot.claim and not slot.claim.fetched]

    @property
    def has_claims(self) -> bool:
        """Whether a schedd has a claim."""
        return any(slot.claim and not slot.claim.fetched for slot in self._pool.claimed())

    def submitter_of(self, claim_id: str) -> str:
        """The submitter whose claim this is; "" when there is no such claim."""
        slot = self._pool.claims.get(claim_id)
        return slot.claim.submitter if slot is not None and slot.claim is not None else ""

    def claimed_slots(self) -> ClaimedSlots:
        """The names of the slots that schedds have claimed, by claim id, as they are when they are looked up."""
        return ClaimedSlots(self._pool.claims)

    def next_wakeup(self) -> float | None:
        """Latest time at which a timer needs a Poll (apart from POLLING_INTERVAL); None when no timer runs."""
        times = [
            slot.entered_state + self._pool.settings.match_timeout for slot in self._pool.slots if slot.place == MATCHED
        ]
        if self._pool.rests:
            times.append(self._pool.rests_until)
        if self._pool.power.next_check:
            times.append(self._pool.power.next_check)
        if self._pool.settings.fetch_hooks:
            found = (fetchwork.due(self._pool, slot) for slot in self._pool.every_slot())
            times += [when for when in found if when is not None]
        for slot in self._pool.claimed():
            run = slot.run
            if run is not None:
                ends = (run.kill_at, run.give_up_at, claiming.lease_end(self._pool, slot))
                times += [when for when in ends if when is not None]
        return min(times, default=None)

    def next_look(self) -> float:
        """Seconds until a Poll with facts, counted from the last event: POLLING_INTERVAL, or, where time alone changes
        nothing, until the ads are published again. So a look is at most POLLING_INTERVAL late for any change of
        policy."""
        pool = self._pool
        interval = float(pool.settings.polling_interval)
        if not _is_still(pool):
            return interval
        return max(interval, pool.published + pool.settings.update_interval - pool.now)

    @property
    def restless(self) -> bool:
        """Whether a claim retires, is suspended or on its way out: polls then matter even with a constant policy."""
        restless = self._pool.restless
        return bool(restless) and any(slot.claim is not None for slot in restless)

    def validate(self) -> None:
        """BrokenInvariant when the state is inconsistent."""
        invariants.check(self._pool)


#: Places of slots that do not change by themselves.
_SETTLED = (OWNER, UNCLAIMED)


def _is_still(pool: Pool) -> bool:
    """Whether nothing changes until an event comes. Timers (of a match, a rest, HIBERNATE) need no looks:
    ``Startd.next_wakeup`` returns their time."""
    settings = pool.settings
    return not (
        pool.claims
        or pool.drain.active
        or pool.shutdown is not None
        or pool.goes_to_sleep
        or pool.works_for_itself
        or settings.noclaim_shutdown > 0
        or max(settings.log_load, settings.log_idle) >= _EVERY_LOOK
        or any(is_latched(name) for name in settings.latched)
        or not all(_is_settled(slot) for slot in pool.every_slot())
    )


def _is_settled(slot: Slot) -> bool:
    policy = slot.policy
    return slot.place in _SETTLED and not slot.children and not policy.settings.hook_keyword and not policy.needs_polls


def _birth(slot: Slot) -> str:
    kind = "p" if slot.kind is SlotKind.PARTITIONABLE else ""
    of_type = f" of type {slot.type_id}" if slot.type_id else ""
    backfill = "backfill " if slot.backfill else ""
    return f"New {'broken ' if slot.broken else ''}{backfill}{kind}Slot{of_type} allocated"


def _complain_of_attributes(pool: Pool) -> None:
    """Says which custom attributes (STARTD_ATTRS) are left out because their values are no expressions."""
    for policy in {slot.policy.settings for slot in pool.slots}:
        for name, text in policy.attrs:
            if text and not is_valid(text):
                line = f"CONFIGURATION PROBLEM: {name} = {text} is no expression and is left out of the slot ads"
                pool.log(None, f"{line} (does a string lack its quotes?)")


def _on_poll(pool: Pool, event: Poll) -> None:
    if event.facts is not None:
        pool.facts = event.facts
    if not pool.rests:
        pool.starters_work()
    evaluation.look_at_all(pool)
    power.check(pool)
    updating = pool.now - pool.published >= pool.settings.update_interval
    _log_loads(pool, updating=updating)
    if pool.claims:
        pool.claimed_at = pool.now
    limit = pool.settings.noclaim_shutdown
    if limit > 0 and pool.now - pool.claimed_at >= limit and pool.shutdown is None:
        pool.claimed_at = pool.now
        pool.log(None, f"No resources have been claimed for {limit} seconds: shutting down HTCondor on this machine.")
        pool.emit(ShutdownMachine())
    if updating:
        if pool.drain.active:
            draining.count_idle(pool)
            draining.remember(pool)
        pool.publish()


#: D_LOAD and D_KEYBOARD with this level are logged at every look; with a lower one only when the ads are published.
_EVERY_LOOK = 2


def _log_loads(pool: Pool, *, updating: bool) -> None:
    """Log the loads (D_LOAD) and idle times (D_KEYBOARD) of the slots. ``updating``: the ads are published now."""
    load_level, idle_level = pool.settings.log_load, pool.settings.log_idle
    loads = load_level >= _EVERY_LOOK or (load_level > 0 and updating)
    keyboard = idle_level >= _EVERY_LOOK or (idle_level > 0 and updating)
    if not loads and not keyboard:
        return
    ads = {slot.tag: pool.make_ad(slot) for slot in pool.every_slot()}
    own = {tag: ad.eval_real("CondorLoadAvg", 0.0) or 0.0 for tag, ad in ads.items()}
    if load_level >= _EVERY_LOOK:
        ours = sum(own.values())
        rest = max(0.0, pool.facts.load_avg - ours)
        machine = f"SystemLoad: {pool.facts.load_avg:.3f}"
        pool.log(None, f"{machine}\t- TotalCondorLoad: {ours:.3f}\t= TotalOwnerLoad: {rest:.3f}")
    for slot in pool.every_slot():
        ad = ads[slot.tag]
        if keyboard:
            idle, console = ad.eval_int("KeyboardIdle", -1), ad.eval_int("ConsoleIdle", -1)
            pool.log(slot, f"Idle time: Keyboard: {idle:<8} Console: {console}")
        if loads:
            load, mine = ad.eval_real("LoadAvg", 0.0) or 0.0, own[slot.tag]
            pool.log(slot, f"LoadAvg: {load:.2f}  CondorLoad: {mine:.2f}  OwnerLoad: {load - mine:.2f}")


def _on_reconfig(pool: Pool, event: Reconfig) -> None:
    """New policies and attributes; the layout of the slots and their names stay."""
    before = pool.settings
    pool.settings = event.settings.changed(
        resources=before.resources, containers=before.containers, virtual=before.virtual, java=before.java
    )
    pool.reconfigured = int(pool.now)
    for slot in pool.slots:
        slot.policy = pool.policy_of(slot.slot_id, slot.type_id)
        for child in slot.children:
            child.policy = slot.policy
    backfill.on_reconfig(pool, before)
    for resource in pool.settings.resources:
        for unit in dict.fromkeys(resource.ids):
            if unit in pool.offline(resource.name):
                pool.log(None, f"{resource.name} {unit} is now marked offline")
    _complain_of_attributes(pool)
    pool.effects.append(Log("Reconfigured"))
    pool.publish()


def _on_containers_found(pool: Pool, event: ContainersFound) -> None:
    """Engines are tried while everything else continues: until then slots offer what was known before."""
    if pool.settings.containers != event.abilities:
        pool.settings = pool.settings.changed(containers=event.abilities)
        pool.publish()


def _on_machines_found(pool: Pool, event: MachinesFound) -> None:
    """They are tried while everything else continues, as engines are."""
    if pool.settings.virtual != event.abilities:
        pool.settings = pool.settings.changed(virtual=event.abilities)
        pool.publish()


def _on_java_found(pool: Pool, event: JavaFound) -> None:
    if pool.settings.java != event.abilities:
        pool.settings = pool.settings.changed(java=event.abilities)
        pool.publish()


def _on_schedd_gone(pool: Pool, event: ScheddGone) -> None:
    """Withdraw the requests of a schedd that is gone; its claims continue until their leases end."""
    preempting.withdraw(pool)
    claiming.on_schedd_gone(pool, event)


def _on_cron_jobs(pool: Pool, event: CronJobs) -> None:
    pool.extras.set_jobs(event.jobs)
    pool.publish()


def _on_cron_ad(pool: Pool, event: CronAd) -> None:
    """The policy sees new attributes with its next evaluation; they are published when that is wanted."""
    sample = sample_of(event.pairs, event.metrics, pool.now) if event.metrics else None
    pairs = without_metrics(event.pairs, event.metrics)
    changed = pool.extras.put(event.job, event.tag, pairs, event.slots, sample)
    if sample is not None:
        _meter(pool, key_of(event.job, event.tag), sample)
    if event.publish or (event.publish is None and changed):
        pool.publish()


def _meter(pool: Pool, device: str, ad: meters.Sample) -> None:
    """Notes the new ad about a device with the run that has it."""
    for slot in pool.claimed():
        run = slot.run
        if run is None or run.waiting:
            continue
        known = pool.extras.samples(pool.make_ad(slot), slot.slot_id).get(device)
        if known is not None:
            run.meters.add(device, known, ad)


def _on_update_ad(pool: Pool, event: UpdateAd) -> None:
    pool.extras.tell(event.pairs, pool.now)
    pool.publish()


def _on_clock_jumped(pool: Pool, event: ClockJumped) -> None:
    """Move the times that the core keeps by the seconds that the clock has jumped."""
    seconds = event.seconds
    if pool.lease_from is not None:
        pool.lease_from += seconds
    pool.claimed_at += seconds
    for client in pool.clients.values():
        client.started += seconds
    if seconds > 0:
        pool.log(None, f"The clock advanced by {seconds:.0f} seconds while this machine slept: they are not counted")
        for slot in pool.every_slot():
            _pass_over(slot, seconds)
    else:
        pool.log(None, f"The clock was set back by {-seconds:.0f} seconds: what was is as long ago as before")
        _set_back(pool, seconds)
        for slot in pool.every_slot():
            _set_slot_back(slot, seconds)
    pool.publish()


def _pass_over(slot: Slot, seconds: float) -> None:
    """Leave seconds that the machine slept out of what a slot and its run wait for."""
    if slot.place == MATCHED:
        slot.entered_state += seconds
    run = slot.run
    if run is not None:
        if run.suspended_at is None:
            run.suspended_total += seconds
        _move_deadlines(run, seconds)


def _move_deadlines(run: Run, seconds: float) -> None:
    if run.kill_at is not None:
        run.kill_at += seconds
    if run.give_up_at is not None:
        run.give_up_at += seconds


def _set_back(pool: Pool, seconds: float) -> None:
    """Set back the times that concern the whole machine."""
    pool.published += seconds
    pool.power.next_check += seconds
    pool.drain.counted_until += seconds
    pool.last_benchmark += int(seconds)
    if pool.rests_until:
        pool.rests_until += seconds
    for client in pool.clients.values():
        client.rests_until += seconds


def _set_slot_back(slot: Slot, seconds: float) -> None:
    """Set back the times of a slot, its claim and its run."""
    slot.entered_state += seconds
    slot.entered_activity += seconds
    slot.fetch.since += seconds
    slot.fetch.due += seconds
    slot.busy.move(seconds)
    slot.latches = {name: Latch(latch.value, latch.since + int(seconds)) for name, latch in slot.latches.items()}
    if slot.claim is not None:
        slot.claim.born += seconds
    run = slot.run
    if run is not None:
        run.started += seconds
        run.cpu_seen_at += seconds
        if run.suspended_at is not None:
            run.suspended_at += seconds
        _move_deadlines(run, seconds)


_HANDLERS: dict[type, Callable[[Pool, Any], None]] = {
    Poll: _on_poll,
    ClaimRequest: claiming.on_request,
    BetterClaim: preempting.on_better,
    WithdrawClaim: lambda pool, event: preempting.withdraw(pool, event.id),
    Match: settling.on_match,
    BenchmarksDone: benchmarks.on_done,
    BackfillStarted: backfill.on_started,
    PowerFound: power.on_found,
    Woken: power.on_woken,
    ClockJumped: _on_clock_jumped,
    BackfillGone: backfill.on_gone,
    WorkFetched: fetchwork.on_fetched,
    CronJobs: _on_cron_jobs,
    CronAd: _on_cron_ad,
    UpdateAd: _on_update_ad,
    Activate: running.on_activate,
    Ready: running.on_starter_ready,
    CatalogsStaged: dataslots.on_staged,
    RunStarted: running.on_started,
    RunUpdate: running.on_update,
    Sample: running.on_sample,
    RunEnded: running.on_ended,
    StarterGone: running.on_starter_gone,
    ReleaseClaim: claiming.on_release,
    Deactivate: running.on_deactivate,
    Vacate: evaluation.on_vacate,
    SuspendClaim: running.on_suspend,
    ContinueClaim: running.on_continue,
    Drain: draining.on_drain,
    CancelDrain: draining.on_cancel,
    Shutdown: draining.on_shutdown,
    ScheddGone: _on_schedd_gone,
    ScheddSilent: claiming.on_schedd_silent,
    ScheddBack: claiming.on_schedd_back,
    Reconfig: _on_reconfig,
    ContainersFound: _on_containers_found,
    MachinesFound: _on_machines_found,
    JavaFound: _on_java_found,
}

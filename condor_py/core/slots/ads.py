"""Ads of the startd and of its slots. What slots share is kept between polls; the ad of a slot is a copy of that with
its own attributes on top: sizes, state, policy, and those of its claim and its job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import is_

from condor_py.core.slots import expressions, machineads, patience, virtual
from condor_py.core.slots.draining import drain_forecast
from condor_py.core.slots.machineads import Pair, count, flag, real
from condor_py.core.slots.meters import Sample, device_pairs, run_pairs
from condor_py.core.slots.policy import View, is_constant
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.resources import GPUS
from condor_py.core.slots.state import Claim, Latch, Run, Slot, SlotKind
from condor_py.core.slots.transitions import Place
from condor_py.lang.classad import ClassAd, is_valid, quote_string, value_text, whole
from condor_py.model.facts import MachineFacts
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.states import SlotState

#: Knobs that a job sees in .machine.ad under their configuration names, and the fields of SlotPolicy.
_KNOBS_FOR_JOBS = (
    ("SUSPEND", "suspend"),
    ("CONTINUE", "continue_"),
    ("PREEMPT", "preempt"),
    ("KILL", "kill"),
    ("WANT_SUSPEND", "want_suspend"),
    ("WANT_VACATE", "want_vacate"),
    ("WANT_HOLD", "want_hold"),
    ("IsOwner", "is_owner"),
)


#: Which slots get the owner's load first.
_LOAD_ORDER = {SlotState.OWNER: 0, SlotState.UNCLAIMED: 1}
#: Less than this many busy cpus are not passed on to a dynamic slot.
_LEAST_LOAD = 0.05


class AdWriter:
    """Writes the ads of a pool as it is at ``pool.now``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._base = ClassAd()
        self._base_of: tuple[StartdSettings, MachineFacts] | None = None
        self._known = ClassAd()
        self._known_of: tuple[object, ...] = (None,)
        self._frame: tuple[tuple[float, int], ClassAd, dict[str, float]] | None = None
        self._slot_values: dict[str, str] = {}
        self._kept: dict[str, tuple[object, ClassAd]] = {}
        #: Attributes of a claim as long as it lasts, by the tag of its slot; its user may change.
        self._claims: dict[str, tuple[Claim, str, ClassAd, ClassAd]] = {}

    def _constant(self) -> ClassAd:
        """The shared attributes that only new settings or other hardware change."""
        pool = self._pool
        if self._base_of is None or not self._same(self._base_of):
            self._base = ClassAd.from_text_items(machineads.constant_pairs(pool.settings, pool.facts))
            self._base_of = (pool.settings, pool.facts)
        return self._base

    def _same(self, made_of: tuple[StartdSettings, MachineFacts]) -> bool:
        settings, facts = made_of
        now = self._pool.facts
        return (
            settings is self._pool.settings
            and (facts.os, facts.cpu, facts.host) == (now.os, now.cpu, now.host)
            and facts.execute_volume == now.execute_volume
        )

    def _with_facts(self) -> ClassAd:
        """These and what is known of the machine, as long as that is the same."""
        pool = self._pool
        made_of = (pool.settings, pool.facts, pool.machine, pool.reconfigured)
        if not all(map(is_, made_of, self._known_of)):
            self._known = self._constant().copy()
            self._known.set_texts(machineads.facts_pairs(pool))
            self._known_of = made_of
        return self._known

    def _shared(self) -> ClassAd:
        ad = self._with_facts().copy()
        ad.set_texts(machineads.changing_pairs(self._pool))
        return ad

    def slot_ad(self, slot: Slot) -> ClassAd:
        """The ad of one slot."""
        shared, owner_loads = self._present()
        return self._write(shared, slot, owner_loads.get(slot.tag, 0.0))

    def _present(self) -> tuple[ClassAd, dict[str, float]]:
        """Attributes that all slots share now, and the owner's load by slot tag; computed once for many slots."""
        key = (self._pool.now, self._pool.revision)
        if self._frame is None or self._frame[0] != key:
            self._frame = (key, self._shared(), self._owner_loads())
        return self._frame[1], self._frame[2]

    def refresh(self) -> None:
        """Computes what the ads show from now on of former values and of one another."""
        latched = self._pool.settings.latched
        if any(is_latched(name) for name in latched):
            for slot in self._pool.every_slot():
                with self._pool.paying(slot):
                    look_at_latches(slot, latched, self.slot_ad(slot), self._pool.now)
        self._refresh_slot_attrs()

    def _refresh_slot_attrs(self) -> None:
        """STARTD_SLOT_ATTRS: chosen attributes of all slots, as values."""
        names = self._pool.settings.slot_attrs
        if not names:
            self._slot_values = {}
            return
        found: dict[str, str] = {}
        for slot in self._pool.every_slot():
            ad = self.slot_ad(slot)
            for name in names:
                if ad.has(name):
                    with self._pool.paying(slot):
                        found[f"{slot.tag}_{name}"] = value_text(ad.raw(name))
        self._slot_values = found

    def machine_ad(self, slot: Slot) -> ClassAd:
        """The ad of one slot as its job gets it: with the policy knobs."""
        ad = self.slot_ad(slot)
        for name, field in _KNOBS_FOR_JOBS:
            text: str = getattr(slot.policy.settings, field)
            if text:
                ad.set_text(name, text)
        ad.set_int("CLAIM_WORKLIFE", self._pool.settings.claim_worklife)
        return ad

    def all_ads(self) -> list[ClassAd]:
        """The ads of all slots, then the StartDaemon ad. Counts as an update of every slot."""
        pool = self._pool
        pool.updates += 1
        self.refresh()
        shared = self._shared()
        loads = [condor_load(pool, slot) for slot in pool.every_slot()]
        shared.set_text("TotalCondorLoadAvg", machineads.real(round(sum(loads), 6)))
        shared.set_texts(drain_forecast(pool))
        daemon = self._daemon(shared)
        owner_loads = self._owner_loads()
        ads: list[ClassAd] = []
        for slot in pool.every_slot():
            slot.updates += 1
            ad = self._write(shared, slot, owner_loads.get(slot.tag, 0.0))
            ad.set_texts(update_pairs(slot))
            ads.append(ad)
        return [*ads, daemon]

    def _lasting(self, slot: Slot) -> ClassAd:
        """The attributes of a slot that only a change of its size, its state or the settings changes."""
        pool = self._pool
        key = (slot.place, pool.offered(slot), slot.ids, slot.broken, len(slot.children), slot.policy.settings)
        mode = (pool.settings, pool.drain.active, pool.drain.start, pool.shutdown, pool.rests)
        known = self._kept.get(slot.tag)
        if known is not None and known[0] == (key, mode):
            return known[1]
        ad = ClassAd()
        ad.set_texts(identity_pairs(slot))
        ad.set_texts(amount_pairs(pool, slot))
        ad.set_texts(policy_pairs(pool, slot))
        self._kept[slot.tag] = ((key, mode), ad)
        return ad

    def _of_claim(self, slot: Slot, claim: Claim) -> ClassAd:
        """The attributes of a claimed slot that last as long as its claim has the same job and user."""
        known = self._claims.get(slot.tag)
        if known is not None and known[0] is claim and known[1] == claim.user and known[2] is claim.ad:
            return known[3]
        ad = ClassAd.from_text_items(claim_pairs(self._pool, slot, claim))
        self._claims[slot.tag] = claim, claim.user, claim.ad, ad
        return ad

    def daemon_ad(self) -> ClassAd:
        """The StartDaemon ad."""
        shared = self._shared()
        shared.set_texts(drain_forecast(self._pool))
        return self._daemon(shared)

    def _daemon(self, shared: ClassAd) -> ClassAd:
        ad = shared.copy()
        ad.set_texts(machineads.daemon_pairs(self._pool))
        return ad

    def _owner_loads(self) -> dict[str, float]:
        """The load that is not ours by slot tag, without zeros. Unclaimed slots take it first, each up to its cpus; a
        partitionable slot passes on to its dynamic slots what exceeds its idle cpus."""
        pool = self._pool
        if pool.facts.load_avg <= 0.0:
            return {}
        rest = max(0.0, pool.facts.load_avg - sum(condor_load(pool, slot) for slot in pool.every_slot()))
        found: dict[str, float] = {}
        for slot in sorted(pool.slots, key=lambda slot: _LOAD_ORDER.get(slot.state, len(_LOAD_ORDER))):
            found[slot.tag] = min(rest, slot.total.cpus)
            rest -= found[slot.tag]
        for slot in pool.slots:
            for child in slot.children:
                excess = found[slot.tag] - slot.free.cpus
                if excess <= _LEAST_LOAD:
                    break
                found[child.tag] = min(excess, child.total.cpus)
                found[slot.tag] -= found[child.tag]
        return found

    def _write(self, shared: ClassAd, slot: Slot, owner_load: float) -> ClassAd:
        pool = self._pool
        ad = shared.copy()
        ad.attrs.update(self._lasting(slot).attrs)
        if pool.facts.slot_volumes:
            volume = next((found for found in pool.facts.slot_volumes if found.slot_id == slot.slot_id), None)
            if volume is not None:
                ad.set_str("ExecuteVolume", volume.volume)
        if pool.settings.resources:
            ad.set_texts(unit_pairs(pool, slot))
        conflict = pool.conflict(slot)
        if conflict:
            ad.set_str("ResourceConflict", conflict)
        ad.set_texts(activity_pairs(pool, slot, owner_load))
        ad.set_texts(child_pairs(pool, slot))
        if slot.claim is not None:
            ad.attrs.update(self._of_claim(slot, slot.claim).attrs)
        ad.set_texts(job_pairs(pool, slot))
        for name, text in slot.policy.settings.attrs:
            if not text:
                ad.remove(name)
            elif is_valid(text):
                ad.set_text(name, text)
        if self._slot_values:
            ad.set_texts(self._slot_values.items())
        samples: dict[str, Sample] = {}
        if not pool.extras.silent:
            pool.extras.merge_into(ad, slot.slot_id)
            samples = pool.extras.samples(ad, slot.slot_id)
        if samples:
            ad.set_texts(device_pairs(samples.values(), pool.now - pool.born, pool.settings.show_uptime))
            if slot.run is not None:
                ad.set_texts(run_pairs(slot.run.meters, samples))
        if slot.latches:
            ad.set_texts(latch_pairs(slot, pool.settings.latched))
        ad.set_texts(state_pairs(pool, slot, ad))
        return ad


#: A partitionable slot knows itself since when it has its dynamic slots.
_BUILT_IN = "numdynamicslots"


def is_latched(name: str) -> bool:
    """Whether an expression of this name has to be looked at."""
    return name.lower() != _BUILT_IN


def look_at_latches(slot: Slot, names: tuple[str, ...], ad: ClassAd, now: float) -> None:
    """Note which expressions of STARTD_LATCH_EXPRS have another value than before; ``ad`` is the slot's ad now.

    A slot shows since when in <name>Time (Unix seconds), and in <name>Value the value of what is no constant, as an
    integer.
    """
    for name in names:
        if not is_latched(name):
            continue
        found = expressions.number(ad, name, None)
        value = None if found is None else whole(found)
        before = slot.latches.get(name, Latch())
        if value != before.value:
            slot.latches[name] = Latch(value, int(now))


def latch_pairs(slot: Slot, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Attributes that show the slot's latches."""
    texts = {name.lower(): text for name, text in slot.policy.settings.attrs}
    for name in names:
        latch = slot.latches.get(name)
        if latch is None:
            continue
        text = texts.get(name.lower(), slot.policy.settings.cpu_busy if name.lower() == "cpubusy" else "")
        if latch.value is not None and not is_constant(text):
            yield f"{name}Value", str(latch.value)
        yield f"{name}Time", str(latch.since)


#: Attributes of the running job that every slot shows (STARTD_JOB_ATTRS adds to them).
JOB_ATTRS = (
    "ImageSize",
    "ResidentSetSize",
    "DiskUsage",
    "ExecutableSize",
    "MemoryUsage",
    "CpusUsage",
    "JobUniverse",
    "NumPids",
)
#: The last 128 updates, four to a digit; a bit that is set means one that was lost.
_NONE_LOST = "0" * 32
_DISK_LIMIT = (
    'MY.Disk > 0 && (TARGET.RequestDisk - ifthenelse(MappingMethod ?: "" != "Copy",'
    "ifthenelse(RequestedCatalogs =?= undefined || catalogs =?= undefined,0,"
    "sum(evalInEachContext(member(CatalogID,RequestedCatalogIDs) ? CatalogSize : 0,catalogs))),0)) <= MY.Disk"
)


_CONSUMED = (
    "ifThenElse(TARGET._cp_orig_Request{name} =!= undefined,TARGET.Request{name} <= MY.{name},"
    "MY.Consumption{name} <= MY.{name})"
)


#: What jobs have to say where there is no network for them.
_NO_NETWORK = "TARGET.WantJobNetworking =?= false"


def within_resource_limits(custom: tuple[str, ...], consumes: bool = False, networking: bool = True) -> str:
    """The text of WithinResourceLimits on a machine with these custom resources; where the slot has a consumption
    policy, what a match consumes counts, unless the negotiator has put that into the request already."""
    further = [] if networking else [_NO_NETWORK]
    if consumes:
        names = sorted(("Cpus", "Memory", "Disk", *custom), key=str.lower)
        return "(" + " && ".join([_CONSUMED.format(name=name) for name in names] + further) + ")"
    terms = [
        "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus",
        "MY.Memory > 0 && TARGET.RequestMemory <= MY.Memory",
        _DISK_LIMIT,
    ]
    terms += [f"(TARGET.Request{name} =?= undefined || MY.{name} >= TARGET.Request{name})" for name in custom]
    return " && ".join(terms + further)


def identity_pairs(slot: Slot) -> Iterator[Pair]:
    """Names, numbers and sizes."""
    yield "MyType", quote_string("Machine")
    yield "TargetType", quote_string("Job")
    yield "Name", quote_string(slot.name)
    yield "SlotID", str(slot.slot_id)
    yield "SlotType", quote_string(slot.kind.value)
    yield "SlotTypeID", str(slot.type_id)
    if slot.kind is SlotKind.PARTITIONABLE:
        yield "PartitionableSlot", "true"
    if slot.kind is SlotKind.DYNAMIC:
        yield "DynamicSlot", "true"
        if slot.data:
            yield "IsDataSlot", "true"
        yield "DSlotId", str(slot.dslot_id)
        yield "ParentSlotId", str(slot.slot_id)
    if slot.kind is not SlotKind.STATIC:
        yield "PslotRollupInformation", "true"
    yield "TotalSlotCpus", count(slot.total.cpus)
    yield "TotalSlotMemory", str(slot.total.memory)
    yield "TotalSlotDisk", real(float(slot.total.disk))
    for name, amount in slot.total.custom:
        yield f"TotalSlot{name}", count(amount)
        ids = slot.ids.get(name)
        if ids:
            yield f"Assigned{name}", quote_string(",".join(ids))
    for name, text in slot.policy.settings.consumption:
        yield f"Consumption{name}", text
    if slot.policy.settings.consumption and slot.kind is SlotKind.PARTITIONABLE:
        claims = slot.policy.settings.num_claims
        total = int(slot.total.cpus) if claims is None else claims
        yield "NumClaims", str(max(0, total - len(slot.children)))
    yield "SlotWeight", slot.policy.settings.slot_weight
    if slot.backfill:
        yield "BackfillSlot", "true"
    if slot.broken:
        yield "SlotBrokenCode", "1"
        yield "SlotBrokenReason", quote_string(slot.broken)


def unit_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """The units of custom resources: which are free, what each is like, and what is the same for all of the slot."""
    for resource in pool.settings.resources:
        own = slot.ids.get(resource.name, ())
        if not own:
            continue
        free = pool.available(slot, resource.name)
        yield f"Available{resource.name}", f"{{ {','.join(map(resource.property_name, free))} }}"
        properties = dict(resource.properties)
        found = [properties[unit] for unit in own if unit in properties]
        for unit in own:
            if unit in properties:
                text = "; ".join(f"{name} = {value}" for name, value in properties[unit])
                yield resource.property_name(unit), f"[ {text} ]"
        for name, value in found[0] if found else ():
            if name != "Id" and all((name, value) in pairs for pairs in found):
                yield f"{resource.name}_{name}", value


def amount_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """Resources that the slot has, or has left."""
    free = pool.offered(slot)
    yield "Cpus", "0" if slot.broken else count(free.cpus)
    yield "Memory", "0" if slot.broken else str(free.memory)
    yield "Disk", str(free.disk)
    yield "VirtualMemory", str(free.swap)
    for name, amount in free.custom:
        yield name, count(amount)


def policy_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """START, Requirements and the other knobs that matchmaking sees."""
    settings = slot.policy.settings
    draining = pool.drain.active
    if draining and pool.drain.start:
        yield "Start", pool.drain.start
    elif draining or pool.shutdown is not None:
        yield "Start", "false"
    else:
        yield "Start", settings.start
    yield "Requirements", _requirements(pool, slot)
    names = tuple(name for name, _ in slot.total.custom)
    networking = pool.settings.job_networking
    yield "WithinResourceLimits", within_resource_limits(names, bool(settings.consumption), networking)
    yield "Rank", settings.rank
    yield "MaxJobRetirementTime", settings.max_job_retirement_time
    yield "MachineMaxVacateTime", settings.machine_max_vacate_time
    yield "CpuBusy", settings.cpu_busy


def _requirements(pool: Pool, slot: Slot) -> str:
    if slot.broken:
        return quote_string(slot.broken)
    closed = slot.state in (SlotState.PREEMPTING, SlotState.MATCHED) or pool.shutdown is not None or pool.rests
    drained = pool.drain.active and not pool.drain.start
    return "false" if closed or drained else "Start && WithinResourceLimits"


def update_pairs(slot: Slot) -> Iterator[Pair]:
    """Attributes that HTCondor's collector adds to an ad."""
    yield "UpdatesTotal", str(slot.updates)
    yield "UpdatesSequenced", str(max(0, slot.updates - 1))
    yield "UpdatesLost", "0"
    yield "UpdatesHistory", quote_string(_NONE_LOST)


def state_pairs(pool: Pool, slot: Slot, ad: ClassAd) -> Iterator[Pair]:
    """State, activity and the times spent in them; ``ad`` is what has been written of the slot's ad so far."""
    yield from _place_pairs(slot.place)
    yield "EnteredCurrentState", str(int(slot.entered_state))
    yield "EnteredCurrentActivity", str(int(slot.entered_activity))
    yield "UpdateSequenceNumber", str(slot.updates)
    for place in {*slot.times, slot.place}:
        seconds = int(slot.time_in(place, pool.now))
        if seconds:
            yield _time_in(place), str(seconds)
    claim = slot.claim
    yield "CurrentRank", real(float(claim.rank)) if claim is not None else "0.0"
    yield "AcceptedWhileDraining", flag(claim is not None and claim.accepted_while_draining)
    yield "LastFetchWorkSpawned", str(slot.fetch.spawned)
    yield "LastFetchWorkCompleted", str(slot.fetch.completed)
    yield "NextFetchWorkDelay", str(slot.fetch.delay)
    run = slot.run
    left = 0.0 if run is None else patience.retirement_left(pool, slot, View(lambda: ad, run.ad))
    yield "RetirementTimeRemaining", str(int(left))


@cache
def _place_pairs(place: Place) -> tuple[Pair, Pair]:
    return ("State", quote_string(place[0].value)), ("Activity", quote_string(place[1].value))


@cache
def _time_in(place: Place) -> str:
    """The name of the time spent in a place."""
    return f"TotalTime{place[0].value}{place[1].value}"


def activity_pairs(pool: Pool, slot: Slot, owner_load: float) -> Iterator[Pair]:
    """Load and the owner's idle times."""
    mine = condor_load(pool, slot)
    yield "LoadAvg", real(round(mine + owner_load, 6))
    yield "CondorLoadAvg", real(round(mine, 6))
    disconnected = int(pool.now) - pool.born + pool.settings.keyboard_idle_boost
    facts, settings = pool.facts, pool.settings
    keyboard = slot.slot_id <= settings.slots_connected_to_keyboard
    console = slot.slot_id <= settings.slots_connected_to_console
    yield "KeyboardIdle", str(facts.keyboard_idle if keyboard else disconnected)
    yield "ConsoleIdle", str(facts.console_idle if console else disconnected)


def condor_load(pool: Pool, slot: Slot) -> float:
    """The cpus that the slot's jobs kept busy in the last minute; at most the load of the whole machine."""
    return min(slot.busy.average(pool.now), pool.facts.load_avg)


def child_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """The roll-up of the dynamic slots in the ad of a partitionable one: a list each, in the same order."""
    if slot.kind is not SlotKind.PARTITIONABLE:
        return
    yield "NumDynamicSlots", str(len(slot.children))
    yield "NumDynamicSlotsTime", str(int(slot.children_changed))
    columns: tuple[tuple[str, Callable[[Slot], str]], ...] = (
        ("Name", lambda s: quote_string(s.name)),
        ("DSlotId", lambda s: str(s.dslot_id)),
        ("State", lambda s: quote_string(s.state.value)),
        ("Activity", lambda s: quote_string(s.activity.value)),
        ("Cpus", lambda s: count(s.total.cpus)),
        ("Memory", lambda s: str(s.total.memory)),
        ("Disk", lambda s: str(s.total.disk)),
        (GPUS, lambda s: count(s.total.get(GPUS))),
        ("CurrentRank", lambda s: real(float(s.claim.rank)) if s.claim is not None else "0.0"),
        ("EnteredCurrentState", lambda s: str(int(s.entered_state))),
        ("RemoteOwner", lambda s: quote_string(s.claim.submitter) if s.claim is not None else "undefined"),
        ("RemoteUser", lambda s: quote_string(s.claim.user) if s.claim is not None else "undefined"),
        ("AccountingGroup", _accounting_group),
        ("RetirementTimeRemaining", lambda s: str(int(patience.retirement_left(pool, s)))),
    )
    columns += tuple((name, _amount_of(name)) for name, _ in slot.total.custom if name != GPUS)
    for attribute in pool.settings.child_attrs:
        columns += ((attribute, _shown(pool, attribute)),)
    for name, value in columns:
        yield f"Child{name}", f"{{ {','.join(value(child) for child in slot.children)} }}"


def _shown(pool: Pool, attribute: str) -> Callable[[Slot], str]:
    """The value of an attribute of a dynamic slot."""

    def text(slot: Slot) -> str:
        with pool.paying(slot):
            return value_text(pool.make_ad(slot).raw(attribute))

    return text


def _amount_of(name: str) -> Callable[[Slot], str]:
    return lambda slot: count(slot.total.get(name))


def _accounting_group(slot: Slot) -> str:
    """Submitter that the claim is charged to, where that is not simply the job's user: the whole name with domain."""
    if slot.claim is None or slot.claim.ad.text("AccountingGroup") is None:
        return "undefined"
    return quote_string(slot.claim.submitter)


def claim_pairs(pool: Pool, slot: Slot, claim: Claim) -> Iterator[Pair]:
    """Attributes that exist only while the slot is claimed or preempting, and do not change."""
    if claim.ad.text("IsOCUHolder") == "true":
        yield "OCU", "true"
        yield from ((name, text) for name in ("OCUId", "OCUName") if (text := claim.ad.text(name)) is not None)
    yield "RemoteOwner", quote_string(claim.submitter)
    yield "RemoteUser", quote_string(claim.user)
    if claim.ad.text("AccountingGroup") is not None:
        yield "AccountingGroup", _accounting_group(slot)
    limits = _limits(pool, claim.ad)
    if limits:
        yield "ConcurrencyLimits", quote_string(limits.lower())
    yield "RemoteScheddName", quote_string(claim.schedd or pool.facts.host)
    yield "ClientMachine", quote_string(claim.client or pool.facts.host)
    if claim.own_group:
        yield "RemoteGroup", quote_string(claim.own_group)
    yield "RemoteNegotiatingGroup", quote_string(claim.group)
    yield "RemoteAutoregroup", flag(claim.autoregroup)
    yield "PublicClaimId", quote_string(claim.public_id)
    yield "ClaimEndTime", "0"
    if slot.kind is SlotKind.DYNAMIC:
        yield "IsSplittable", "false"


def job_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """NumPids; and for a claim, the user that waits for the slot, and the job that runs."""
    yield "NumPids", "0"
    claim = slot.claim
    if claim is None:
        return
    if slot.better is not None:
        yield "PreemptingRank", real(float(slot.better.rank))
        yield "PreemptingOwner", quote_string(slot.better.request.owner)
        yield "PreemptingUser", quote_string(slot.better.request.submitter)
        waiting = _limits(pool, slot.better.request.job_ad)
        if waiting:
            yield "PreemptingConcurrencyLimits", quote_string(waiting.lower())
    run = claim.run if claim.run is not None and not claim.run.waiting else None
    yield from _claim_times(pool, claim, run)
    if run is not None:
        yield from _pairs_of_run(pool, claim, run)


def _limits(pool: Pool, job: ClassAd) -> str | None:
    with pool.paying(job):
        return job.eval_str("ConcurrencyLimits", None)


def _claim_times(pool: Pool, claim: Claim, run: Run | None) -> Iterator[Pair]:
    job_run = run.run_time(pool.now) if run is not None else 0.0
    job_suspended = run.suspend_time(pool.now) if run is not None else 0.0
    for name, seconds in (
        ("TotalJobRunTime", job_run),
        ("TotalJobSuspendTime", job_suspended),
        ("TotalClaimRunTime", claim.run_time + job_run),
        ("TotalClaimSuspendTime", claim.suspend_time + job_suspended),
    ):
        if int(seconds):
            yield name, str(int(seconds))


def _pairs_of_run(pool: Pool, claim: Claim, run: Run) -> Iterator[Pair]:
    if not claim.fetched:
        yield "JobId", quote_string(run.job)
    text = run.ad.text("GlobalJobId")
    if text is not None:
        yield "GlobalJobId", text
    yield from virtual.run_pairs(run.ad, run.usage)
    yield "JobStart", str(int(run.started))
    if run.pid:
        yield "JobPid", str(run.pid)
    if claim.starter_pid:
        yield "StarterPid", str(claim.starter_pid)
    shown = {"cpususage": real(round(run.load, 6)), **{name.lower(): text for name, text in run.usage.items()}}
    for name in (*JOB_ATTRS, *pool.settings.job_attrs):
        text = shown.get(name.lower()) or shown.get(f"{name.lower()}_raw") or run.ad.text(name)
        if text is not None:
            yield name, text

"""The attributes of one slot: sizes, state, policy, and what its claim and its job add."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from condor_py.core.slots import patience, virtual
from condor_py.core.slots import pool as overlap
from condor_py.core.slots.machineads import Pair, count, flag, real
from condor_py.core.slots.policy import View
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.resources import GPUS
from condor_py.core.slots.state import Claim, Run, Slot, SlotKind
from condor_py.core.slots.transitions import Place
from condor_py.lang.classad import ClassAd, quote_string, value_text
from condor_py.model.states import SlotState

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
        free = overlap.available(pool, slot, resource.name)
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
    free = overlap.offered(pool, slot)
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


def run_pairs(pool: Pool, slot: Slot) -> Iterator[Pair]:
    """NumPids; and of a claim who waits for the slot, and what runs."""
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
        yield from _run_pairs(pool, claim, run)


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


def _run_pairs(pool: Pool, claim: Claim, run: Run) -> Iterator[Pair]:
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

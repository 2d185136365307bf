"""The state of the startd's core, and the ways to change it: every move of a slot goes through ``Pool.move``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from condor_py.core.slots import layout
from condor_py.core.slots.effects import Effect, Log, Publish
from condor_py.core.slots.events import ClaimRequest, ShutdownHow
from condor_py.core.slots.extras import Extras
from condor_py.core.slots.policy import Policy, View
from condor_py.core.slots.resources import Resources, fitting_units, required_units, total, without
from condor_py.core.slots.state import BackfillClient, Claim, ClientState, DrainState, PowerState, Slot, SlotKind
from condor_py.core.slots.transitions import (
    KILLING,
    MOVES,
    RETIRING,
    SUSPENDED,
    VACATING,
    Judgement,
    Place,
    describe,
)
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import Allowance, OwnerBudgets
from condor_py.model.errors import CondorError
from condor_py.model.facts import MachineFacts
from condor_py.model.power import SleepState
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.states import SlotState

#: Seconds that the attributes Recent... count, and that one bucket of such a count has.
WINDOW = 1200
_BUCKET = 60


class Counters:
    """Named counters since the start, and of the last twenty minutes (the attributes Recent...)."""

    __slots__ = ("_recent", "totals")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.totals = dict.fromkeys(names, 0)
        #: By name: [number of the bucket, count], the oldest first.
        self._recent: dict[str, deque[list[int]]] = {name: deque() for name in names}

    def add(self, name: str, now: float) -> None:
        """Count one more."""
        self.totals[name] += 1
        bucket = int(now) // _BUCKET
        recent = self._recent[name]
        if recent and recent[-1][0] == bucket:
            recent[-1][1] += 1
        else:
            recent.append([bucket, 1])

    def recent(self, name: str, now: float) -> int:
        """Count of the last twenty minutes."""
        oldest = (int(now) - WINDOW) // _BUCKET
        recent = self._recent[name]
        while recent and recent[0][0] <= oldest:
            recent.popleft()
        return sum(count for _, count in recent)


COUNTERS = (
    "JobStarts",
    "ActivationRequests",
    "ClaimRequests",
    "JobPreemptions",
    "JobRankPreemptions",
    "JobUserPrioPreemptions",
    "NewDSlotNotMatch",
)

#: Places of slots on their way out, or that wait: they change with time alone.
_RESTLESS = frozenset((RETIRING, SUSPENDED, VACATING, KILLING))

#: Seconds without claims where starters fail, at most.
LONGEST_REST = 60


class Pool:
    """Slots, claims and the state of the whole startd. ``effects`` collects the effects of the present event."""

    def __init__(
        self,
        settings: StartdSettings,
        facts: MachineFacts,
        now: float,
        address: str,
        new_secret: Callable[[], str],
    ) -> None:
        self.settings = settings
        self.facts = facts
        self.now = now
        self.address = address
        self.new_secret = new_secret
        self.born = int(now)
        self.reconfigured = int(now)
        self.published = now
        #: When there was a claim last (Unix seconds).
        self.claimed_at = now
        self.updates = 0
        self.machine = layout.machine_resources(settings, facts)
        self.slots: list[Slot] = []
        self.claims: dict[str, Slot] = {}
        #: The slots that time alone may change.
        self.restless: set[Slot] = set()
        self.effects: list[Effect] = []
        #: Whether no log and no records of runs are wanted.
        self.quiet = False
        self.counters = Counters(COUNTERS)
        self.drain = DrainState()
        self.shutdown: ShutdownHow | None = None
        self.exited = False
        self.lease_from: float | None = None
        self.claim_number = 0
        self.catalog_number = 0
        self.extras = Extras()
        self.about_self: tuple[tuple[str, str], ...] = ()
        #: Number of changes of the slots' places and sizes: what was computed from them is valid until it changes.
        self.revision = 0
        #: The overlap, and the revision for which it was computed.
        self._overlap: tuple[int, Overlap] | None = None
        self.refresh: Callable[[], None] | None = None
        self.again: list[ClaimRequest] = []
        #: Number of claims in a row that were given up because their starters failed, and until when (Unix seconds) no
        #: claim is given.
        self.failed_claims = 0
        self.rests_until = 0.0
        self.benchmarking = False
        self.last_benchmark = 0
        self.benchmark_results: dict[str, str] = {}
        #: Clients that do backfill work, by ``Slot.client``.
        self.clients: dict[str, BackfillClient] = {}
        self.power = PowerState()
        self.budgets = OwnerBudgets()
        self.layout = layout.plan(settings, self.machine, facts.slot_volumes)
        self.make_ad: Callable[[Slot], ClassAd]
        self.ask_for_work: Callable[[Slot], None] | None = None
        self._make_slots()

    @property
    def works_for_itself(self) -> bool:
        """Whether a client that does backfill work is still there."""
        return any(client.state is not ClientState.NONE for client in self.clients.values())

    @property
    def goes_to_sleep(self) -> bool:
        """Whether the machine is on its way into a low power state: no job gets a slot then."""
        return self.power.target is not SleepState.NONE

    @property
    def host(self) -> str:
        """Part of a slot's name after the @."""
        return self.settings.startd_name or self.facts.host

    def _make_slots(self) -> None:
        for plan in self.layout.slots:
            slot = Slot(
                slot_id=plan.slot_id,
                dslot_id=0,
                type_id=plan.slot_type.type_id,
                kind=SlotKind.PARTITIONABLE if plan.slot_type.partitionable else SlotKind.STATIC,
                name=f"{plan.slot_type.prefix}{plan.slot_id}@{self.host}",
                prefix=plan.slot_type.prefix,
                backfill=plan.slot_type.backfill,
                total=plan.amount,
                free=plan.amount,
                policy=self.policy_of(plan.slot_id, plan.slot_type.type_id),
                born=self.now,
                ids=dict(plan.ids),
                free_ids=dict(plan.ids),
                broken=plan.broken,
                entered_state=self.now,
                entered_activity=self.now,
                children_changed=self.now,
            )
            self.slots.append(slot)

    def policy_of(self, slot_id: int, type_id: int) -> Policy:
        """Return the policy of a slot number; slots with equal settings share one."""
        wanted = self.settings.policy(slot_id, type_id)
        for slot in self.slots:
            if slot.policy.settings == wanted:
                return slot.policy
        return Policy(wanted)

    # -- looking

    def every_slot(self) -> Iterator[Slot]:
        """All slots, each partitionable one followed by its dynamic ones."""
        for slot in self.slots:
            yield slot
            yield from slot.children

    def find(self, name: str) -> Slot | None:
        """The slot of a Name ("slot1@host") or of its first part ("slot1_2"), case not minded."""
        wanted = name.lower()
        for slot in self.every_slot():
            if wanted in (slot.name.lower(), slot.tag.lower()):
                return slot
        return None

    def view(self, slot: Slot, job: ClassAd | None = None) -> View:
        """The ads for an evaluation of the slot's policy: ``job``, else the job that runs, else that of the
        claim."""
        if job is None:
            job = _job_of(slot)

        def made() -> ClassAd:
            ad = self.make_ad(slot)
            ad.chain(slot.policy.backdrop)
            return ad

        return View(made, job)

    def paying(self, payer: Slot | ClassAd | None) -> Allowance:
        """Charge the expressions of a job to the owner of that job, or of the one that a slot has."""
        if isinstance(payer, Slot):
            payer = _job_of(payer)
        return self.budgets.of(payer, self.now)

    # -- telling

    def emit(self, *effects: Effect) -> None:
        """Add effects to those of the present event."""
        self.effects.extend(effects)

    def log(self, slot: Slot | None, text: str, *, block: bool = False) -> None:
        """Log a line with the slot in front, or a block of lines."""
        if not self.quiet:
            self.effects.append(Log(text if slot is None else f"{slot.tag}: {text}", block=block))

    def log_starter(self, slot: Slot, text: str) -> None:
        """Log a line about the starter of a slot, with the slot and its job in front."""
        run = slot.run
        job = f"[{run.job}]" if run is not None and not run.waiting else ""
        if not self.quiet:
            self.effects.append(Log(f"{slot.tag}{job}: {text}"))

    def decide(self, slot: Slot, place: Place, judgement: Judgement, reason: str) -> None:
        """Log the two lines about a decision of the policy, before the move that follows."""
        self.log(slot, f"eval_policy state should be: {place[0].value}/{place[1].value} {judgement.value} {reason}")
        self.log(slot, f"State change: {reason}.")

    # -- changing

    @property
    def rests(self) -> bool:
        """Whether no claim is given because starters fail on this machine."""
        return self.now < self.rests_until

    def starters_fail(self) -> None:
        """A claim was given up because its starters failed: give no other for a second, twice as long each time, a
        minute at most."""
        self.failed_claims += 1
        seconds = min(LONGEST_REST, 2 ** min(self.failed_claims - 1, 10))
        self.rests_until = self.now + seconds
        self.log(None, f"Starters fail on this machine: no claims for {seconds} s")
        self.publish()

    def starters_work(self) -> None:
        """A starter is ready, or the rest is over: claims may be given again."""
        if self.rests_until:
            self.rests_until = 0.0
            self.publish()

    def move(self, slot: Slot, place: Place) -> None:
        """Move a slot, with the times of its places, and log it. IllegalTransition if there is no such move."""
        old = slot.place
        if place not in MOVES[old]:
            past = [f"{when:.3f} {text}" for when, text in slot.story]
            story = "; ".join([*past, f"now to {place[0].value}/{place[1].value}"])
            raise IllegalTransition(
                f"{slot.name} cannot go from {old[0].value}/{old[1].value} "
                f"to {place[0].value}/{place[1].value}. Story: {story}"
            )
        now = self.now
        slot.times[old] = slot.times.get(old, 0.0) + now - slot.entered_activity
        slot.entered_activity = now
        if old[0] is not place[0]:
            slot.entered_state = now
        text = describe(old, place)
        self.log(slot, text)
        slot.story.append((now, text))
        slot.place = place
        if place in _RESTLESS:
            self.restless.add(slot)
        else:
            self.restless.discard(slot)
        self.touch()

    def touch(self) -> None:
        """Note that the slots have changed: what was computed from them is no longer valid."""
        self.revision += 1

    def publish(self) -> None:
        """Ask for the ads to be published soon, once for an event."""
        for effect in self.effects:
            if type(effect) is Publish:
                return
        self.effects.append(Publish())

    def overlap(self) -> Overlap:
        """Return the present overlap. It is computed once for each change of the slots."""
        if self._overlap is None or self._overlap[0] != self.revision:
            self._overlap = (self.revision, _overlap_of(self))
        return self._overlap[1]

    def conflict(self, slot: Slot) -> str:
        """The resources of a backfill slot that are in conflict with primary slots, as in ResourceConflict."""
        return self.overlap().conflicts.get(slot.tag, "") if slot.backfill else ""

    def offered(self, slot: Slot) -> Resources:
        """Return the resources that a slot has to offer. A partitionable backfill slot does not offer those of the
        machine that primary jobs use, nor units that they have."""
        if not slot.backfill:
            return self.online(slot, slot.free)
        free, used = slot.free, Resources()
        if slot.kind is SlotKind.PARTITIONABLE:
            found = self.overlap().primary
            used = Resources(cpus=found.cpus, memory=found.memory, custom=found.custom)
        custom = []
        for name, amount in free.custom:
            if name in slot.ids:
                custom.append((name, min(amount, float(len(self.available(slot, name))))))
            else:
                custom.append((name, max(0.0, amount - used.get(name))))
        cpus = max(0.0, round(free.cpus - used.cpus, 6))
        return Resources(cpus, max(0, free.memory - used.memory), free.disk, free.swap, tuple(custom))

    def offline(self, resource: str) -> tuple[str, ...]:
        """Units of a resource that no job gets from now on (OFFLINE_MACHINE_RESOURCE_<name>), in whichever slot."""
        return next((units for name, units in self.settings.offline if name == resource.lower()), ())

    def online(self, slot: Slot, amount: Resources) -> Resources:
        """Return ``amount``, which a slot has, without its units that are offline."""
        if not self.settings.offline:
            return amount
        custom = [
            (name, min(count, float(len(self.available(slot, name)))) if name in slot.ids else count)
            for name, count in amount.custom
        ]
        return replace(amount, custom=tuple(custom))

    def available(self, slot: Slot, resource: str) -> tuple[str, ...]:
        """Return the units of a resource that a slot may use, or give away if it is partitionable."""
        free = slot.free_ids if slot.kind is SlotKind.PARTITIONABLE else slot.ids
        own = free.get(resource, ())
        if offline := self.offline(resource):
            own = tuple(unit for unit in own if unit not in offline)
        if not own or not slot.backfill:
            return own
        used = self.overlap().units
        return tuple(unit for unit in own if (resource, unit) not in used)

    def units_for(self, slot: Slot, job: ClassAd) -> dict[str, tuple[str, ...]]:
        """The free units of a partitionable slot that ``job`` may have, by resource (Require<name>)."""
        found: dict[str, tuple[str, ...]] = {}
        for resource in self.settings.resources:
            if resource.name in slot.free_ids:
                wanted = required_units(job, resource.name)
                found[resource.name] = fitting_units(resource, self.available(slot, resource.name), wanted, job)
        return found

    def carve(self, parent: Slot, amount: Resources, job: ClassAd) -> Slot:
        """Make a dynamic slot with the lowest free number, and with units that ``job`` may have."""
        at = _first_gap(parent.children)
        chosen = self.units_for(parent, job)
        ids = {name: own[: int(amount.get(name))] for name, own in chosen.items() if amount.get(name) > 0}
        slot = Slot(
            slot_id=parent.slot_id,
            dslot_id=at + 1,
            type_id=parent.type_id,
            kind=SlotKind.DYNAMIC,
            name=f"{parent.prefix}{parent.slot_id}_{at + 1}@{self.host}",
            prefix=parent.prefix,
            backfill=parent.backfill,
            total=amount,
            free=amount,
            policy=parent.policy,
            born=self.now,
            parent=parent,
            ids=ids,
            entered_state=self.now,
            entered_activity=self.now,
        )
        parent.free = parent.free - amount
        for name, taken_ids in ids.items():
            parent.free_ids[name] = without(parent.free_ids[name], taken_ids)
        parent.children.insert(at, slot)
        parent.children_changed = self.now
        self.touch()
        of_type = f" of type {slot.type_id}" if slot.type_id else ""
        self.log(slot, f"New {'backfill ' if slot.backfill else ''}dSlot{of_type} allocated")
        self.log(slot, f"\t{amount.describe()}")
        return slot

    def delete(self, slot: Slot) -> None:
        """Gives a dynamic slot's resources back to its parent."""
        parent = slot.parent
        if parent is None:
            raise IllegalTransition(f"{slot.name} is no dynamic slot and cannot be deleted")
        self.log(slot, f"Slot {slot.tag} no longer needed, deleting")
        parent.children.remove(slot)
        parent.busy.absorb(slot.busy, self.now)
        parent.free = parent.free + slot.total
        give_back(parent, slot.ids)
        parent.children_changed = self.now
        self.touch()
        self.publish()

    def set_claim(self, slot: Slot, claim: Claim) -> None:
        """Gives the slot to a claim."""
        slot.claim = claim
        self.claims[claim.claim_id] = slot
        self.touch()

    def drop_claim(self, slot: Slot) -> Claim:
        """Takes the claim off the slot."""
        claim = slot.claim
        if claim is None:
            raise IllegalTransition(f"{slot.name} has no claim to drop")
        slot.claim = None
        del self.claims[claim.claim_id]
        self.extras.uncolor(claim.public_id)
        self.touch()
        return claim

    def new_claim_id(self) -> tuple[str, str]:
        """(secret id, public id) of the next claim."""
        self.claim_number += 1
        stem = f"{self.address}#{self.born}#{self.claim_number}#"
        return stem + self.new_secret(), stem + "..."

    def claimed(self) -> list[Slot]:
        """The slots that have a claim."""
        return list(self.claims.values())


class IllegalTransition(CondorError):
    """A slot was to make a move that does not exist. The text has the slot's transitions so far."""


class BrokenInvariant(CondorError):
    """The core's state is inconsistent. The text names the slot and what is wrong."""


def _job_of(slot: Slot) -> ClassAd | None:
    """Return the ad of the job that runs on a slot, else that of the job that it was claimed for."""
    claim = slot.claim
    if claim is None:
        return None
    return claim.ad if claim.run is None else claim.run.ad


_CLAIMED = (SlotState.CLAIMED, SlotState.PREEMPTING)
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Overlap:
    """Use of the machine by jobs on primary and on backfill slots, the excess of backfill slots over the primary ones,
    the units that primary jobs have, and the conflicts, by the tag of the backfill slot."""

    primary: Resources
    backfill: Resources
    excess: Resources
    units: frozenset[tuple[str, str]] = frozenset()
    conflicts: dict[str, str] = field(default_factory=dict)


def give_back(parent: Slot, ids: Mapping[str, tuple[str, ...]]) -> None:
    """Return units of a dynamic slot to its parent, which keeps them in the order of its own."""
    for name, units in ids.items():
        given = without(parent.ids[name], (*parent.free_ids[name], *units))
        parent.free_ids[name] = without(parent.ids[name], given)


def _first_gap(children: Sequence[Slot]) -> int:
    """Return how many of the dynamic slots, which are in order, have the numbers from 1 without a gap."""
    low, high = 0, len(children)
    while low < high:
        middle = (low + high) // 2
        if children[middle].dslot_id == middle + 1:
            low = middle + 1
        else:
            high = middle
    return low


def _overlap_of(pool: Pool) -> Overlap:
    """Compute the overlap of backfill slots with primary slots."""
    zero = Resources(custom=tuple((name, 0.0) for name, _ in pool.machine.custom))
    active = [slot for slot in pool.every_slot() if _is_active(slot)]
    primary = [slot for slot in active if not slot.backfill]
    behind = [slot for slot in active if slot.backfill]
    has = total((slot.total for slot in pool.slots if not slot.backfill), zero)
    excess = _at_least(total((slot.total for slot in pool.slots if slot.backfill), zero) - has)
    used, used_behind = (total((slot.total for slot in slots), zero) for slots in (primary, behind))
    units = frozenset((name, unit) for slot in primary for name, ids in slot.ids.items() for unit in ids)
    left = has + excess - used - used_behind
    return Overlap(used, used_behind, excess, units, _conflicts(behind, units, left))


def _is_active(slot: Slot) -> bool:
    """Whether jobs use the resources of a slot. A partitionable slot counts by its dynamic slots."""
    return slot.kind is SlotKind.DYNAMIC or (slot.kind is SlotKind.STATIC and slot.state in _CLAIMED)


def _at_least(amount: Resources) -> Resources:
    """Return an amount with 0 in place of negative numbers."""
    custom = tuple((name, max(0.0, count)) for name, count in amount.custom)
    return Resources(max(0.0, amount.cpus), max(0, amount.memory), max(0, amount.disk), max(0, amount.swap), custom)


def _conflicts(behind: list[Slot], units: frozenset[tuple[str, str]], left: Resources) -> dict[str, str]:
    """Return the conflicts of backfill slots by tag: resources that are short, and units that a primary job has. What a
    slot in conflict has does not count as short for the next ones; slots with such units come first."""
    found: dict[str, str] = {}
    own = {
        slot.tag: [unit for name, ids in slot.ids.items() for unit in ids if (name, unit) in units] for slot in behind
    }
    for slot in sorted(behind, key=lambda slot: not own[slot.tag]):
        lacking = [name for name in left.names() if name != "Swap" and left.get(name) < -_EPSILON]
        words = [*lacking, *own[slot.tag]]
        if words:
            found[slot.tag] = ",".join(words)
        if lacking:
            left = left + slot.total
    return found

"""Puts the ads together. What slots share is kept between polls; a slot's ad is a copy of it with its own on
top."""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_

from condor_py.core.slots import expressions, machineads, slotads
from condor_py.core.slots import pool as overlap
from condor_py.core.slots.draining import drain_forecast
from condor_py.core.slots.meters import Sample, device_pairs, run_pairs
from condor_py.core.slots.policy import is_constant
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Claim, Latch, Slot
from condor_py.lang.classad import ClassAd, is_valid, value_text, whole
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
        #: What ads tell of a claim as long as it lasts, by the tag of its slot; who it is for may change.
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
        if any(counts(name) for name in latched):
            for slot in self._pool.every_slot():
                with self._pool.paying(slot):
                    look(slot, latched, self.slot_ad(slot), self._pool.now)
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
        loads = [slotads.condor_load(pool, slot) for slot in pool.every_slot()]
        shared.set_text("TotalCondorLoadAvg", machineads.real(round(sum(loads), 6)))
        shared.set_texts(drain_forecast(pool))
        daemon = self._daemon(shared)
        owner_loads = self._owner_loads()
        ads: list[ClassAd] = []
        for slot in pool.every_slot():
            slot.updates += 1
            ad = self._write(shared, slot, owner_loads.get(slot.tag, 0.0))
            ad.set_texts(slotads.update_pairs(slot))
            ads.append(ad)
        return [*ads, daemon]

    def _lasting(self, slot: Slot) -> ClassAd:
        """The attributes of a slot that only a change of its size, its state or the settings changes."""
        pool = self._pool
        key = (slot.place, overlap.offered(pool, slot), slot.ids, slot.broken, len(slot.children), slot.policy.settings)
        mode = (pool.settings, pool.drain.active, pool.drain.start, pool.shutdown, pool.rests)
        known = self._kept.get(slot.tag)
        if known is not None and known[0] == (key, mode):
            return known[1]
        ad = ClassAd()
        ad.set_texts(slotads.identity_pairs(slot))
        ad.set_texts(slotads.amount_pairs(pool, slot))
        ad.set_texts(slotads.policy_pairs(pool, slot))
        self._kept[slot.tag] = ((key, mode), ad)
        return ad

    def _of_claim(self, slot: Slot, claim: Claim) -> ClassAd:
        """The attributes of a claimed slot that last as long as its claim has the same job and user."""
        known = self._claims.get(slot.tag)
        if known is not None and known[0] is claim and known[1] == claim.user and known[2] is claim.ad:
            return known[3]
        ad = ClassAd.from_text_items(slotads.claim_pairs(self._pool, slot, claim))
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
        """The load that is not ours, by slot tag, where there is any: slots nobody claims take it first, each up to its
        cpus; what is more than the idle cpus of a partitionable slot is passed on to its dynamic ones."""
        pool = self._pool
        if pool.facts.load_avg <= 0.0:
            return {}
        rest = max(0.0, pool.facts.load_avg - sum(slotads.condor_load(pool, slot) for slot in pool.every_slot()))
        found: dict[str, float] = {}
        for slot in sorted(pool.slots, key=lambda slot: _LOAD_ORDER.get(slot.state, len(_LOAD_ORDER))):
            found[slot.tag] = min(rest, slot.total.cpus)
            rest -= found[slot.tag]
        for slot in pool.slots:
            for child in slot.children:
                excess = found[slot.tag] - slot.free.cpus
                found[child.tag] = min(excess, child.total.cpus) if excess > _LEAST_LOAD else 0.0
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
            ad.set_texts(slotads.unit_pairs(pool, slot))
        conflict = overlap.conflict(pool, slot)
        if conflict:
            ad.set_str("ResourceConflict", conflict)
        ad.set_texts(slotads.activity_pairs(pool, slot, owner_load))
        ad.set_texts(slotads.child_pairs(pool, slot))
        if slot.claim is not None:
            ad.attrs.update(self._of_claim(slot, slot.claim).attrs)
        ad.set_texts(slotads.run_pairs(pool, slot))
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
        ad.set_texts(slotads.state_pairs(pool, slot, ad))
        return ad


#: A partitionable slot knows itself since when it has its dynamic slots.
_BUILT_IN = "numdynamicslots"


def counts(name: str) -> bool:
    """Whether an expression of this name has to be looked at."""
    return name.lower() != _BUILT_IN


def look(slot: Slot, names: tuple[str, ...], ad: ClassAd, now: float) -> None:
    """Compares with the look before; ``ad`` is the slot's as it is now."""
    for name in names:
        if not counts(name):
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

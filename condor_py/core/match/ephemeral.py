"""Attributes that exist only while the negotiator evaluates: the submitter that asks, the one that holds the slot, and
the use of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from condor_py.core.accounts import ROOT, Accountant
from condor_py.core.match.slot import Slot, holder
from condor_py.core.match.values import real, single
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import NegotiatorSettings

#: Names whose value changes with every match of a cycle.
_CHANGING = frozenset(
    (
        "submitteruserresourcesinuse",
        "submittergroupresourcesinuse",
        "remoteuserresourcesinuse",
        "remotegroupresourcesinuse",
        "submitternegotiatinggroup",
        "submitterautoregroup",
        "submittergroupquota",
        "remotegroupquota",
    )
)
_SLOT = frozenset(
    (
        "remoteuserprio", "remoteuserfloor", "remoteuserresourcesinuse", "remotegroup", "remotegroupquota",
        "remotegroupresourcesinuse",
    )
)  # fmt: skip
_JOB = (_CHANGING - _SLOT) | {"submitteruserprio", "submittorprio", "submittergroup"}


def _asked_of_others(names: frozenset[str], prefix: str) -> frozenset[str]:
    """``slot3_remoteuserprio`` asks for remoteuserprio."""
    pattern = re.compile(re.escape(prefix.lower()) + r"\d+_(.+)")
    return frozenset(found[1] for found in map(pattern.fullmatch, names) if found)


@dataclass(frozen=True, slots=True)
class GroupContext:
    """The group being served; ``quotas`` are the quotas of all groups, empty when there are none or none is served."""

    name: str = ROOT
    autoregroup: bool = False
    quotas: Mapping[str, float] = field(default_factory=dict)


class Ephemeral:
    """Puts ephemeral attributes into copies of ads, but only those that an expression of this cycle names."""

    def __init__(self, names: frozenset[str], accountant: Accountant, settings: NegotiatorSettings) -> None:
        self._accountant = accountant
        self._grouped = bool(accountant.tree.parent)
        self._prefix = settings.slot_prefix
        #: What expressions ask of other slots' holders, without the slot's prefix.
        others = _asked_of_others(names, self._prefix) if settings.cross_slot_prios else frozenset()
        self._job = bool(names & _JOB)
        self._slot = bool(names & _SLOT)
        #: Whether expressions ask for the holders of other slots.
        self.cross = bool(others & _SLOT) and settings.consider_preemption
        self._holders: dict[int, list[tuple[str, str]]] = {}
        #: Whether matches change what expressions see.
        self.changing = bool((names | others) & _CHANGING)

    def prepare_job(self, ad: ClassAd, submitter: str, eup: float, use: float) -> ClassAd:
        """The ad of a request as expressions see it; the same ad where none looks."""
        if not self._job:
            return ad
        copy = ad.flat_copy()
        copy.set_real("SubmittorPrio", eup)
        copy.set_real("SubmitterUserPrio", eup)
        copy.set_real("SubmitterUserResourcesInUse", use)
        copy.set_str("SubmitterNegotiatingGroup", ROOT)
        copy.set_bool("SubmitterAutoregroup", False)
        if self._grouped:
            copy.set_str("SubmitterGroup", self._accountant.tree.group_of(submitter))
        return copy

    def refresh_job(self, ad: ClassAd, use: float, group: GroupContext, group_use: Mapping[str, float]) -> None:
        """Bring a prepared request up to date."""
        ad.set_real("SubmitterUserResourcesInUse", use)
        ad.set_str("SubmitterNegotiatingGroup", group.name)
        ad.set_bool("SubmitterAutoregroup", group.autoregroup)
        if self._grouped:
            own = ad.eval_str("SubmitterGroup", ROOT) or ROOT
            ad.set_real("SubmitterGroupResourcesInUse", group_use[own])
            ad.set_real("SubmitterGroupQuota", group.quotas[own])

    def prepare_slot(self, slot: Slot, use_of: Callable[[str], float]) -> None:
        """Replace the ad of a slot by a copy with attributes of its holder, and of those of its neighbours."""
        waiting = slot.ad.text("PreemptingRank")
        if waiting is not None and slot.remote:
            slot.current_rank = real(slot.ad, "PreemptingRank", slot.current_rank)
            slot.ad = slot.ad.flat_copy()
            slot.ad.set_text("CurrentRank", waiting)
        holders = self._find_holders(slot)
        if not holders:
            return
        slot.ad = slot.ad.flat_copy()
        self._holders[slot.serial] = holders
        for prefix, user in holders:
            slot.ad.set_real(prefix + "RemoteUserPrio", single(self._accountant.effective_priority(user)))
            if not prefix:
                slot.ad.set_int("RemoteUserFloor", self._accountant.floor(user))
            if self._grouped:
                slot.ad.set_str(prefix + "RemoteGroup", self._accountant.tree.group_of(user))
        self.refresh_slot(slot, use_of, GroupContext())

    def _find_holders(self, slot: Slot) -> list[tuple[str, str]]:
        """The users in a slot's ad, and the prefix of their attributes: none for its own holder, ``slot<N>_`` for those
        of other slots (NEGOTIATOR_CROSS_SLOT_PRIOS)."""
        holders = [("", slot.remote)] if self._slot and slot.remote else []
        if self.cross:
            for number in range(1, int(real(slot.ad, "TotalSlots", 0.0)) + 1):
                prefix = f"{self._prefix}{number}_"
                user = holder(slot.ad, prefix)
                if user:
                    holders.append((prefix, user))
        return holders

    def refresh_slot(self, slot: Slot, use_of: Callable[[str], float], group: GroupContext) -> None:
        """Bring the use of a slot's holder up to date."""
        for prefix, user in self._holders.get(slot.serial, ()):
            slot.ad.set_real(prefix + "RemoteUserResourcesInUse", use_of(user))
            if self._grouped:
                own = self._accountant.tree.group_of(user)
                slot.ad.set_real(prefix + "RemoteGroupResourcesInUse", self._accountant.use(own))
                slot.ad.set_real(prefix + "RemoteGroupQuota", group.quotas.get(own, 0.0))
            slot.forget_kinds()

    def names_user(self, slot: Slot) -> bool:
        """Whether the ad of a slot names a user."""
        return slot.serial in self._holders

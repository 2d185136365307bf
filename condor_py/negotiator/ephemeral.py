"""Attributes that exist only while the negotiator evaluates: who asks, who holds the slot, how much each
uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from condor_py.accountant import ROOT, Accountant
from condor_py.classad import ClassAd
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.values import real, single

#: Names whose value changes with every match of a cycle.
_CHANGING = frozenset(
    (
        "submitteruserresourcesinuse",
        "submittergroupresourcesinuse",
        "remoteuserresourcesinuse",
        "remotegroupresourcesinuse",
        "submitternegotiatinggroup",
        "submitterautoregroup",
    )
)
_JOB = _CHANGING | {"submitteruserprio", "submittorprio", "submittergroup", "submittergroupquota"}
_SLOT = frozenset(
    (
        "remoteuserprio", "remoteuserfloor", "remoteuserresourcesinuse", "remotegroup", "remotegroupquota",
        "remotegroupresourcesinuse",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupContext:
    """The group being served; ``quotas`` are the quotas of all groups, empty when there are none."""

    name: str = ROOT
    autoregroup: bool = False
    quotas: Mapping[str, float] | None = None


class Ephemeral:
    """Puts ephemeral attributes into copies of ads, but only those that an expression of this cycle names."""

    def __init__(self, names: frozenset[str], accountant: Accountant, settings: NegotiatorSettings) -> None:
        self._accountant = accountant
        self._grouped = bool(accountant.tree.parent)
        self._job = bool(names & _JOB)
        self._slot = bool(names & _SLOT) and settings.consider_preemption
        #: Whether matches change what expressions see.
        self.changing = bool(names & _CHANGING)

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
            ad.set_real("SubmitterGroupResourcesInUse", group_use.get(own, 0.0))
            ad.set_real("SubmitterGroupQuota", (group.quotas or {}).get(own, 0.0))

    def prepare_slot(self, slot: Slot, use_of: Callable[[str], float]) -> None:
        """Replace the ad of a held slot by a copy that tells about its holder."""
        waiting = slot.ad.text("PreemptingRank")
        if waiting is not None:
            slot.current_rank = real(slot.ad, "PreemptingRank", slot.current_rank)
        if not slot.remote or not (self._slot or waiting is not None):
            return
        slot.ad = slot.ad.flat_copy()
        if waiting is not None:
            slot.ad.set_text("CurrentRank", waiting)
        if self._slot:
            user = slot.remote
            slot.ad.set_real("RemoteUserPrio", single(self._accountant.effective_priority(user)))
            slot.ad.set_int("RemoteUserFloor", self._accountant.floor(user))
            if self._grouped:
                slot.ad.set_str("RemoteGroup", self._accountant.tree.group_of(user))
            self.refresh_slot(slot, use_of)

    def refresh_slot(self, slot: Slot, use_of: Callable[[str], float]) -> None:
        """Bring the use of a slot's holder up to date."""
        if not slot.remote or not self._slot:
            return
        slot.ad.set_real("RemoteUserResourcesInUse", use_of(slot.remote))
        if self._grouped:
            group = self._accountant.tree.group_of(slot.remote)
            slot.ad.set_real("RemoteGroupResourcesInUse", self._accountant.use(group))
        slot.signatures.clear()

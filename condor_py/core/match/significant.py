"""Attributes of jobs that the slots and the negotiator read: jobs that agree in them are one autocluster."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.core.match.values import boolean
from condor_py.lang.classad import ClassAd, parse
from condor_py.lang.classad.references import NameSet, external_references
from condor_py.model.settings.negotiator import NegotiatorSettings

#: Slot attributes that say which jobs fit and which are preferred.
_OF_SLOTS = ("Requirements", "NegotiatorRequirements", "Rank")
#: Names that refer to the negotiation itself or to the slot; no job has them.
_NOT_OF_JOBS = (
    "CurrentTime", "LastHeardFrom", "MachineLastMatchTime", "RemoteGroup", "RemoteGroupQuota",
    "RemoteGroupResourcesInUse", "RemoteOwner", "RemoteUser", "RemoteUserFloor", "RemoteUserPrio",
    "RemoteUserResourcesInUse", "SubmitterAutoregroup", "SubmitterGroup", "SubmitterGroupQuota",
    "SubmitterGroupResourcesInUse", "SubmitterNegotiatingGroup", "SubmitterUserPrio",
    "SubmitterUserResourcesInUse", "SubmittorPrio", "TotalJobRunTime",
)  # fmt: skip


def significant_attributes(slots: Iterable[ClassAd], settings: NegotiatorSettings) -> tuple[str, ...]:
    """Sorted names. Dynamic slots are passed over: they ask what their partitionable slot asks."""
    names = NameSet()
    knobs = (
        settings.preemption_requirements,
        settings.preemption_rank,
        settings.pre_job_rank,
        settings.post_job_rank,
        settings.gang_preemption_requirements,
        settings.gang_preemption_rank,
    )
    expressions = [parse(text) for text in knobs if text.strip()]
    for slot in slots:
        if boolean(slot, "DynamicSlot"):
            continue
        consumed = [name for name, _ in slot.text_items() if name.lower().startswith("consumption")]
        for text in (slot.text(name) for name in (*_OF_SLOTS, *consumed)):
            if text is not None:
                names.update(external_references(text, slot))
        for expression in expressions:
            names.update(external_references(expression, slot))
    if settings.job_constraint.strip():
        names.update(external_references(settings.job_constraint))
    for name in _NOT_OF_JOBS:
        names.discard(name)
    return tuple(names)

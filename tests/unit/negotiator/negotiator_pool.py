"""Pools to negotiate in: slots, submitters with priorities, and what a plan gave to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from condor_py.core.accounts import Accountant, edits
from condor_py.core.match import Request, Snapshot, SubmitterDemand, negotiate
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.plan import Plan
from condor_py.model.settings.negotiator import AccountantSettings, NegotiatorSettings

NOW = 1_795_213_926

WITHIN = "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && TARGET.RequestMemory <= MY.Memory"
REQUIREMENTS = "TARGET.Memory >= RequestMemory && TARGET.Cpus >= RequestCpus"


def slot(number: int, weight: float | None = None, **attributes: object) -> ClassAd:
    """A static, unclaimed slot of one core (its SlotWeight is ``weight``, Cpus without)."""
    ad = ClassAd.from_text_items(
        [
            ("Name", f'"slot{number}@vm"'),
            ("SlotID", str(number)),
            ("MyAddress", '"<127.0.0.1:9618>"'),
            ("State", '"Unclaimed"'),
            ("Activity", '"Idle"'),
            ("Cpus", "1"),
            ("Memory", "1024"),
            ("Disk", "1000000"),
            ("Rank", "0.0"),
            ("Start", "true"),
            ("WithinResourceLimits", WITHIN),
            ("Requirements", "Start && WithinResourceLimits"),
            ("SlotWeight", "Cpus" if weight is None else str(weight)),
        ]
    )
    return put(ad, attributes)


def put(ad: ClassAd, attributes: Mapping[str, object]) -> ClassAd:
    """Attributes given as Python values, or as expression text in a tuple of one."""
    for name, value in attributes.items():
        if isinstance(value, tuple):
            ad.set_text(name, value[0])
        else:
            ad[name] = value
    return ad


def partitionable(number: int, cpus: int, memory: int, **attributes: object) -> ClassAd:
    """A partitionable slot."""
    values = {"Cpus": cpus, "Memory": memory, "PartitionableSlot": True, "SlotType": "Partitionable"}
    return slot(number, **{**values, "MachineResources": "Cpus Memory Disk Swap", **attributes})


def claimed(ad: ClassAd, user: str, rank: float = 0.0, **attributes: object) -> ClassAd:
    """The slot, held by ``user``."""
    values = {
        "State": "Claimed",
        "Activity": "Busy",
        "RemoteUser": user,
        "RemoteOwner": user,
        "CurrentRank": rank,
    }
    return put(ad, {**values, **attributes})


def job_ad(**attributes: object) -> ClassAd:
    """A job that asks for one core and 128 MB."""
    ad = ClassAd.from_text_items(
        [("RequestCpus", "1"), ("RequestMemory", "128"), ("RequestDisk", "1"), ("Requirements", REQUIREMENTS)]
    )
    return put(ad, attributes)


def demand(
    name: str, *requests: tuple[int, ClassAd], cluster: int | None = None, running: float = 0.0
) -> SubmitterDemand:
    """A submitter with ``(count, ad)`` requests, each an autocluster and a job cluster of its own."""
    first = cluster if cluster is not None else 1 + sum(map(ord, name)) * 100
    made = [
        Request(number + 1, [JobId(first + number, proc) for proc in range(count)], ad)
        for number, (count, ad) in enumerate(requests)
    ]
    weight = sum(count * (ad.eval_real("RequestCpus", 1.0) or 1.0) for count, ad in requests)
    return SubmitterDemand(name, made, running_weight=running, idle_weight=weight, schedd="<127.0.0.1:9618>")


class Pool:
    """A machine and an accountant that live through cycles."""

    def __init__(
        self,
        slots: Sequence[ClassAd],
        settings: NegotiatorSettings | None = None,
        accounting: AccountantSettings | None = None,
    ) -> None:
        self.slots = list(slots)
        self.settings = settings or NegotiatorSettings()
        self.accountant = Accountant(accounting or AccountantSettings())
        self.now = NOW
        self.accountant.update(self.now)

    def user(self, name: str, rup: float = 0.5, factor: float = 1000.0, ceiling: int = -1, floor: int = 0) -> None:
        """A submitter with a record."""
        edits.set_factor(self.accountant, name, factor)
        edits.set_priority(self.accountant, name, rup)
        edits.set_ceiling(self.accountant, name, ceiling)
        edits.set_floor(self.accountant, name, floor)

    def snapshot(self, *demands: SubmitterDemand) -> Snapshot:
        return Snapshot(self.now, self.slots, demands)

    def negotiate(self, *demands: SubmitterDemand) -> Plan:
        """A whole cycle, charged."""
        return negotiate(self.snapshot(*demands), self.accountant, self.settings).plan


def weights(plan: Plan) -> dict[str, float]:
    """Slot weight given to each submitter."""
    result: dict[str, float] = {}
    for match in plan.matches:
        result[match.submitter] = result.get(match.submitter, 0.0) + match.weight
    return result

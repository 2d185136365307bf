"""A slot as the cycle sees it: free or held, whole or partitionable, and what is left of it."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.negotiator.values import boolean, number_text, real, string

_USER_ATTRIBUTES = ("PreemptingAccountingGroup", "PreemptingUser", "AccountingGroup", "RemoteUser")


class Slot:
    """One slot ad in a cycle.

    ``remote`` is the submitter who would be preempted (empty: nobody). ``taken`` slots are out of the cycle.
    ``children`` are the dynamic slots carved out of a partitionable one, where those may be preempted for it.
    ``version`` grows whenever the ad of a partitionable slot is carved; ``signatures`` belongs to Memo.
    """

    __slots__ = (
        "ad", "children", "current_rank", "name", "partitionable", "remote", "serial", "signatures", "taken", "version",
        "weight",
    )  # fmt: skip

    def __init__(self, serial: int, ad: ClassAd, weight: float) -> None:
        self.serial = serial
        self.ad = ad
        self.name = string(ad, "Name")
        self.weight = weight
        self.partitionable = boolean(ad, "PartitionableSlot")
        self.remote = "" if self.partitionable else holder(ad)
        self.current_rank = real(ad, "CurrentRank", 0.0)
        self.children: list[Slot] = []
        self.taken = False
        self.version = 0
        self.signatures: dict[int, int] = {}

    @property
    def free(self) -> bool:
        """Whether something could start here without preempting anybody."""
        if self.taken or self.remote:
            return False
        return not self.partitionable or real(self.ad, "Cpus", 1.0) > 0

    def carve(self, amounts: dict[str, float]) -> None:
        """Take a piece out of a partitionable slot: amounts by resource name. ``weight`` stays that of the whole."""
        if self.version == 0:
            self.ad = self.ad.flat_copy()
        for name, amount in amounts.items():
            left = real(self.ad, name, 0.0) - amount
            self.ad.set_text(name, number_text(left))
        self.version += 1
        self.signatures.clear()


def holder(ad: ClassAd, prefix: str = "") -> str:
    """Who would be preempted, by the slot's ad; "" for nobody. With the prefix ``slot<N>_``: on another slot."""
    for name in _USER_ATTRIBUTES:
        user = ad.raw(prefix + name)
        if user and type(user) is str:
            return user
    return ""

"""A slot as the cycle sees it: free or held, whole or partitionable, and what is left of it."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.core.match.asked import Asked
from condor_py.core.match.values import boolean, number_text, real, string
from condor_py.lang.classad import ClassAd

_USER_ATTRIBUTES = ("PreemptingAccountingGroup", "PreemptingUser", "AccountingGroup", "RemoteUser")
#: What ``Slot.many`` asks.
NAMES = ("Name", "PartitionableSlot", "CurrentRank", *_USER_ATTRIBUTES)


class Slot:
    """One slot ad in a cycle.

    ``remote`` is the submitter that would be preempted (empty: none). ``taken`` slots are out of the cycle.
    ``children`` are the dynamic slots carved out of a partitionable one, where those may be preempted for it.
    ``version`` grows whenever the ad of a partitionable slot is carved; ``kinds`` (those learnt for many slots at once;
    none before) and ``signatures`` (those learnt one by one) belong to Memo.
    """

    __slots__ = (
        "ad", "children", "current_rank", "kinds", "name", "partitionable", "remote", "serial", "signatures", "taken",
        "version", "weight",
    )  # fmt: skip

    def __init__(self, serial: int, ad: ClassAd, weight: float) -> None:
        self.serial = serial
        self.ad = ad
        self.name = string(ad, "Name")
        self.weight = weight
        self.partitionable = boolean(ad, "PartitionableSlot")
        self.remote = "" if self.partitionable else holder(ad)
        self.current_rank = real(ad, "CurrentRank", 0.0)
        self.children: Sequence[Slot] = ()
        self.taken = False
        self.version = 0
        self.kinds: Sequence[int] = ()
        self.signatures: dict[int, int] = {}

    @classmethod
    def many(cls, asked: Asked, ads: Sequence[ClassAd], weights: Sequence[float]) -> list[Slot]:
        """``Slot(serial, ad, weight)`` of many at once; ``asked`` has the NAMES of the ads."""
        partitionable, holders = asked.truths("PartitionableSlot"), _holders(asked, len(ads))
        columns = asked.strings("Name"), partitionable, holders, asked.reals("CurrentRank", 0.0)
        slots = []
        for serial, (ad, weight, name, parts, user, rank) in enumerate(zip(ads, weights, *columns, strict=True)):
            slot = cls.__new__(cls)
            slot.serial, slot.ad, slot.weight, slot.name = serial, ad, weight, name
            slot.partitionable, slot.remote, slot.current_rank = parts, "" if parts else user, rank
            slot.children, slot.taken, slot.version, slot.kinds, slot.signatures = (), False, 0, (), {}
            slots.append(slot)
        return slots

    @property
    def free(self) -> bool:
        """Whether a job could start here without preemption."""
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
        self.forget_kinds()

    def restore(self, ad: ClassAd, taken: bool) -> None:
        """Give back what was taken; ``ad`` is that of before, a copy of it for a partitionable slot."""
        self.ad, self.taken = ad, taken
        if self.partitionable:
            self.version += 1
            self.forget_kinds()

    def forget_kinds(self) -> None:
        """Its ad has changed."""
        self.kinds = ()
        self.signatures.clear()


def parent_name(name: str) -> str:
    """The partitionable slot of a dynamic one: slot1@host of slot1_2@host."""
    head, at, host = name.partition("@")
    return head.rpartition("_")[0] + at + host


def _holders(asked: Asked, count: int) -> list[str]:
    """``holder`` of each ad."""
    given = [asked.strings(name) for name in _USER_ATTRIBUTES if asked.given(name)]
    return [next(filter(None, users), "") for users in zip(*given, strict=True)] if given else [""] * count


def holder(ad: ClassAd, prefix: str = "") -> str:
    """User that would be preempted, by the slot's ad; "" for none. With the prefix ``slot<N>_``: on another slot."""
    for name in _USER_ATTRIBUTES:
        user = ad.raw(prefix + name)
        if user and type(user) is str:
            return user
    return ""

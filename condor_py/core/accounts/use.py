"""The holder of each slot, read from the slot ads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.core.accounts.facts import number, string
from condor_py.lang.classad.numbers import summable
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.model.submitters import fault_of

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

#: The states of slots that have a holder.
HELD_STATES = ("claimed", "preempting")
#: No name of a slot begins so.
_ELSEWHERE = "elsewhere#"


class ClaimedUse(NamedTuple):
    """A claimed slot: its key (``NAME@ADDRESS``), the submitter and the slot weight."""

    key: str
    submitter: str
    weight: float

    @classmethod
    def of_ads(cls, slots: Iterable[ClassAd | Mapping[str, Any]], settings: AccountantSettings) -> Iterator[ClaimedUse]:
        """The claimed slots among the slot ads."""
        for ad in slots:
            use = cls.of_ad(ad, settings)
            if use is not None:
                yield use

    @classmethod
    def of_ad(cls, ad: ClassAd | Mapping[str, Any], settings: AccountantSettings) -> ClaimedUse | None:
        """Whom a Claimed or Preempting slot counts for: AccountingGroup, else RemoteUser; else None, and where the
        accountant's log cannot hold the name."""
        if string(ad, "State").lower() not in HELD_STATES:
            return None
        user = string(ad, "AccountingGroup") or string(ad, "RemoteUser")
        if not user or (settings.discount_suspended and string(ad, "Activity").lower() == "suspended"):
            return None
        key = slot_key(ad)
        if fault_of(user) or key.split() != [key]:
            return None  # the log cannot hold it
        return cls(key, user, slot_weight(ad) if settings.use_slot_weights else 1.0)


def elsewhere_key(submitter: str) -> str:
    """The name under which is charged what a submitter uses outside of the pool."""
    return f"{_ELSEWHERE}{submitter}"


def is_elsewhere(key: str) -> bool:
    """Whether that is what a charge is for."""
    return key.startswith(_ELSEWHERE)


def slot_key(ad: ClassAd | Mapping[str, Any]) -> str:
    """The name under which a slot is charged: ``NAME@ADDRESS``."""
    return key_of(string(ad, "Name"), string(ad, "StartdIpAddr") or string(ad, "MyAddress"))


def key_of(name: str, address: str) -> str:
    """``slot_key`` of the slot with that Name, of the startd at that address."""
    return f"{name}@{address}"


def slot_weight(ad: ClassAd | Mapping[str, Any]) -> float:
    """SlotWeight, else Cpus, else 1."""
    return summable(float(number(ad, "SlotWeight", number(ad, "Cpus", 1.0))))

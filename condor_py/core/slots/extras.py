"""Attributes that programs and tools add to slot ads: the ads of cron programs, and condor_update_machine_ad.

Each program has an unnamed ad, merged in the order of the list, and ads with a tag, merged after all of these in the
order in which they first came. What an ad selects slots with (SlotMergeConstraint, SlotName or Name, SlotTypeId,
SlotId, the first of these that it has) is not merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from condor_py.core.slots.expressions import as_bool, constant
from condor_py.core.slots.meters import Sample
from condor_py.lang.classad import ClassAd

Pairs = tuple[tuple[str, str], ...]
_SELECTORS = frozenset(("name", "slotid", "slotmergeconstraint", "slotname", "slottypeid"))


_COMPUTED = re.compile(r"offlinereason|offlinetime", re.IGNORECASE)
#: What condor_update_machine_ad leaves alone: attributes by which other daemons know a slot and its claim, and those
#: that the startd writes after such ads.
_NOT_TOLD = frozenset(
    (
        "mytype", "targettype", "offlineuniverses", "name", "machine", "slotid", "slottype", "slottypeid", "dslotid",
        "parentslotid", "partitionableslot", "dynamicslot", "backfillslot", "isdataslot", "startdipaddr", "myaddress",
        "state", "activity", "start", "requirements", "withinresourcelimits", "claimid", "publicclaimid",
        "claimendtime", "remoteuser", "remoteowner", "accountinggroup", "concurrencylimits", "remotegroup",
        "remotenegotiatinggroup", "remoteautoregroup", "remotescheddname", "clientmachine", "preemptinguser",
        "preemptingowner", "preemptingaccountinggroup", "preemptingconcurrencylimits", "preemptingrank", "jobid",
        "globaljobid", "jobstart", "jobpid", "starterpid",
    )
)  # fmt: skip
#: What the attributes Has<name> and <word>OfflineTime say, and the number of the universe (0 where it has none).
_UNIVERSES = {
    "vanilla": ("Vanilla", 5),
    "scheduler": ("Scheduler", 7),
    "grid": ("Grid", 9),
    "java": ("Java", 10),
    "parallel": ("Parallel", 11),
    "local": ("Local", 12),
    "vm": ("VM", 13),
    "docker": ("Docker", 0),
    "container": ("Container", 0),
}


class Extra(NamedTuple):
    """One ad for the slots numbered ``slots`` (() for all)."""

    job: str
    pairs: Pairs
    slots: tuple[int, ...] = ()
    sample: Sample | None = None

    def concerns(self, ad: ClassAd, slot_id: int) -> bool:
        """Whether it is for the slot that has this ad."""
        if self.slots and slot_id not in self.slots:
            return False
        return not any(name.lower() in _SELECTORS for name, _ in self.pairs) or _selects(self.pairs, ad)

    def lasting(self) -> tuple[object, ...]:
        """Content without the times of updates."""
        metrics = (self.sample.sums, self.sample.peaks) if self.sample is not None else ()
        return tuple((name, text) for name, text in self.pairs if not name.endswith("LastUpdate")), metrics

    def merge_into(self, ad: ClassAd, slot_id: int) -> None:
        """Adds its attributes to a slot's ad, if they are for that slot."""
        if self.concerns(ad, slot_id):
            ad.set_texts((name, text) for name, text in self.pairs if name.lower() not in _SELECTORS)


def _selects(pairs: Pairs, ad: ClassAd) -> bool:
    mine = ClassAd.from_text_items(pairs)
    if mine.has("SlotMergeConstraint"):
        return as_bool(mine.raw("SlotMergeConstraint", ad)) is True
    name = mine.eval_str("SlotName", None) or mine.eval_str("Name", None)
    if name:
        return (ad.eval_str("Name", "") or "").lower().startswith(name.lower())
    for selector, attribute in (("SlotTypeId", "SlotTypeID"), ("SlotId", "SlotID")):
        wanted = mine.eval_int(selector, None)
        if wanted is not None:
            return wanted == ad.eval_int(attribute, None)
    return True


class Extras:
    """All such ads of a daemon."""

    def __init__(self) -> None:
        self._ads: dict[str, Extra | None] = {}
        self._told: dict[str, tuple[str, str]] = {}
        self._offline: dict[str, int] = {}
        self._colors: dict[str, Extra] = {}
        self._catalogs: dict[str, Pairs] = {}

    def set_jobs(self, jobs: Iterable[str]) -> None:
        """The programs of the list, in its order. The ads of all others go."""
        names = [job.lower() for job in jobs]
        before, self._ads = self._ads, {}
        self._ads.update((name, before.pop(name, None)) for name in names)
        self._ads.update((key, extra) for key, extra in before.items() if extra and extra.job in names)

    def put(self, job: str, tag: str, pairs: Pairs, slots: tuple[int, ...] = (), sample: Sample | None = None) -> bool:
        """A new ad instead of the one with the same tag; whether anything but LastUpdate changed. With a ``sample``
        it is of a monitor of devices: it adds to what is known, and ``pairs`` is what it says besides its metrics."""
        key = key_of(job, tag)
        before = self._ads.get(key)
        if sample is not None and before is not None:
            pairs, sample = _on_top_of(pairs, before.pairs), sample.on_top_of(before.sample)
        now = self._ads[key] = Extra(job.lower(), pairs, slots, sample)
        return before is None or before.lasting() != now.lasting()

    def tell(self, pairs: Sequence[Sequence[str]], now: float) -> None:
        """Attributes from condor_update_machine_ad; they stay until the daemon ends. ``Has<Universe>`` says whether
        the universe is offline, which gives further attributes."""
        given = {name.lower(): text for name, text in pairs}
        for name, text in pairs:
            if name.lower() not in _NOT_TOLD and not _COMPUTED.search(name):
                self._told[name.lower()] = (name, text)
        for universe, (word, number) in _UNIVERSES.items():
            has = given.get(f"has{universe}")
            if has is None:
                continue
            offline = not as_bool(constant(has))
            self._offline.pop(word, None)
            if offline:
                self._offline[word] = number
            reason = given.get(f"{universe}offlinereason", '"[unknown reason]"') if offline else "undefined"
            self._set(f"{word}OfflineTime", str(int(now)) if offline else "undefined")
            self._set(f"{word}OfflineReason", reason)
        items = [f'"{word}"' + (f",{number}" if number else "") for word, number in sorted(self._offline.items())]
        self._set("OfflineUniverses", f"{{ {','.join(items)} }}")

    def _set(self, name: str, text: str) -> None:
        self._told[name.lower()] = (name, text)

    @property
    def silent(self) -> bool:
        """Whether there is nothing for any slot."""
        return not (self._told or self._ads or self._colors or self._catalogs)

    def merge_into(self, ad: ClassAd, slot_id: int) -> None:
        """Adds what is for slot number ``slot_id`` (0 for the ad of the daemon itself); monitors of devices last."""
        if self._told:
            ad.set_texts(self._told.values())
        known = [extra for extra in (*self._ads.values(), *self._colors.values()) if extra is not None]
        for extra in sorted(known, key=lambda extra: extra.sample is not None):
            extra.merge_into(ad, slot_id)
        if self._catalogs:
            found = [pair for pairs in self._catalogs.values() for pair in pairs]
            ad.set_texts((*found, ("catalogs", f"{{ {','.join(name for name, _ in found)} }}")))

    def announce(self, name: str, catalogs: Pairs) -> None:
        """Catalogs of common files, which all slots show until ``uncolor``."""
        self._catalogs[name] = catalogs

    def color(self, name: str, pairs: Pairs, slot_id: int) -> None:
        """Add attributes of a claim's job to the slots of its number, until ``uncolor``."""
        self._colors[name] = Extra("#coloring", pairs, (slot_id,))

    def uncolor(self, name: str) -> None:
        """The claim is gone, and what it had added."""
        self._catalogs.pop(name, None)
        self._colors.pop(name, None)

    def shown(self) -> list[tuple[str, Pairs]]:
        """Every ad with its name, as condor_who -snapshot shows them."""
        programs = [(key, extra.pairs) for key, extra in self._ads.items() if extra is not None]
        colors = [(f"#coloring.{name.replace('.', '_')}", extra.pairs) for name, extra in self._colors.items()]
        catalogs = [(f"#catalog.{name.replace('.', '_')}", pairs) for name, pairs in self._catalogs.items()]
        return [*programs, *colors, *catalogs]

    def samples(self, ad: ClassAd, slot_id: int) -> dict[str, Sample]:
        """The last samples of the devices of a slot, by device."""
        return {
            key: extra.sample
            for key, extra in self._ads.items()
            if extra is not None and extra.sample is not None and extra.concerns(ad, slot_id)
        }


def key_of(job: str, tag: str) -> str:
    """Key of a program's ad; for monitors ``tag`` is the name of a device."""
    return f"{job.lower()}.{tag}" if tag else job.lower()


def _on_top_of(pairs: Pairs, former: Pairs) -> Pairs:
    names = {name.lower() for name, _ in pairs}
    return (*(pair for pair in former if pair[0].lower() not in names), *pairs)

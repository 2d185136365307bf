"""Autoclusters: jobs that no slot can tell apart share a number (JobAd attribute AutoClusterId)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from condor_py.core.jobs.autorequests import numbers_of
from condor_py.lang.classad import ClassAd, attribute_references, is_valid
from condor_py.model.settings.schedd import ScheddSettings

#: Attributes that slots and the negotiator always look at.
BASE_ATTRIBUTES = (
    "Requirements",
    "Rank",
    "RequestCpus",
    "RequestMemory",
    "RequestDisk",
    "RequestGPUs",
    "RequireGPUs",
    "ConcurrencyLimits",
    "JobUniverse",
    "FileSystemDomain",
    "Owner",
    "NiceUser",
    "MaxJobRetirementTime",
    "OCUWanted",
    "OCUWilling",
)
Signature = tuple[str | None, ...]
#: Clusters of which the work done is remembered.
_CLUSTERS = 1000


class _Shared(NamedTuple):
    """Facts about a cluster ad: the attributes that matter (lower case), its autocluster, any ``$$()`` in it."""

    ad: ClassAd
    names: frozenset[str]
    number: int
    dollars: bool


class Autoclusters:
    """Numbers signatures. A proc that overrides no significant attribute shares the work done for its cluster."""

    def __init__(self, settings: ScheddSettings) -> None:
        self._settings = settings
        self._told: tuple[str, ...] = ()
        self._apart: tuple[str, ...] = ()
        self._numbers: dict[Signature, int] = {}
        self._representatives: dict[int, ClassAd] = {}
        self._references: dict[tuple[str | None, str | None], tuple[str, ...]] = {}
        self._by_parent: dict[int, _Shared] = {}
        self._next = 1
        self._base: tuple[str, ...] = ()
        self.set_significant(())

    @property
    def count(self) -> int:
        """Number of autoclusters."""
        return len(self._representatives)

    @property
    def significant(self) -> tuple[str, ...]:
        """Attributes compared for every job, besides those its own expressions name."""
        return self._base

    def set_significant(self, names: Iterable[str]) -> bool:
        """Adds attributes that slots refer to; True when that changes anything (numbers start afresh).

        SIGNIFICANT_ATTRIBUTES replaces ``names``; ADD_ and REMOVE_SIGNIFICANT_ATTRIBUTES and
        REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX alter what is looked at.
        """
        settings = self._settings
        self._told = tuple(names)
        merged = {name.lower(): name for name in BASE_ATTRIBUTES}
        if settings.significant_attributes:
            names = settings.significant_attributes
        else:
            names = (*self._told, *settings.add_significant_attributes)
        for name in names:
            merged.setdefault(name.lower(), name)
        if not settings.significant_attributes:
            for name in settings.remove_significant_attributes:
                merged.pop(name.lower(), None)
            if settings.remove_significant_pattern:
                banned = re.compile(settings.remove_significant_pattern, re.IGNORECASE)
                merged = {key: name for key, name in merged.items() if not banned.search(name)}
        for name in self._apart:
            merged.setdefault(name.lower(), name)
        base = tuple(sorted(merged.values(), key=str.lower))
        if base == self._base:
            return False
        self._base = base
        self._numbers.clear()
        self._representatives.clear()
        self._by_parent.clear()
        return True

    def keep_apart(self, names: tuple[str, ...]) -> bool:
        """Tell jobs apart by these attributes, whatever the settings say; True when that changes anything."""
        self._apart = names
        return self.set_significant(self._told)

    def reconfigure(self, settings: ScheddSettings) -> bool:
        """New settings; True when other attributes are looked at than before."""
        self._settings = settings
        return self.set_significant(self._told)

    def number(self, ad: ClassAd) -> int:
        """The autocluster of a proc ad."""
        parent = ad.parent
        if not isinstance(parent, ClassAd):
            return self._number(ad)
        shared = self._of_cluster(parent)
        return shared.number if shared.names.isdisjoint(ad.attrs) else self._number(ad)

    def _of_cluster(self, parent: ClassAd) -> _Shared:
        known = self._by_parent.get(id(parent))
        if known is None or known.ad is not parent:
            if len(self._by_parent) >= _CLUSTERS:
                self._by_parent.clear()
            names = _lower(self._names(parent))
            known = self._by_parent[id(parent)] = _Shared(parent, names, self._number(parent), _has_dollars(parent))
        return known

    def decisive(self, parent: ClassAd) -> frozenset[str]:
        """Lower-case names of what decides about the autoclusters of the procs of a cluster that leave Requirements and
        Rank to it."""
        return self._of_cluster(parent).names

    def has_dollars(self, ad: ClassAd) -> bool:
        """Whether anything of a job is to be filled in from the slot (``$$(Attribute)``)."""
        parent = ad.parent
        return _has_dollars(ad) or (isinstance(parent, ClassAd) and self._of_cluster(parent).dollars)

    def forget_cluster(self, ad: ClassAd) -> None:
        """The cluster ad changed or left: look at it afresh."""
        self._by_parent.pop(id(ad), None)

    def representative(self, number: int) -> ClassAd:
        """A job ad that represents all of an autocluster."""
        return self._representatives[number]

    def _number(self, ad: ClassAd) -> int:
        signature = tuple(ad.text(name) for name in self._names(ad))
        number = self._numbers.get(signature)
        if number is None:
            number = self._numbers[signature] = self._next
            self._representatives[number] = ad.flat_copy()
            self._next += 1
        return number

    def _names(self, ad: ClassAd) -> tuple[str, ...]:
        key = (ad.text("Requirements"), ad.text("Rank"))
        extra = self._references.get(key)
        if extra is None:
            extra = self._references[key] = tuple(dict.fromkeys(_own_references(ad)))
        numbers = numbers_of(ad)
        return (*self._base, *extra, *numbers) if extra or numbers else self._base


@lru_cache(maxsize=256)
def _lower(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset([name.lower() for name in names])


def _has_dollars(ad: ClassAd) -> bool:
    return any("$$(" in text for _, text in ad.local_items())


_UNSCOPED = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])")


def _own_references(ad: ClassAd) -> Iterable[str]:
    """Attributes of the job itself that its Requirements and Rank read."""
    known = {name.lower() for name in BASE_ATTRIBUTES}
    for name in ("Requirements", "Rank"):
        text = ad.text(name)
        if text is not None and is_valid(text):
            found = attribute_references(text, ad)
            # What this ad lacks another of its cluster may have, unless it is asked of the slot by name.
            unscoped = {word.lower() for word in _UNSCOPED.findall(text)}
            mine = {name.lower() for name in found.my} | ({name.lower() for name in found.target} & unscoped)
            yield from mine - known

"""The columns of the compact display of GPUs: properties of devices are nested ads of the slot's ad."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import ListValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any


@cache
def _not_a_name() -> re.Pattern[str]:
    import re

    return re.compile(r"\W")


_WIDTH = 10


@cache
def _noise() -> re.Pattern[str]:
    """Return the pattern of what to drop from a device's name: the maker, and the memory, which is shown too."""
    import re

    return re.compile(r"\ANVIDIA |-?\d+GB\Z")


def assigned(ad: ClassAd) -> list[str]:
    """The ids of the devices of a slot."""
    import re

    return [word for word in re.split(r"[,\s]+", ad.eval_str("AssignedGPUs", "")) if word]


def _properties(ad: ClassAd, ids: list[str], name: str) -> list[Any]:
    found = (ad.raw(parse(f"GPUs_{_not_a_name().sub('_', device)}.{name}")) for device in ids)
    return [value for value in found if type(value) in (int, float, str)]


def _range(ad: ClassAd, name: str, scale: float, unit: str) -> str | None:
    ids = assigned(ad)
    found = [float(value) / scale for value in _properties(ad, ids, name) if type(value) in (int, float)]
    if not found or len(found) != len(ids):
        return None
    low, high = min(found), max(found)
    text = f"{low:.1f} to {high:.1f}{unit}" if low < high else f"{high:.1f}{unit}"
    return text.rjust(_WIDTH)


def capabilities(value: Any, ad: ClassAd) -> str | None:
    """The range of compute capabilities; None when a device tells none."""
    return _range(ad, "Capability", 1.0, "")


def memories(value: Any, ad: ClassAd) -> str | None:
    """The range of memory sizes in GB."""
    return _range(ad, "GlobalMemoryMb", 1024.0, " GB")


def names(value: Any, ad: ClassAd) -> str | None:
    """The different names of the devices."""
    ids = assigned(ad)
    found = _properties(ad, ids, "DeviceName")
    return ",".join(sorted({str(name) for name in found})) if ids and len(found) == len(ids) else None


def total(value: Any, ad: ClassAd) -> str | None:
    """Return how many devices the slot has, and how many of them are offline ("   4-1")."""
    import re

    if not ad.has("AssignedGPUs"):
        return None
    ids = assigned(ad)
    off_line = {word.lower() for word in re.split(r"[,\s]+", ad.eval_str("OfflineGPUs", "")) if word}
    missing = sum(1 for device in ids if device.lower() in off_line)
    return (f"{len(ids):4d}-{missing}" if missing else f"{len(ids):4d}").ljust(7)


def kinds(ad: ClassAd) -> list[str]:
    """The key of the totals of each device that the slot offers: capability, memory and short name."""
    available = ad.raw("AvailableGPUs")
    if not isinstance(available, ListValue):
        return []
    found = []
    for item in available.items:
        place = unparse(item)
        capability, memory, name = (
            ad.raw(parse(f"{place}.{what}")) for what in ("Capability", "GlobalMemoryMb", "DeviceName")
        )
        if type(capability) not in (int, float):
            continue
        key = f"Capability {capability:.1f}"
        if type(memory) is int:
            key += f", {memory / 1024:.1f} GB"
        if isinstance(name, str):
            key += f", {_noise().sub('', name)}"
        found.append(key)
    return found

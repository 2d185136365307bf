"""Amounts of what a slot has: cpus, memory, disk, swap and custom resources; and the units of a custom resource that a
slot gets, by the constraint of its type or by the job's Require<name>."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from condor_py.core.slots.expressions import as_bool
from condor_py.lang.classad import ClassAd, parse
from condor_py.model.settings.startd import MachineResource

#: The custom resource that every slot ad shows, even where there is none.
GPUS = "GPUs"
BUILT_IN = ("Cpus", "Memory", "Disk", "Swap")
#: There are no parts of their units.
_WHOLE = ("Memory", "Disk")
#: Sums of cpus may be a rounding error off.
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Resources:
    """An amount: cpus (may be a fraction), memory in MB, disk and swap in KB, custom resources by name."""

    cpus: float = 0.0
    memory: int = 0
    disk: int = 0
    swap: int = 0
    custom: tuple[tuple[str, float], ...] = ()

    def __add__(self, other: Resources) -> Resources:
        return self._combine(other, 1)

    def __sub__(self, other: Resources) -> Resources:
        return self._combine(other, -1)

    def _combine(self, other: Resources, sign: int) -> Resources:
        theirs = dict(other.custom)
        return Resources(
            round(self.cpus + sign * other.cpus, 6),
            self.memory + sign * other.memory,
            self.disk + sign * other.disk,
            self.swap + sign * other.swap,
            tuple((name, amount + sign * theirs.get(name, 0.0)) for name, amount in self.custom),
        )

    def get(self, name: str) -> float:
        """The amount of a resource by its name, case not minded; 0 for one that does not exist."""
        return self.amounts().get(name.lower(), 0.0)

    def amounts(self) -> dict[str, float]:
        """All amounts by lower-case name."""
        return {
            "cpus": self.cpus,
            "memory": self.memory,
            "disk": self.disk,
            "swap": self.swap,
            **{name.lower(): amount for name, amount in self.custom},
        }

    def names(self) -> tuple[str, ...]:
        """The names, in the order of MachineResources."""
        return BUILT_IN + tuple(name for name, _ in self.custom)

    def shortage(self, available: Resources) -> str:
        """Shortage of ``available`` for this amount, as "Cpus (4.00 short) Memory (200 short)"; empty when it is
        enough. Swap is shared."""
        if self._is_plainly_in(available):
            return ""
        asked, have = self.amounts(), available.amounts()
        found = []
        for name in self.names():
            lacking = asked[name.lower()] - have.get(name.lower(), 0.0)
            if name != "Swap" and lacking > _EPSILON:
                found.append(f"{name} ({lacking:.{0 if name in _WHOLE else 2}f} short)")
        return " ".join(found)

    def _is_plainly_in(self, available: Resources) -> bool:
        """Whether there is enough of everything, as can be seen without a look at names."""
        return (
            self.cpus <= available.cpus
            and self.memory <= available.memory
            and self.disk <= available.disk
            and [name for name, _ in self.custom] == [name for name, _ in available.custom]
            and all(mine[1] <= theirs[1] for mine, theirs in zip(self.custom, available.custom, strict=True))
        )

    def is_legal(self) -> bool:
        """True when nothing is negative."""
        return all(amount >= -_EPSILON for amount in self.amounts().values())

    def describe(self) -> str:
        """The amounts in the wording of the StartLog."""
        parts = [
            f"Cpus: {self.cpus:.2f}",
            f"Memory: {self.memory}",
            f"Swap: {self.swap}",
            f"Disk: {self.disk}",
        ]
        return ", ".join(parts + [f"{name}: {amount:g}" for name, amount in self.custom])


def custom(quantities: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The custom part of an amount: GPUs is always there, names in alphabetical order."""
    found = dict(quantities)
    if not any(name.lower() == GPUS.lower() for name in found):
        found[GPUS] = 0.0
    return tuple(sorted(found.items(), key=lambda pair: pair[0].lower()))


def total(parts: Iterable[Resources], start: Resources) -> Resources:
    """The sum of ``parts`` and ``start``."""
    for part in parts:
        start = start + part
    return start


def fitting_units(
    resource: MachineResource, units: Sequence[str], constraint: str, job: ClassAd | None = None
) -> tuple[str, ...]:
    """Those of ``units`` whose properties satisfy ``constraint``, which may also be the id of one; "" takes all.

    A constraint of a ``job`` may use its attributes (gpus_minimum_capability does).
    """
    if not constraint:
        return tuple(units)
    properties = dict(resource.properties)
    expression = parse(constraint)
    found: list[str] = []
    for unit in units:
        ad = ClassAd.from_text_items(properties.get(unit) or (("Id", f'"{unit}"'),))
        value = ad.raw(expression, job)
        if value.lower() == unit.lower() if isinstance(value, str) else as_bool(value) is True:
            found.append(unit)
    return tuple(found)


def units_short(amount: Resources, units: Mapping[str, Sequence[str]]) -> str:
    """Name the first resource of which an amount takes more than these ``units``, and the shortage; "" if none is."""
    for name, own in units.items():
        lacking = int(amount.get(name)) - len(own)
        if lacking > 0:
            return f"{name} ({lacking:.2f} short)"
    return ""


def without(units: Sequence[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Return ``units`` without those that are ``taken``, one for one: several may have the same id (a GPU that jobs
    share)."""
    gone = Counter(taken)
    found = []
    for unit in units:
        if gone[unit] > 0:
            gone[unit] -= 1
        else:
            found.append(unit)
    return tuple(found)


def required_units(job: ClassAd, name: str) -> str:
    """The job's demand on each unit of a resource (require_gpus is RequireGPUs); "" for none."""
    return job.text(f"Require{name}") or ""

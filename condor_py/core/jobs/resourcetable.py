"""The table of resources at the end of a run's event: what was used, asked for and given of each."""

from __future__ import annotations

from functools import lru_cache

from condor_py.lang.classad import ClassAd
from condor_py.model.events import Items

#: Resources that every slot has.
_BUILT_IN = frozenset(("cpus", "disk", "memory"))
_Cell = float | str | None


def resource_table(ad: ClassAd) -> Items:
    """The cells that say something, as the attributes that the event has of them (see ``event_parts`` in ``store``)."""
    attrs = ad.attrs
    given = [attrs[key].name for key in attrs if key.endswith("provisioned")]
    units = _units(tuple(given))
    cpus, disk, memory = (ad.eval_int(f"{name}Provisioned", None) for name in ("Cpus", "Disk", "Memory"))
    table: list[tuple[str, str]] = []
    _add(table, "Cpus", cpus, ad.eval_int("RequestCpus", None), ad.eval_real("CpusUsage", None))
    _add(table, "Disk", disk, ad.eval_int("RequestDisk", None), ad.eval_int("DiskUsage_RAW", None))
    _add(table, "Memory", memory, ad.eval_int("RequestMemory", None), ad.eval_int("MemoryUsage", None))
    _add(table, "TimeExecute", None, None, ad.eval_int("ActivationExecutionDuration", None))
    _add(table, "TimeSlotBusy", None, None, ad.eval_int("ActivationDuration", None))
    for name in units:
        request = _whole(ad.eval_real(f"Request{name}", None))
        allocated = _whole(ad.eval_real(f"{name}Provisioned", None))
        _add(table, name, allocated, request, _used(ad, name), ad.text(f"Assigned{name}"))
    for name in units:
        _add(table, f"{name}Memory", None, None, _used(ad, f"{name}Memory"))
    return tuple(table)


@lru_cache(maxsize=256)
def _units(given: tuple[str, ...]) -> tuple[str, ...]:
    """What else there is in rows of its own, by the names of attributes that tell what was given."""
    names = [name.removesuffix("Provisioned") for name in given if name.endswith("Provisioned")]
    return "GPUs", *(name for name in names if name.lower() not in _BUILT_IN and name != "GPUs")


def _add(
    table: list[tuple[str, str]],
    name: str,
    allocated: _Cell,
    request: _Cell,
    usage: _Cell,
    assigned: _Cell = None,
) -> None:
    """A row of the table."""
    if allocated is not None:
        table.append((name, str(allocated)))
    if request is not None:
        table.append((f"Request{name}", str(request)))
    if usage is not None:
        table.append((f"{name}Usage", str(usage)))
    if assigned is not None:
        table.append((f"Assigned{name}", str(assigned)))


def _used(ad: ClassAd, name: str) -> float | None:
    """What monitors of devices have seen of it: the average, else the peak."""
    average = ad.eval_real(f"{name}AverageUsage", None)
    return ad.eval_real(f"{name}Usage", None) if average is None else average


def _whole(value: float | None) -> float | None:
    """An integer where it is one."""
    return int(value) if value is not None and value == int(value) else value

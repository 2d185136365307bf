"""The units of a custom resource that a slot gets: by the constraint of its type, or by the job's Require<name>."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.core.slots.expressions import as_bool
from condor_py.lang.classad import ClassAd, parse
from condor_py.model.settings.startd import MachineResource


def fitting(
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


def wanted_by(job: ClassAd, name: str) -> str:
    """The job's demand on each unit of a resource (require_gpus is RequireGPUs); "" for none."""
    return job.text(f"Require{name}") or ""

"""The ads of resources, as ``condor_status -grid`` shows them."""

from __future__ import annotations

from collections import Counter

from condor_py.core.grid.phases import THERE, Phase
from condor_py.core.grid.state import GridState, Resource
from condor_py.lang.classad import quote_string
from condor_py.model.states import JobStatus

Items = list[tuple[str, str]]


def resource_ads(core: GridState, owner: str) -> list[Items]:
    """One ad a resource that has jobs of the user; what the schedd knows better it adds."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in core.resources}
    for job in core.jobs.values():
        count = counts[job.resource]
        count["jobs"] += 1
        count["there"] += job.phase in THERE
        count["waiting"] += job.phase is Phase.UNSUBMITTED
        count["running"] += job.running
        count["idle"] += not job.running and job.status == JobStatus.IDLE
    return [_ad(core, resource, counts[name], owner) for name, resource in core.resources.items()]


def _ad(core: GridState, resource: Resource, count: Counter[str], owner: str) -> Items:
    kind, _, rest = resource.name.partition(" ")
    items = [
        ("MyType", '"Grid"'),
        ("Name", quote_string(f"{kind} {rest}".strip())),
        ("HashName", quote_string(f"{resource.name}#{owner}")),
        ("Owner", quote_string(owner)),
        ("GridResource", quote_string(resource.name)),
        ("NumJobs", str(count["jobs"])),
        ("JobLimit", str(core.settings.submitted_limit(resource.type, resource.name))),
        ("SubmitsAllowed", str(count["there"])),
        ("SubmitsWanted", str(count["waiting"])),
        ("RunningJobs", str(count["running"])),
        ("IdleJobs", str(count["idle"])),
    ]
    if resource.down_since:
        items.append(("GridResourceUnavailableTime", str(resource.down_since)))
        items.append(("GridResourceUnavailableReason", quote_string(resource.down_reason)))
    return items

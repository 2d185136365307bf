"""Which resources of the grid universe there is an engine for; what others ask for is refused when it is submitted."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.model.errors import CondorError

#: As in ``grid_resource = batch SYSTEM``.
BATCH_SYSTEMS = ("slurm", "sge", "pbs", "lsf")
#: Types whose engine is there.
TYPES = ("batch", "condor", "arc")
_SHORT = ("sge", "pbs", "lsf")


def refusal(resource: str) -> str:
    """Why jobs cannot go to a resource, in a line; "" where they can."""
    words = resource.lower().split()
    if not words:
        return "grid_resource is empty"
    if "$$" in resource:
        return f"grid_resource = {resource}: nothing here matches grid jobs with resources, so that $$ stays open"
    if words[0] in _SHORT:
        words.insert(0, "batch")
    if words[0] not in TYPES:
        return f"grid type {words[0]} is not supported here; there are: {', '.join(map(_example, TYPES))}"
    if words[0] == "condor" and len(words) != 3:
        return f"grid_resource = {resource}: it should be condor SCHEDD POOL"
    if words[0] == "arc" and (len(words) != 2 or words[1].startswith("http:")):
        return f"grid_resource = {resource}: it should be arc https://HOST[:PORT][/arex]"
    if words[0] != "batch":
        return ""
    if len(words) < 2 or words[1] not in BATCH_SYSTEMS:
        named = words[1] if len(words) > 1 else ""
        known = ", ".join(BATCH_SYSTEMS)
        return f"batch system {named!r} is not known (grid_resource = {resource}); there are: {known}"
    if len(words) > 2:
        there = " ".join(words[2:])
        return f"grid_resource = {resource}: batch systems are used from this machine only, not from {there}"
    return ""


def _example(kind: str) -> str:
    return {"batch": f"batch {'|'.join(BATCH_SYSTEMS)}", "condor": "condor SCHEDD POOL", "arc": "arc URL"}[kind]


def check_grid(items: Iterable[tuple[str, str]]) -> None:
    """CondorError for a new ad whose GridResource nobody here can serve."""
    for name, text in items:
        if name.lower() == "gridresource" and (why := refusal(text.strip().strip('"'))):
            raise CondorError(why)

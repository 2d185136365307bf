"""condor_report -sizes: requests against use by owner, batch and program, and requests that would have done. Pure."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from condor_py.cli.plots import scale
from condor_py.cli.report.advice import megabytes
from condor_py.cli.report.figures import MOST_KINDS, OTHERS
from condor_py.cli.report.parts import Advices, Column, Part, Section, Table, Text
from condor_py.cli.report.records import COMPLETED, Values, job_of
from condor_py.cli.times import Period
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.sizes import disk_request, memory_request
from condor_py.model.texts import one_line

#: Parts of the jobs whose use is shown, before the most that any had.
PARTS = (0.5, 0.9, 0.99)
#: What a job is held for that used more than it asked for: memory, disk.
_OVER = (102, 104)
#: A request that would free less than this part of the present one is not worth a word.
_WORTH = 0.1
_SHOWN = 20
_MB = 1024.0


class Resource(NamedTuple):
    """A resource by its name, and the unit of what is not used of it over time."""

    name: str
    unit: str


MEMORY, DISK = Resource("memory", "GB h"), Resource("disk", "GB h")
CPUS, GPUS, TIME = Resource("cpus", "core h"), Resource("gpus", "GPU h"), Resource("time", "h")
RESOURCES = (MEMORY, DISK, CPUS, GPUS, TIME)


@dataclass(slots=True)
class Amounts:
    """One resource of the jobs of a group: megabytes, cores, GPUs or seconds that each asked for (0: nothing) and used,
    and hours of what was not used."""

    asked: array[float] = field(default_factory=lambda: array("d"))
    used: array[float] = field(default_factory=lambda: array("d"))
    wasted: float = 0.0

    def add(self, asked: float, used: float, wasted: float) -> None:
        """One more job."""
        self.asked.append(asked)
        self.used.append(used)
        self.wasted += max(0.0, wasted)

    def quantiles(self, of: Sequence[float]) -> list[float]:
        """Return what the parts of the jobs did not exceed, and the most of all."""
        ordered = sorted(of)
        return [ordered[max(0, math.ceil(len(ordered) * part) - 1)] for part in (*PARTS, 1.0)] if ordered else []

    def fitting(self, request: float) -> int:
        """The number of jobs that would have fit a request."""
        return sum(used <= request for used in self.used)


@dataclass(slots=True)
class Group:
    """Completed jobs of one owner, batch name ("" for none) and program."""

    owner: str
    batch: str
    program: str
    jobs: int = 0
    hours: float = 0.0
    #: Runs that were ended because they used more than they asked for: of memory, of disk.
    over_memory: int = 0
    over_disk: int = 0
    amounts: dict[str, Amounts] = field(default_factory=dict)

    def of(self, resource: Resource) -> Amounts:
        """One resource of its jobs."""
        return self.amounts.setdefault(resource.name, Amounts())


class Sizes:
    """The groups of a period. ``owner`` and ``batch`` (a batch name, a program, a cluster number) restrict them."""

    def __init__(self, period: Period, rule: AutoRequests, owner: str | None = None, batch: str | None = None) -> None:
        self.period, self.rule, self.owner, self.batch = period, rule, owner, batch
        self.groups: dict[tuple[str, str, str], Group] = {}
        self.notes: list[str] = []

    def job(self, found: Values) -> None:
        """A job that left the queue."""
        job = job_of(found)
        if job.slotless or job.status != COMPLETED or not job.started:
            return
        group = self._group(found) if self.period.since <= job.ended < self.period.until else None
        if group is None:
            return
        hours = job.wall / 3600
        group.jobs += 1
        group.hours += hours
        asked = found.number("requestmemory", "memoryprovisioned")
        if job.used > 0:
            group.of(MEMORY).add(asked, job.used, hours * (asked - job.used) / _MB)
        disk, disk_used = (
            found.number(*names) / _MB for names in (("diskprovisioned",), ("diskusage_raw", "diskusage"))
        )
        if disk_used > 0:
            group.of(DISK).add(disk, disk_used, hours * (disk - disk_used) / _MB)
        if job.wall > 0:
            group.of(CPUS).add(job.cpus, job.cpu / job.wall, hours * job.cpus - job.cpu / 3600)
        gpus = found.number("gpusprovisioned", "requestgpus")
        if gpus > 0 and "gpusaverageusage" in found.numbers:
            busy = found.numbers["gpusaverageusage"]
            group.of(GPUS).add(gpus, busy, hours * (gpus - busy))
        allowed = found.number("allowedexecuteduration", "allowedjobduration")
        group.of(TIME).add(allowed, job.wall, 0.0)

    def run(self, found: Values) -> None:
        """A run of a job."""
        if not self.period.since <= found.whole("epochwritedate") < self.period.until:
            return
        code = found.whole("vacatereasonsubcode")
        group = self._group(found) if code in _OVER else None
        if group is not None and code == _OVER[0]:
            group.over_memory += 1
        elif group is not None:
            group.over_disk += 1

    def _group(self, found: Values) -> Group | None:
        owner, batch = found.text("owner") or "?", found.text("jobbatchname")
        program = found.text("cmd") or "?"
        named = (None, batch, os.path.basename(program), str(found.whole("clusterid")))
        if self.owner not in (None, owner) or self.batch not in named:
            return None
        key = owner, batch, program
        if key not in self.groups and len(self.groups) >= MOST_KINDS:
            key = owner, "", OTHERS
        return self.groups.setdefault(key, Group(*key))

    def ordered(self) -> list[Group]:
        """The groups with jobs: those that wasted most memory first, then those that took most time."""
        found = [group for group in self.groups.values() if group.jobs]
        return sorted(found, key=lambda g: (-g.of(MEMORY).wasted, -g.hours, g.owner, g.batch, g.program))

    # -- the request that would have done ------------------------------------------------------------------------

    def requests(self, group: Group) -> Iterator[Request]:
        """The requests that would have done for the jobs of a group, where others were made."""
        for resource, in_kilobytes in ((MEMORY, memory_request), (DISK, disk_request)):
            amounts = group.of(resource)
            if len(amounts.used) >= self.rule.jobs and group.program != OTHERS:
                enough = _at(amounts.used, self.rule.quantile) * _MB
                size = float(in_kilobytes(enough, self.rule.headroom)) / (1 if resource is MEMORY else _MB)
                yield from _request(f"request_{resource.name}", f"{size:.0f}M", size, amounts)
        cpus = group.of(CPUS)
        if len(cpus.used) >= self.rule.jobs and group.program != OTHERS:
            cores = float(max(1, math.ceil(_at(cpus.used, self.rule.quantile) - 0.05)))
            if cores < _mean(cpus.asked):
                yield from _request("request_cpus", f"{cores:.0f}", cores, cpus)


class Request(NamedTuple):
    """A command of a submit file: how many of the jobs fit, how many times as many run at once by it, and how many
    used more than they asked for."""

    command: str
    value: str
    jobs: int
    fit: int
    times: float
    over: int

    @property
    def effect(self) -> str:
        """Return what the request would have done, in words."""
        text = f"all {self.jobs} jobs fit" if self.fit == self.jobs else f"{self.fit} of {self.jobs} jobs fit"
        if self.over:
            return text + f", {self.over} had more than they asked for"
        times = f"{self.times:.0f}" if self.times >= 10 else f"{self.times:.1f}".removesuffix(".0")
        return text + f", {times} times as many run at once" if self.times > 1 else text

    def __str__(self) -> str:
        return f"{self.command} = {self.value}: {self.effect}"


def _request(command: str, value: str, size: float, amounts: Amounts) -> Iterator[Request]:
    asked = _mean(amounts.asked)
    over = sum(used > wanted > 0 for used, wanted in zip(amounts.used, amounts.asked, strict=True))
    if asked > 0 and (over or size < asked * (1 - _WORTH)):
        fit = amounts.fitting(size + (0.05 if command == "request_cpus" else 0))
        yield Request(command, value, len(amounts.used), fit, asked / size, over)


def _at(values: Sequence[float], part: float) -> float:
    return sorted(values)[max(0, math.ceil(len(values) * part) - 1)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


# -- output ------------------------------------------------------------------------------------------------------------


def lines(sizes: Sizes) -> Iterator[str]:
    """The table as text: a few lines a group."""
    ordered = sizes.ordered()
    if not ordered:
        yield "No job completed in a slot in this time."
    for number, group in enumerate(ordered[:_SHOWN]):
        if number:
            yield ""
        yield from _lines(sizes, group)
    if len(ordered) > _SHOWN:
        yield ""
        yield f"{len(ordered) - _SHOWN} more, which wasted less, are shown by -json."
    yield from sizes.notes


def section(sizes: Sizes) -> Section:
    """Return the same as a section of a report."""
    ordered = sizes.ordered()
    if not ordered:
        return Section("sizes", "Requests against use", [Text("No job completed in a slot in this time.")])
    rows = [
        [_title(group), str(group.jobs), *_row(resource, amounts)]
        for group in ordered[:_SHOWN]
        for resource in RESOURCES
        if (amounts := group.amounts.get(resource.name)) is not None and amounts.used
    ]
    headings = ("Jobs of", "Jobs", "", "Asked", "50 %", "90 %", "99 %", "Most", "Not used")
    more = f" (the first {_SHOWN} of {len(ordered)} kinds of jobs)" if len(ordered) > _SHOWN else ""
    columns = [Column(name, words=not name) for name in headings]
    parts: list[Part] = [Table(f"Requests against what jobs of a batch and program used{more}", columns, rows)]
    advices = [
        (f"{_title(group)}: {request.effect}:", f"{request.command} = {request.value}")
        for group in ordered[:_SHOWN]
        for request in sizes.requests(group)
    ]
    if advices:
        parts.append(Advices("Requests that would have done", advices))
    return Section("sizes", "Requests against use", parts)


def _title(group: Group) -> str:
    return f"{group.owner}, {group.batch or os.path.basename(group.program)}"


_HEADINGS = ("", "asked", "50 %", "90 %", "99 %", "most", "not used")


def _lines(sizes: Sizes, group: Group) -> Iterator[str]:
    jobs = f"{group.jobs} job{'s' if group.jobs > 1 else ''}"
    batch = f", batch {group.batch}" if group.batch else ""
    yield one_line(f"{group.owner}: {group.program}{batch}: {jobs}, {scale.number(group.hours)} h")
    rows: list[tuple[str, ...]] = [_HEADINGS]
    for resource in RESOURCES:
        amounts = group.amounts.get(resource.name)
        if amounts is not None and amounts.used:
            rows.append(_row(resource, amounts))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(["  " + row[0].ljust(widths[0]), *cells])
    for what, count in ("memory", group.over_memory), ("disk", group.over_disk):
        if count:
            yield f"  {count} run{'s' if count > 1 else ''} ended for want of {what}."
    yield from (f"  {request}" for request in sizes.requests(group))


def _row(resource: Resource, amounts: Amounts) -> tuple[str, ...]:
    low, high = min(amounts.asked), max(amounts.asked)
    asked = "-" if high <= 0 else _shown(resource, high)
    if 0 <= low < high:
        asked = f"{_shown(resource, low) if low else '-'} to {asked}"
    used = [_shown(resource, value) for value in amounts.quantiles(amounts.used)]
    wasted = "" if resource is TIME else f"{scale.number(amounts.wasted)} {resource.unit}"
    return resource.name, asked, *used, wasted


def _shown(resource: Resource, value: float) -> str:
    if resource in (MEMORY, DISK):
        return megabytes(value) if value >= 1 else f"{scale.number(value)} MB"
    return scale.span(value) if resource is TIME else scale.number(value)


def told(sizes: Sizes) -> dict[str, Any]:
    """All of it as values of JSON, in the units that ``Amounts`` has."""
    return {
        "since": sizes.period.since, "until": sizes.period.until, "user": sizes.owner, "batch": sizes.batch,
        "quantile": sizes.rule.quantile, "headroom": sizes.rule.headroom,
        "groups": [_group_data(sizes, group) for group in sizes.ordered()], "notes": sizes.notes,
    }  # fmt: skip


def _group_data(sizes: Sizes, group: Group) -> dict[str, Any]:
    found: dict[str, Any] = {
        "owner": group.owner, "batch": group.batch, "program": group.program, "jobs": group.jobs, "hours": group.hours,
        "runs_over_memory": group.over_memory, "runs_over_disk": group.over_disk,
    }  # fmt: skip
    for resource in RESOURCES:
        amounts = group.amounts.get(resource.name)
        if amounts is not None and amounts.used:
            found[resource.name] = {
                "jobs": len(amounts.used), "asked": _named(amounts, amounts.asked),
                "used": _named(amounts, amounts.used), "not_used": amounts.wasted,
            }  # fmt: skip
    found["requests"] = [request._asdict() for request in sizes.requests(group)]
    return found


def _named(amounts: Amounts, values: Iterable[float]) -> dict[str, float]:
    names = (*(f"{100 * part:g}" for part in PARTS), "max")
    return dict(zip(names, amounts.quantiles(list(values)), strict=True))

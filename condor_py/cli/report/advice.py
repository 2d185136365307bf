"""Advice on smaller requests, in words with figures: "each asks for 8 GB, and none had more than 1.2 GB"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from condor_py.cli.plots import scale
from condor_py.cli.report.figures import OTHERS, Kind

#: Less than this part of what is asked for is worth a word, from this many megabytes and hours on.
_LITTLE, _MEGABYTES, _HOURS = 0.5, 256.0, 1 / 60
#: What a request should leave above the largest job seen.
_ROOM, _ROUND = 1.25, 64


class Advice(NamedTuple):
    """For the jobs of one kind: what it would free (gigabyte- or core-hours), what is so, and what to write instead."""

    owner: str
    label: str
    jobs: int
    freed: float
    says: str
    instead: str


def megabytes(value: float) -> str:
    """Memory as people write it: 512 MB, 1.2 GB."""
    return f"{value:.0f} MB" if value < 1000 else f"{scale.number(value / 1024)} GB"


def advice(kinds: Iterable[Kind], most: int = 20) -> list[Advice]:
    """Return the advice worth giving, that which frees most first."""
    found = [one for kind in kinds if kind.label != OTHERS for one in (*_memory(kind), *_cores(kind))]
    return sorted(found, key=lambda one: (-one.freed, one.owner, one.label))[:most]


def _memory(kind: Kind) -> Iterator[Advice]:
    amounts = kind.amounts
    if kind.largest <= 0 or kind.memory <= 0:
        return
    jobs = f"{amounts.jobs} job{'s' if amounts.jobs > 1 else ''}"
    if kind.largest > kind.memory:
        need = _rounded(kind.largest)
        yield Advice(kind.owner, kind.label, amounts.jobs, 0.0,
                     f"{jobs} asked for {megabytes(kind.memory)} each, and the largest had {megabytes(kind.largest)}: "
                     "it may be put on hold where memory is enforced", f"request_memory = {need}")  # fmt: skip
    elif kind.memory >= _MEGABYTES and kind.largest < _LITTLE * kind.memory and amounts.wall >= _HOURS:
        need = _rounded(kind.largest)
        freed = amounts.wall * (kind.memory - need) / 1024.0
        if freed > 0:
            yield Advice(kind.owner, kind.label, amounts.jobs, freed,
                         f"{jobs} asked for {megabytes(kind.memory)} each, and the largest used "
                         f"{megabytes(kind.largest)}", f"request_memory = {need}")  # fmt: skip


def _rounded(need: float) -> int:
    return max(_ROUND, math.ceil(need * _ROOM / _ROUND) * _ROUND)


def _cores(kind: Kind) -> Iterator[Advice]:
    amounts = kind.amounts
    if kind.cpus <= 1 or amounts.wall < _HOURS:
        return
    busy = amounts.cpu / amounts.wall
    if busy >= _LITTLE * kind.cpus:
        return
    need = max(1, math.ceil(busy))
    freed = amounts.wall * (kind.cpus - need)
    if freed > 0:
        jobs = f"{amounts.jobs} job{'s' if amounts.jobs > 1 else ''}"
        yield Advice(kind.owner, kind.label, amounts.jobs, freed,
                     f"{jobs} asked for {scale.number(kind.cpus)} cores each and kept {scale.number(busy)} busy",
                     f"request_cpus = {need}")  # fmt: skip

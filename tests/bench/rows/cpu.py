"""CPU of a short job: all daemons, commands and the program itself, as control groups count them.

Ours and its peers are up at the same time, and take turns with the same jobs, after some that warm all of them up. What
a system uses while it has no work is measured before, and subtracted. How work is handed over is counted:
``condor_submit``, ``sbatch``, ``tsp`` and the start of GNU parallel.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from box import milliseconds
from peers import PEERS, Company, Ours, Peer, Work, boxes_missing, company_of
from table import Row, Skipped

SLOTS = 8


@dataclass(frozen=True)
class Size:
    """Jobs of a turn, turns, seconds in which a system without work is watched, and seconds that it has to tidy up
    after its jobs, which are counted to them."""

    jobs: int
    turns: int
    idle: float
    tidy: float


_FULL, _QUICK = Size(600, 1, 10, 3), Size(20, 1, 2, 1)


def idle_rates(here: Sequence[Peer], seconds: float) -> dict[str, float]:
    """Return the CPU of systems without work, in seconds a second, by name."""
    before, begin = {peer.name: peer.box.cpu() for peer in here}, time.monotonic()
    time.sleep(seconds)
    span = time.monotonic() - begin
    return {peer.name: (peer.box.cpu() - before[peer.name]) / span for peer in here}


def cost_of(peer: Peer, work: Work, idle_rate: float, tidy: float) -> float:
    """Return milliseconds of CPU a job of some work."""
    work = peer.share(work)
    before, begin = peer.box.cpu(), time.monotonic()
    peer.burst(work)
    time.sleep(tidy)
    return milliseconds(peer.box.cpu() - before, idle_rate, time.monotonic() - begin, work.jobs)


def costs(company: Company, work: Work, size: Size) -> dict[str, list[float]]:
    """Return milliseconds of CPU a job in each turn, by name. A peer that fails is left out."""
    found: dict[str, list[float]] = {}
    warm = Work("warm", min(work.jobs, 2 * SLOTS), work.words, work.transfer)
    company.at_once(lambda peer: peer.burst(warm))
    time.sleep(size.tidy)
    rates = idle_rates(company.here, size.idle)
    for turn in range(size.turns):
        now = Work(f"{work.name}{turn}", work.jobs, work.words, work.transfer)
        for peer in list(company.here):
            cost = company.attempt(peer, lambda peer=peer, now=now: cost_of(peer, now, rates[peer.name], size.tidy))
            if cost is not None:
                found.setdefault(peer.name, []).append(cost)
    return found


def compared(
    what: str, kinds: Sequence[type[Peer]], words: tuple[str, ...], transfer: bool, quick: bool
) -> Iterator[Row]:
    """Yield ours next to each peer."""
    if reason := boxes_missing():
        raise Skipped(reason)
    size = _QUICK if quick else _FULL
    with company_of(SLOTS, kinds) as company:
        turns = costs(company, Work("cpu", size.jobs, words, transfer), size)
    found = {name: statistics.median(each) for name, each in turns.items()}
    ours = found.pop(Ours.name)
    yield Row(f"CPU a job of {what}, {size.jobs} jobs, {SLOTS} slots", ours, "ms")
    most = {kind.name: f" ({kind.most} jobs)" for kind in kinds if 0 < kind.most < size.jobs}
    for name, cost in found.items():
        work = f"CPU a job of {what}, {size.jobs} jobs, and {name}{most.get(name, '')}"
        yield Row(work, ours, "ms", None, cost, name)
    for name, reason in company.absent.items():
        yield Row(f"CPU a job of {what}, {size.jobs} jobs, and {name}", ours, "ms", missing=reason)


def rows(quick: bool) -> Iterator[Row]:
    yield from compared("/bin/true", PEERS, ("/bin/true",), False, quick)

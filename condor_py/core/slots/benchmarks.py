"""Benchmarks on an idle machine: when they run (RUNBENCHMARKS), and how their results are averaged."""

from __future__ import annotations

from condor_py.core.slots.effects import StartBenchmarks
from condor_py.core.slots.events import BenchmarksDone
from condor_py.core.slots.expressions import constant
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot
from condor_py.core.slots.transitions import BENCHMARKING, UNCLAIMED
from condor_py.lang.classad import finite

#: Attributes of which a weighted average is kept: three parts of what was known, one of what was measured.
AVERAGED = ("mips", "kflops")
_OLD_WEIGHT = 3


def consider(pool: Pool, slot: Slot) -> None:
    """An Unclaimed slot runs the benchmarks when RUNBENCHMARKS is true, and once after the start unless it is the
    constant false. One slot at a time, for they measure the whole machine."""
    if pool.benchmarking or slot.place != UNCLAIMED or slot.broken:
        return
    policy = slot.policy
    first = not pool.last_benchmark and not policy.is_never("RUNBENCHMARKS")
    if not first and not policy.is_true("RUNBENCHMARKS", pool.view(slot)):
        return
    pool.benchmarking = True
    pool.log(slot, "State change: RunBenchmarks is TRUE")
    pool.move(slot, BENCHMARKING)
    pool.emit(StartBenchmarks())
    pool.publish()


def on_done(pool: Pool, event: BenchmarksDone) -> None:
    """The results (attribute names to ClassAd text) are shown from now on; the slot is idle again."""
    pool.benchmarking = False
    pool.last_benchmark = int(pool.now)
    for name, text in event.results.items():
        pool.benchmark_results[name] = _averaged(name, pool.benchmark_results.get(name), text)
    pool.log(None, "State change: benchmarks completed")
    for slot in pool.slots:
        if slot.place == BENCHMARKING:
            pool.move(slot, UNCLAIMED)
    pool.publish()


def _averaged(name: str, before: str | None, text: str) -> str:
    if name.lower() not in AVERAGED or before is None:
        return text
    old, new = finite(constant(before)), finite(constant(text))
    if old is None or new is None:
        return text
    return str(int((old * _OLD_WEIGHT + new) / (_OLD_WEIGHT + 1)))

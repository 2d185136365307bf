"""The speed of negotiation cycles, from snapshot to plan: a large pool, a small one, and a pool without room.

The real negotiator needs about 11 s of CPU for the work of the large pool. Run it through tests/bench/run.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "unit/negotiator")]

from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import SubmitterDemand, negotiate
from condor_py.lang.classad import ClassAd

#: Expressions as condor_submit and a startd write them.
REQUIREMENTS = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (TARGET.Disk >= RequestDisk) && '
    "(TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus)"
)
#: As text, which is how ads come from the startd.
LIKE = {"Arch": ('"X86_64"',), "OpSys": ('"LINUX"',)}


def large_slots(count: int = 5000) -> list[ClassAd]:
    """Static slots in 40 shapes."""
    slots = []
    for number in range(count):
        shape = number % 40
        slots.append(
            slot(
                number + 1,
                Cpus=(str(1 + shape % 4),),
                Memory=(str(1024 * (1 + shape // 4)),),
                Disk=("10000000",),
                HasThing=("true" if shape % 2 == 0 else "false",),
                **LIKE,
            )
        )
    return slots


def large_demand() -> list[SubmitterDemand]:
    """10,000 idle jobs of 50 submitters in 400 autoclusters."""
    submitters = []
    for user in range(50):
        requests = []
        for number in range(8):
            ad = job_ad(
                RequestCpus=(str(1 + number % 4),),
                RequestMemory=(str(512 + 256 * number + user),),
                Owner=f"user{user}",
                Requirements=(REQUIREMENTS + (" && TARGET.HasThing" if number == 7 else ""),),
            )
            requests.append((25, ad))
        submitters.append(demand(f"user{user}@example.net", *requests, cluster=1000 * (user + 1)))
    return submitters


def small_demand(users: int) -> list[SubmitterDemand]:
    """A few jobs of each of many submitters."""
    return [
        demand(f"user{user}@example.net", (20, job_ad(Owner=f"user{user}", Requirements=(REQUIREMENTS,))))
        for user in range(users)
    ]


def timed(make: Callable[[], Pool], wanted: list[SubmitterDemand], times: int) -> tuple[float, float, int]:
    """Median and best CPU seconds of a cycle on fresh copies, and its matches."""
    took, matches = [], 0
    for _ in range(times):
        pool = make()
        snapshot = pool.snapshot(*wanted)
        begin = time.process_time()
        plan = negotiate(snapshot, pool.accountant, pool.settings).plan
        took.append(time.process_time() - begin)
        matches = len(plan.matches)
    return statistics.median(took), min(took), matches


def report(name: str, limit: float, result: tuple[float, float, int]) -> None:
    """One line."""
    median, best, matches = result
    print(f"{name}: median {median * 1e3:.1f} ms, best {best * 1e3:.1f} ms of CPU, {matches} matches", end="")
    print(f" (aim: {limit * 1e3:.0f} ms)", flush=True)


def main() -> None:
    """Prints the figures."""
    slots = large_slots()
    report("10,000 jobs, 400 autoclusters, 50 submitters, 5,000 slots in 40 shapes", 1.0,
           timed(lambda: Pool(slots), large_demand(), 3))  # fmt: skip
    free = [slot(number + 1, **LIKE) for number in range(8)]
    wanted = small_demand(100)
    report("100 submitters, 8 free slots", 0.005, timed(lambda: Pool(free), wanted, 21))
    held = [claimed(slot(number + 1, **LIKE), f"user{number}@example.net") for number in range(8)]
    report("100 submitters, 8 held slots", 0.005, timed(lambda: Pool(held), wanted, 21))
    whole = [partitionable(1, 8, 16384, **LIKE)]
    report("100 submitters, one partitionable slot of 8 cores", 0.005, timed(lambda: Pool(whole), wanted, 21))


if __name__ == "__main__":
    main()

"""The simulator's speed: 100 users, 30 virtual days, 100,000 jobs on 16 cores, a cycle every five minutes.

Run it through tests/bench/run. The last lines are what fair share made of it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from condor_py.simulate import Exponential, PoolSettings, Simulation, machine
from condor_py.simulate.report import span

DAYS, USERS, JOBS, CORES = 30, 100, 100_000, 16


def main() -> None:
    """Prints the figures."""
    settings = PoolSettings(interval=300.0, cycle_pause=300.0)
    simulation = Simulation(settings, machine(CORES), seed=1, keep_history=False)
    random = Random(2)
    mean = DAYS * 86400 * CORES * 0.9 / JOBS
    batches = 20
    for user in range(USERS):
        for _ in range(batches):
            when = random.uniform(0, (DAYS - 2) * 86400)
            simulation.submit(f"user{user:02d}", JOBS // USERS // batches, Exponential(mean), at=when)
    begin = time.process_time()
    report = simulation.run(DAYS * 86400)
    took = time.process_time() - begin
    print(
        f"{report.finished} jobs of {USERS} users in {span(report.seconds)} of virtual time: {took:.1f} s of CPU, "
        f"{report.cycles} cycles, {report.utilisation:.1%} used (aim: well below 60 s)"
    )
    waits = sorted(user.mean_wait for user in report.users)
    print(f"mean wait of the users: from {span(waits[0])} to {span(waits[-1])}, median {span(waits[len(waits) // 2])}")


if __name__ == "__main__":
    main()

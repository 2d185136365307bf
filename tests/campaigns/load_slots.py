"""The simulator with many slots, and a job for each.

    tests/campaigns/run load_slots -n 100000

A quarter of the slots comes first: CPU and memory must grow as the slots do.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, main
from load_watch import ROOT, command_cost, guarded, is_linear

_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from condor_py.simulate import Exponential, PoolSettings, Simulation, machine
slots = int(sys.argv[2])
simulation = Simulation(PoolSettings(interval=300.0, cycle_pause=300.0), machine(slots), seed=1, keep_history=False)
for user in range(10):
    simulation.submit(f"user{user}", slots // 10, Exponential(3600.0), at=float(user))
report = simulation.run(2 * 86400)
sys.exit(report.finished != slots // 10 * 10)
"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-limit", type=float, default=7200.0, help="seconds that a simulation may take (7200)")


def body(campaign: Campaign) -> None:
    few, many = max(10, campaign.size // 4), max(10, campaign.size)
    costs = []
    for slots in (few, many):
        command = (sys.executable, "-c", _PROGRAM, str(ROOT), str(slots))
        cost = command_cost(command, {"PATH": "/usr/bin:/bin"}, ROOT, campaign.options.limit)
        if cost.status:
            campaign.found(f"{slots} slots: exit status {cost.status}: {cost.complaint}")
            return
        costs.append(cost)
        campaign.step(slots)
    campaign.figures["cpu_s"] = [round(one.cpu, 2) for one in costs]
    campaign.figures["peak_mb"] = [round(one.peak, 1) for one in costs]
    is_linear(campaign, "seconds of CPU", costs[0].cpu, costs[1].cpu, many / few)
    is_linear(campaign, "peak of memory", costs[0].peak, costs[1].peak, many / few)


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_slots", about=__doc__, unit="slots", size=100_000, options=options))

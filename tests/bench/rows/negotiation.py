"""Negotiation cycles, and 30 days of a lab in the simulator."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

import bench_negotiation as bench
from negotiator_pool import Pool, demand, job_ad
from table import Row

from condor_py.core.match import SubmitterDemand, negotiate
from condor_py.simulate import Exponential, PoolSettings, Simulation, machine


def _large(scale: int) -> tuple[Pool, list[SubmitterDemand]]:
    slots = bench.large_slots(5000 * scale)
    if scale == 1:
        return Pool(slots), bench.large_demand()
    wanted = []
    for user in range(1000):
        owner, requests = f"user{user}", []
        for number in range(8):
            memory = str(512 + 256 * number + user % 50)
            wants = {"RequestCpus": str(1 + number % 4), "RequestMemory": memory, "Requirements": bench.REQUIREMENTS}
            requests.append((125, job_ad(Owner=owner, **{name: (text,) for name, text in wants.items()})))
        wanted.append(demand(f"{owner}@example.net", *requests, cluster=1000 * (user + 1)))
    return Pool(slots), wanted


def cycle(scale: int) -> float:
    """Seconds of CPU from snapshot to plan."""
    pool, wanted = _large(scale)
    snapshot = pool.snapshot(*wanted)
    begin = time.process_time()
    negotiate(snapshot, pool.accountant, pool.settings)
    return time.process_time() - begin


def lab(jobs: int, days: int) -> float:
    """Seconds of CPU for so many virtual days of 100 users on 64 slots, with report."""
    settings = PoolSettings(interval=300.0, cycle_pause=300.0)
    simulation, random = Simulation(settings, machine(64), seed=1, keep_history=False), Random(2)
    batch = max(1, jobs // 2000)
    for user in range(100):
        for _ in range(jobs // batch // 100):
            runs = Exponential(days * 86400 * 64 * 0.9 / jobs)
            simulation.submit(f"user{user:02d}", batch, runs, at=random.uniform(0, days * 28 / 30 * 86400))
    begin = time.process_time()
    simulation.run(days * 86400)
    return time.process_time() - begin


def rows(quick: bool) -> Iterator[Row]:
    took = sorted(cycle(1) for _ in range(1 if quick else 3))
    work = "negotiation: 10,000 jobs, 400 autoclusters, 5,000 slots"
    yield Row(work, took[len(took) // 2], "s", 0.06, 11.0, "HTCondor, recorded")
    scale, jobs, days = (2, 2000, 1) if quick else (10, 500_000, 30)
    yield Row(f"negotiation: 1,000,000 jobs, 1,000 submitters, {5000 * scale:,} slots", cycle(scale), "s", 2.0)
    yield Row(f"simulator: {days} days, {jobs:,} jobs, 64 slots", lab(jobs, days), "s", 20)

"""Many jobs that run at once: start, hold all, release all, remove all, while another user works with the tools.

    tests/campaigns/run load_running -n 1000

It is done with a quarter of the jobs first, in the same pool: CPU that daemons take must grow as the jobs do. Looked
for as well: memory that a running job takes (-memory MB, PSS of all processes; 10.5 is known), jobs that start other
than once, processes, descriptors and directories that stay, and a user whose tools are slow meanwhile (-goal). 1,000
jobs take 11 GB and two minutes on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, CannotRun, main
from load_watch import (
    DAEMONS,
    Follower,
    SharedPool,
    Watch,
    figures_of,
    guarded,
    is_linear,
    is_quiet,
    load_pool,
    pss_of,
    user_options,
    wait_for,
    warm_up,
    working_user,
)

_HEADS = (b"001 (", b"004 (", b"009 (", b"012 (", b"013 (")
#: Seconds that a step may take.
_PATIENCE = 1800
_MB_A_JOB = 11.5
#: Slots for the jobs of the other user.
_SPARE = 4


def options(parser: argparse.ArgumentParser) -> None:
    user_options(parser)
    parser.add_argument("-memory", type=float, default=_MB_A_JOB, help=f"MB that a running job may take ({_MB_A_JOB})")


def body(campaign: Campaign) -> None:
    _check_memory(campaign.size)
    with load_pool(campaign.size + _SPARE) as pool:
        warm_up(pool)
        watch = Watch(pool)
        watch.step(0)
        with working_user(pool, campaign):
            few, many = max(1, campaign.size // 4), campaign.size
            costs = [Round(pool, campaign, jobs).run() for jobs in (few, many)]
        wait_for(lambda: is_quiet(pool), "all jobs and starters have gone", _PATIENCE)
        watch.step(few + many)
        for step, (before, after) in {name: (costs[0][name], costs[1][name]) for name in costs[1]}.items():
            campaign.figures[f"{step}_cpu_s"] = [round(before, 2), round(after, 2)]
            is_linear(campaign, f"{step}: seconds of CPU of the daemons", before, after, many / few, 2.0)
        campaign.figures |= watch.report()
        watch.judge(campaign)
        left = [path.name for path in pool.execute.iterdir() if path.name.startswith("dir_")]
        if left:
            campaign.found(f"left in EXECUTE: {left[:10]}")


def _check_memory(jobs: int) -> None:
    """CannotRun where there is too little memory."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    free = next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("MemAvailable:"))
    if free < jobs * _MB_A_JOB + 500:
        raise CannotRun(f"{jobs} running jobs take {jobs * _MB_A_JOB / 1e3:.1f} GB; {free / 1e3:.1f} are free")


class Round:
    """Jobs of one cluster through all their steps."""

    def __init__(self, pool: SharedPool, campaign: Campaign, jobs: int) -> None:
        self._pool, self._campaign, self._jobs = pool, campaign, jobs
        self._log = Follower(pool.work / f"round{jobs}.log", _HEADS)
        self._costs: dict[str, float] = {}
        self._cluster = 0

    def run(self) -> dict[str, float]:
        """Return seconds of CPU of the daemons, by step."""
        before = self._memory()
        self._step("start", self._submit, b"001 (", self._jobs)
        took = (self._memory() - before) / self._jobs
        self._campaign.figures["mb_a_job"] = round(took, 2)
        if took > self._campaign.options.memory and self._jobs >= 20:
            self._campaign.found(f"a running job takes {took:.1f} MB")
        name = str(self._cluster)
        self._step("hold", lambda: self._pool.tool("condor_hold", name), b"012 (", self._jobs)
        self._step("release", lambda: self._pool.tool("condor_release", name), b"001 (", 2 * self._jobs)
        self._step("remove", lambda: self._pool.tool("condor_rm", name), b"009 (", self._jobs)
        counts = {head.decode(): count for head, count in self._log.look().items()}
        wanted = dict(zip(counts, (2 * self._jobs, 2 * self._jobs, self._jobs, self._jobs, self._jobs), strict=True))
        if counts != wanted:
            self._campaign.found(f"events of {self._jobs} jobs: {counts}, not {wanted}")
        self._campaign.step(self._jobs)
        return self._costs

    def _submit(self) -> None:
        text = "executable = /bin/sleep\narguments = 100000\nshould_transfer_files = no\nrequest_disk = 1\n"
        self._cluster = self._pool.submit(f"{text}log = round{self._jobs}.log\nqueue {self._jobs}\n")

    def _step(self, name: str, act: Callable[[], object], head: bytes, count: int) -> None:
        """Do something, and wait until each job has an event of it."""
        begin, cpu = time.monotonic(), self._cpu()
        act()
        wait_for(lambda: self._log.look()[head] >= count, lambda: f"{name}: {self._log.counts}", _PATIENCE)
        self._campaign.figures[f"{name}_s"] = round(time.monotonic() - begin, 2)
        self._costs[name] = self._cpu() - cpu

    def _cpu(self) -> float:
        return sum(figures_of(self._pool.pid(daemon)).cpu for daemon in DAEMONS)

    def _memory(self) -> float:
        """Memory of all of the pool in MB, what is shared counted once."""
        return pss_of(self._pool.processes())


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_running", about=__doc__, unit="jobs", size=1_000, options=options))

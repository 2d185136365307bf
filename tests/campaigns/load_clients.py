"""Many clients of a pool in a minute: honest ones, silent ones, and ones that talk nonsense.

    tests/campaigns/run load_clients -n 10000

Clients come from -drivers processes, one after the other in each, spread over -seconds. The seed chooses what each
is: a condor_q, condor_submit or condor_qedit by the Python bindings, the real condor_q, a plain question for the
queue, a connection that says nothing for a while, one that sends bytes of no sense, one that ends in the middle of a
message. Root has half of the drivers be the account nobody. Looked for: a client without an answer, a submit that was
answered and is not in the queue once, a daemon with more descriptors or much more memory (-leak MB) than before, and
one that died. The latencies are of meaning on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, main
from load_watch import (
    DAEMONS,
    STRANGER,
    SharedPool,
    Watch,
    guarded,
    load_pool,
    percentile,
    usable_python,
    wait_for,
    warm_up,
)

#: Kinds of clients, and how many of a hundred are.
KINDS = {"query": 35, "bindings": 20, "submit": 12, "edit": 8, "tool": 3, "silent": 10, "garbage": 7, "half": 5}
_DRIVER = Path(__file__).resolve().parent / "load_driver.py"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-seconds", type=float, default=60.0, help="seconds over which they come (60)")
    parser.add_argument("-drivers", type=int, default=16, help="processes that make them (16)")
    parser.add_argument("-goal", type=float, default=1.0, help="seconds of p99 of each kind (1)")
    parser.add_argument("-leak", type=float, default=20.0, help="MB that a daemon may have more than before (20)")


def body(campaign: Campaign) -> None:
    with load_pool(2) as pool:
        warm_up(pool)
        pids = {daemon: pool.pid(daemon) for daemon in DAEMONS}
        watch = Watch(pool)
        watch.step(0)
        results = Drivers(pool, campaign).run()
        _report(campaign, results)
        _check_submits(pool, campaign, results)
        _check_daemons(pool, campaign, pids, watch)


class Drivers:
    """Processes that make clients."""

    def __init__(self, pool: SharedPool, campaign: Campaign) -> None:
        self._pool, self._campaign = pool, campaign

    def run(self) -> list[dict[str, Any]]:
        """Return what each client has met."""
        number = min(self._campaign.options.drivers, self._campaign.size)
        started = []
        for driver in range(number):
            share = self._campaign.size // number + (driver < self._campaign.size % number)
            order = {
                "number": driver,
                "kinds": self._campaign.choose.choices(list(KINDS), list(KINDS.values()), k=share),
                "seed": self._campaign.choose.randrange(1 << 30),
                "seconds": self._campaign.options.seconds,
                "sockets": str(self._pool.log / "daemon_sock"),
            }
            started.append(self._start(driver, order))
        results: list[dict[str, Any]] = []
        for process, path in started:
            if process.wait():
                self._campaign.found(f"a driver ended with status {process.returncode}")
            if path.exists():
                results += [json.loads(line) for line in path.read_text().splitlines()]
        self._campaign.step(len(results))
        return results

    def _start(self, number: int, order: dict[str, Any]) -> tuple[subprocess.Popen[str], Path]:
        """Start a driver; its process, and the file that gets its results."""
        is_other = os.geteuid() == 0 and number % 2 == 1
        folder = (self._pool.theirs if is_other else self._pool.work) / f"driver{number}"
        folder.mkdir()
        account = pwd.getpwnam(STRANGER) if is_other else None
        rights: dict[str, Any] = {}
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
            rights = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        python = usable_python() if is_other else sys.executable
        process = subprocess.Popen(
            [python, "-I", str(_DRIVER), json.dumps(order)],
            env={**self._pool.environment, "HOME": str(folder)},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            **rights,
        )
        return process, folder / "results"


def _report(campaign: Campaign, results: list[dict[str, Any]]) -> None:
    """Latencies by kind, and what was wrong."""
    wrong: Counter[str] = Counter()
    for kind in KINDS:
        mine = [one for one in results if one.get("kind") == kind]
        took = [one["took"] for one in mine]
        wrong.update(f"{kind}: {one['wrong']}" for one in mine if one["wrong"])
        figures = {"p50": percentile(took, 0.5), "p99": percentile(took, 0.99), "max": max(took, default=0.0)}
        campaign.figures[kind] = {"times": len(mine), **{name: round(value, 3) for name, value in figures.items()}}
        if figures["p99"] > campaign.options.goal:
            campaign.found(f"{kind} took {figures['p99']:.2f} s (p99)")
    for text, times in wrong.most_common(20):
        campaign.found(f"{times} times: {text}")


def _check_submits(pool: SharedPool, campaign: Campaign, results: list[dict[str, Any]]) -> None:
    """What was acknowledged is in the queue once, and nothing else is."""
    told = Counter(one["submitted"] for one in results if "submitted" in one)
    campaign.done -= sum(told.values())
    done = pool.tool("condor_q", "-allusers", "-constraint", "LoadClient isnt undefined", "-af", "ClusterId")
    there = Counter(map(int, done.stdout.split()))
    if told != there:
        campaign.found(f"submitted and not in the queue: {told - there}; there and not acknowledged: {there - told}")


def _check_daemons(pool: SharedPool, campaign: Campaign, pids: dict[str, int], watch: Watch) -> None:
    """The same daemons are there, with no more descriptors, and with about the memory of before."""
    for daemon, pid in pids.items():
        if pool.pid(daemon) != pid:
            campaign.found(f"the {daemon} has died")
            return

    def is_back() -> bool:
        watch.step(campaign.done)
        return all(figures[-1].descriptors <= figures[0].descriptors + 6 for figures in watch.seen.values())

    with suppress(AssertionError):
        wait_for(is_back, "descriptors are closed", 90)
    campaign.figures |= watch.report()
    for daemon, figures in watch.seen.items():
        left = figures[-1].descriptors - figures[0].descriptors
        if left > 6:
            campaign.found(f"the {daemon} has {left} more descriptors open than before")
        if figures[-1].pss > figures[0].pss + campaign.options.leak:
            campaign.found(f"the {daemon} has {figures[-1].pss:.0f} MB, {figures[0].pss:.0f} before")


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_clients", about=__doc__, unit="clients", size=10_000, options=options))

"""What grid jobs cost beside ``sbatch`` alone, in a private Slurm: bench_grid.py [-jobs N] [-routed].

N x /bin/true by ``sbatch``, then as jobs here: of the grid universe, or with ``-routed`` of the vanilla one, which the
job router gives to Slurm. Prints for both how long it takes until nobody waits for them any more, and the CPU of
everything that takes part; the last lines are the ratios. On a busy machine compare the CPU. 10,000 routed jobs take
about as long as 20,000 of Slurm alone: a quarter of an hour to half an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool
from slurm_engine import Slurm

_TICKS = os.sysconf("SC_CLK_TCK")
_DAEMONS = ("SCHEDD", "JOB_ROUTER", "GRIDMANAGER")
_ROUTES = """DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER
GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE = {count}
JOB_ROUTER_SOURCE_JOB_CONSTRAINT = JobUniverse == 5
JOB_ROUTER_ROUTE_NAMES = Slurm
JOB_ROUTER_ROUTE_Slurm @=end
  GridResource = "batch slurm"
  MaxJobs = {count}
  MaxIdleJobs = {count}
@end
"""
_GRID = "universe = grid\ngrid_resource = batch slurm\n"
_VANILLA = "should_transfer_files = yes\nrequirements = false\n"


class Cost(NamedTuple):
    """CPU seconds of a process, and of its children that have ended."""

    own: float
    children: float

    def __sub__(self, other: object) -> Cost:
        assert isinstance(other, Cost)
        return Cost(self.own - other.own, self.children - other.children)


def cost_of(pid: int) -> Cost:
    """Of a process; nothing when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return Cost(0.0, 0.0)
    return Cost(*((int(fields[at]) + int(fields[at + 1])) / _TICKS for at in (11, 13)))


def slurm_cpu(slurm: Slurm) -> float:
    """CPU seconds of Slurm's daemons, with their children."""
    return sum(sum(cost_of(int((slurm.top / f"{name}.pid").read_text()))) for name in ("slurmctld", "slurmd"))


def alone(slurm: Slurm, count: int) -> tuple[float, float, float]:
    """Seconds, CPU seconds of ``count`` times sbatch, and of Slurm meanwhile."""
    environment = {"PATH": os.environ["PATH"], **slurm.environment}
    before, busy, begun = os.times(), slurm_cpu(slurm), time.monotonic()
    for _ in range(count):
        words = ["sbatch", "--output=/dev/null", "--chdir=/tmp", "--wrap=/bin/true"]
        subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=True)
    now = os.times()
    sbatch = now.children_user + now.children_system - before.children_user - before.children_system
    while slurm.tool("squeue", "-h").strip():
        time.sleep(0.5)
    return time.monotonic() - begun, sbatch, slurm_cpu(slurm) - busy


def daemons(pool: PersonalPool) -> dict[str, Cost]:
    """What our daemons that have to do with grid jobs have used, by their names."""
    found: dict[str, Cost] = {}
    for pid in pool.processes():
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        for name in _DAEMONS:
            if name in words:
                found[name] = cost_of(pid)
    return found


def ours(slurm: Slurm, pool: PersonalPool, text: str, count: int) -> tuple[float, dict[str, Cost], float]:
    """Seconds, what each of our daemons used, and CPU seconds of Slurm meanwhile."""
    before, busy, begun = daemons(pool), slurm_cpu(slurm), time.monotonic()
    pool.submit(f"{text}executable = /bin/true\nlog = log\nqueue {count}\n")
    while pool.tool("condor_wait", "-wait", "60", "log", check=False).returncode:
        pass  # a long run takes longer than one command of a pool may
    took = time.monotonic() - begun
    used = {name: cost - before.get(name, Cost(0.0, 0.0)) for name, cost in daemons(pool).items()}
    return took, used, slurm_cpu(slurm) - busy


def compare(slurm: Slurm, pool: PersonalPool, count: int, routed: bool) -> None:
    """Runs both, one after the other, and prints."""

    def say(what: str, seconds: float, more: str = "") -> None:
        print(f"  {what:<34}{1000 * seconds / count:8.2f} ms a job{more}")

    took, sbatch, busy = alone(slurm, count)
    print(f"sbatch alone: {took:.1f} s")
    say("sbatch", sbatch)
    say("Slurm's daemons", busy)
    first, whole = took, sbatch + busy
    took, used, busy = ours(slurm, pool, _VANILLA if routed else _GRID, count)
    print(f"{'routed' if routed else 'grid universe'}: {took:.1f} s")
    for name, cost in sorted(used.items()):
        say(name.lower(), cost.own)
    commands = sum(cost.children for cost in used.values())
    own = sum(cost.own for cost in used.values())
    say("sbatch and squeue", commands)
    say("Slurm's daemons", busy)
    print(f"ratio of times                        {took / first:8.2f}")
    print(f"ratio of all CPU                      {(own + commands + busy) / whole:8.2f}")
    print(f"ratio of our daemons to sbatch alone  {own / sbatch:8.2f}")


def main() -> int:
    """Reads the options; a Slurm and a pool of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-jobs", type=int, default=100)
    parser.add_argument("-routed", action="store_true")
    options = parser.parse_args()
    top = Path(f"/tmp/condor_py-bench-grid-{os.getpid()}")
    top.mkdir(mode=0o755)
    slurm = Slurm(top / "slurm", f"MaxJobCount={2 * options.jobs + 10000}\n")
    pool = PersonalPool(top / "pool", cpus=1, GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE=str(options.jobs))
    pool.environment |= slurm.environment
    if options.routed:
        (top / "config").write_text(_ROUTES.format(count=options.jobs))
        pool.environment["CONDOR_CONFIG"] = str(top / "config")
    try:
        slurm.start()
        pool.start()
        compare(slurm, pool, options.jobs, options.routed)
    finally:
        pool.stop()
        slurm.stop()
        shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())

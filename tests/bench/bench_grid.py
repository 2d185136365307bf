"""What grid jobs cost beside ``sbatch`` alone, in a private Slurm: bench_grid.py [JOBS].

Prints for both how long N x /bin/true take until nobody waits for them any more, and the CPU of everything that takes
part (Slurm's daemons with their children; sbatch; schedd and gridmanager). On a busy machine compare the CPU.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool
from slurm_engine import Slurm

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pids: list[int]) -> float:
    """CPU seconds of processes, with those of their children that have ended."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / _TICKS


def slurm_pids(slurm: Slurm) -> list[int]:
    """Its daemons."""
    return [int((slurm.top / f"{name}.pid").read_text()) for name in ("slurmctld", "slurmd")]


def alone(slurm: Slurm, count: int) -> tuple[float, float]:
    """Seconds, and CPU seconds, of ``count`` times sbatch."""
    environment = {"PATH": os.environ["PATH"], **slurm.environment}
    before, begun = cpu_of(slurm_pids(slurm)) + _children(), time.monotonic()
    for _ in range(count):
        words = ["sbatch", "--output=/dev/null", "--chdir=/tmp", "--wrap=/bin/true"]
        subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=True)
    while slurm.tool("squeue", "-h").strip():
        time.sleep(0.2)
    return time.monotonic() - begun, cpu_of(slurm_pids(slurm)) + _children() - before


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def ours(slurm: Slurm, pool: PersonalPool, count: int) -> tuple[float, float, float]:
    """Seconds, CPU seconds of all, and those of schedd and gridmanager alone."""
    own = [pid for pid in pool.processes() if pid != pool.pid("master")]
    before, mine, begun = cpu_of(slurm_pids(slurm)), cpu_of(own), time.monotonic()
    pool.submit(f"universe = grid\ngrid_resource = batch slurm\nexecutable = /bin/true\nlog = log\nqueue {count}\n")
    pool.wait("log", 36000)
    took = time.monotonic() - begun
    now = [pid for pid in pool.processes() if pid != pool.pid("master")]
    used = cpu_of(now) - mine
    return took, cpu_of(slurm_pids(slurm)) - before + used, used


def main() -> int:
    """Both, one after the other."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    top = Path(f"/tmp/condor_py-bench-grid-{os.getpid()}")
    slurm = Slurm(top / "slurm")
    pool = PersonalPool(top / "pool", cpus=1, GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE=str(count))
    pool.environment |= slurm.environment
    try:
        slurm.start()
        pool.start()
        took, cpu = alone(slurm, count)
        print(f"sbatch alone   {took:8.2f} s  {1000 * cpu / count:7.2f} ms of CPU a job")
        took, whole, mine = ours(slurm, pool, count)
        own = f"{1000 * mine / count:.2f} of it ours, sbatch included"
        print(f"grid universe  {took:8.2f} s  {1000 * whole / count:7.2f} ms of CPU a job, {own}")
        print(f"ratio of CPU   {whole / cpu:8.2f}")
    finally:
        pool.stop()
        slurm.stop()
        shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())

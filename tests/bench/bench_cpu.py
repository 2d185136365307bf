"""What a short job costs each daemon: milliseconds of CPU a job, beside jobs a second, in one pool of 8 slots.

CPU time says the same on a busy machine as on a quiet one, so this is what to compare before and after a change.
``python tests/bench/bench_cpu.py [JOBS [ROUNDS]]``. In ``starters`` are the starters themselves, in ``programs`` what
they waited for: the programs of the jobs, with the share of the fork that the kernel counts as the child's.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(os.environ.get("BENCH_ROOT") or Path(__file__).resolve().parents[2])
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

from pool import PersonalPool, wait_for

JOBS, ROUNDS = 2000, 3
DAEMONS = ("schedd", "startd", "negotiator")
_TICK = 1000 / os.sysconf("SC_CLK_TCK")


def own_cpu(pid: int) -> float:
    """Milliseconds of a process and its threads, exactly where the kernel counts so."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e6


def waited_cpu(pid: int) -> float:
    """Milliseconds of the children that a process has waited for."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[13]) + int(words[14])) * _TICK


class Meter:
    """Adds up what the daemons and all starters have used. Starters come and go: look often."""

    def __init__(self, pool: PersonalPool) -> None:
        self._pool = pool
        self._own: dict[int, float] = {}
        self._waited: dict[int, float] = {}
        self._daemons = {name: own_cpu(pool.pid(name)) for name in DAEMONS}

    def look(self) -> None:
        """Remembers the latest figures of each starter."""
        for pid in self._pool.starters():
            try:
                self._waited[pid] = waited_cpu(pid)
                self._own[pid] = own_cpu(pid)
            except OSError:
                continue  # it left

    def parts(self) -> dict[str, float]:
        """Milliseconds since the meter was made, by part."""
        found = {name: own_cpu(self._pool.pid(name)) - before for name, before in self._daemons.items()}
        return found | {"starters": sum(self._own.values()), "programs": sum(self._waited.values())}


def burst(pool: PersonalPool, name: str, jobs: int) -> tuple[float, dict[str, float]]:
    """Seconds, and milliseconds of CPU by part, of a cluster of /bin/true with event log; condor_submit's CPU is not
    counted."""
    wait_for(lambda: not pool.starters(), "no starter is left")
    log = pool.work / f"{name}.log"
    (pool.work / "short.sub").write_text(f"executable = /bin/true\nlog = {log.name}\nqueue {jobs}\n")
    meter, begin = Meter(pool), time.perf_counter()
    pool.tool("condor_submit", "-terse", "short.sub")
    seen = place = 0
    while seen < jobs:
        time.sleep(0.05)
        meter.look()
        with log.open("rb") as file:
            file.seek(place)
            data = file.read()
        whole = data.rfind(b"...\n") + 4 if b"...\n" in data else 0
        seen += data[:whole].count(b"\n005 (") + data[:whole].startswith(b"005 (")
        place += whole
    took = time.perf_counter() - begin
    return took, meter.parts()


def main() -> None:
    """Prints a row a round, and the medians."""
    jobs, rounds = (int(word) for word in [*sys.argv[1:], *map(str, (JOBS, ROUNDS)[len(sys.argv) - 1 :])])
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool", cpus=8, CLAIM_WORKLIFE="-1")
        pool.start()
        try:
            burst(pool, "warm", 200)
            rows = []
            for number in range(rounds):
                took, parts = burst(pool, f"run{number}", jobs)
                rows.append({"jobs/s": jobs / took, **{f"{part} ms": spent / jobs for part, spent in parts.items()}})
                print("  ".join(f"{name} {value:.3g}" for name, value in rows[-1].items()), flush=True)
        finally:
            pool.stop()
    middle = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    total = sum(value for name, value in middle.items() if name != "jobs/s")
    print("median of", rounds, ": ", "  ".join(f"{k} {v:.3g}" for k, v in middle.items()), f" all {total:.3g} ms a job")


if __name__ == "__main__":
    main()

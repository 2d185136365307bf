"""The starter's figures: memory of idle ones, and the time from the order to start a job to its first instruction.

Run it through tests/bench/run. Targets: 8 idle starters below 80 MB together (pages that they share counted once), a
job started below 15 ms, an idle startd with 8 slots below 0.5 % of a core and 60 MB.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool, wait_for

STARTERS = 8


def share_mb(pid: int) -> float:
    """Memory of a process in MB; what n processes share counts an n-th for each (PSS)."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1]) / 1024  # type: ignore[index]


def cpu_seconds(pid: int) -> float:
    """CPU that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def bench_memory(pool: PersonalPool) -> None:
    (pool.work / "sleep.sub").write_text(
        f"executable = /bin/sleep\narguments = 600\nlog = sleep.log\nqueue {STARTERS}\n"
    )
    pool.tool("condor_submit", str(pool.work / "sleep.sub"))
    wait_for(lambda: sum(1 for number, _ in pool.events("sleep.log") if number == 1) == STARTERS, "all run")
    time.sleep(3)
    total = sum(share_mb(pid) for pid in pool.starters())
    print(f"{STARTERS} starters with idle jobs: {total:.1f} MB together (target 80)")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not pool.queue("ClusterId"), "the queue is empty")


def bench_idle(pool: PersonalPool, seconds: float = 20.0) -> None:
    startd = pool.pid("startd")
    before = cpu_seconds(startd)
    time.sleep(seconds)
    used = (cpu_seconds(startd) - before) / seconds
    print(f"idle startd: {used * 100:.2f} % of a core, {share_mb(startd):.1f} MB (targets 0.5 %, 60 MB)")


def bench_start(pool: PersonalPool, times: int = 15) -> None:
    """The startd logs with microseconds when it activates the claim; the job tells when it runs."""
    found = []
    for _ in range(times):
        (pool.work / "now.sub").write_text(
            "executable = /bin/date\narguments = +%s.%N\noutput = now\nlog = now.log\nqueue\n"
        )
        pool.tool("condor_submit", str(pool.work / "now.sub"))
        pool.wait("now.log")
        begun = float((pool.work / "now").read_text())
        lines = (pool.log / "StartLog").read_text().splitlines()
        order = [line for line in lines if "Got universe" in line][-1]
        stamp = re.match(r"(\d+\.\d+)", order)
        found.append((begun - float(stamp[1])) * 1000 if stamp else float("nan"))
        (pool.work / "now.log").unlink()
    middle = statistics.median(found)
    print(f"order to first instruction: median {middle:.1f} ms, worst {max(found):.1f} ms (target 15)")


def main() -> int:
    """All of it, in a pool of its own."""
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool", cpus=STARTERS, STARTD_DEBUG="D_SUB_SECOND D_TIMESTAMP")
        pool.start()
        try:
            bench_idle(pool)
            bench_memory(pool)
            bench_start(pool)
        finally:
            pool.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The queue tools at 10,000 and 100,000 jobs: ``python tests/bench/bench_queue.py [JOBS ...]``.

Prints the wall time of each command beside what the real HTCondor needed for the same on the machine of its recording
(condor_q of 25.14 asking a running condor_schedd), and the memory of a process that holds the queue. The queue is 10
clusters with five attributes of their own a proc, in the spool of a pool without daemons.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

from pool import MAIN, PersonalPool

CLUSTERS = 10
#: Command -> seconds of HTCondor 25.14 at 10,000 and 100,000 jobs (None: not recorded), and how many times faster ours
#: has to be at 100,000; a number instead of a recording is a limit in seconds.
COMMANDS: dict[tuple[str, ...], tuple[float | None, float | None, str]] = {
    ("condor_q", "-nobatch"): (0.15, 1.8, "1.5 times faster"),
    ("condor_q",): (None, None, ""),
    ("condor_q", "-long"): (0.66, 8.3, "1.5 times faster"),
    ("condor_q", "-af", "ClusterId", "ProcId"): (0.08, 0.63, "no slower"),
    ("condor_q", "5.17"): (0.02, 0.07, "below 0.3 s"),
    ("condor_q", "-nobatch", "5.17"): (0.02, 0.07, "below 0.3 s"),
    ("condor_q", "-totals"): (None, None, ""),
    ("condor_prio", "-p", "3", "5.17"): (0.011, 0.011, "below 0.25 s"),
}
REMOVE: tuple[float | None, float | None, str] = (0.26, 2.4, "1.5 times faster")
OPEN = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
from condor_py.store.job_queue import JobQueue
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 1e6
before = resident()
begin = time.perf_counter()
queue = JobQueue(sys.argv[2], readonly=True)
opened = time.perf_counter() - begin
held = resident()
begin = time.perf_counter()
count = sum(len(ad.attrs) > 0 for _, ad in queue.jobs())
touched = time.perf_counter() - begin
print(queue.count(), opened, held - before, touched, resident() - before)
"""
REWRITE = """
import sys, time
sys.path.insert(0, sys.argv[1])
from condor_py.store.job_queue import JobQueue
queue = JobQueue(sys.argv[2])
begin = time.perf_counter()
queue.compact(0)
print(time.perf_counter() - begin)
"""


def submit(pool: PersonalPool, jobs: int) -> float:
    """Queues ``jobs`` jobs in ten clusters; seconds."""
    each = jobs // CLUSTERS
    (pool.work / "many.sub").write_text(
        "executable = /bin/true\narguments = $(Process)\noutput = out.$(Process)\nerror = err.$(Process)\n"
        f'log = many.log\n+Step = $(Process) % 7\n+Label = "item $(Process)"\nqueue {each}\n'
    )
    begin = time.perf_counter()
    for _ in range(CLUSTERS):
        pool.tool("condor_submit", "-terse", "many.sub")
    return time.perf_counter() - begin


def wall(pool: PersonalPool, words: tuple[str, ...], times: int) -> float:
    """Median seconds of a command, its output thrown away."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-I", str(MAIN), *words],
            env=pool.environment, cwd=pool.work, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def script(text: str, path: Path) -> list[float]:
    """The numbers that a piece of Python prints about a queue, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", text, str(ROOT), str(path)], capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


def report(what: str, seconds: float, recorded: float | None = None, wanted: str = "") -> None:
    beside = f"   HTCondor {recorded:6.2f} s, ours / theirs {seconds / recorded:5.2f}" if recorded else ""
    print(f"  {what:<34}{seconds:8.3f} s{beside}{'   wanted: ' + wanted if wanted else ''}", flush=True)


def bench(jobs: int, directory: str) -> None:
    pool = PersonalPool(Path(directory) / f"pool{jobs}", cpus=4)
    log = pool.spool / "job_queue.log"
    print(f"{jobs} jobs")
    large = jobs >= 100_000
    report("condor_submit, ten clusters", submit(pool, jobs))
    print(f"  job_queue.log: {os.path.getsize(log) / 1e6:.1f} MB")
    count, opened, held, touched, used = script(OPEN, log)
    assert count == jobs, f"{count} jobs instead of {jobs}"
    report("opening the queue", opened, None, "below 0.3 s" if large else "")
    report("touching every job", touched)
    print(f"  memory: {held:.0f} MB opened, {used:.0f} MB with every job touched", flush=True)
    for words, (small, big, wanted) in COMMANDS.items():
        report(" ".join(words), wall(pool, words, 3), big if large else small, wanted if large else "")
    report("rewriting the log", script(REWRITE, log)[0])
    small, big, wanted = REMOVE
    each = wall(pool, ("condor_rm", "-constraint", "ClusterId > 0"), 1)
    report("condor_rm of all jobs", each, big if large else small, wanted if large else "")


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000]
    with tempfile.TemporaryDirectory() as directory:
        for jobs in sizes:
            bench(jobs, directory)


if __name__ == "__main__":
    main()

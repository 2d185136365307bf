"""A schedd with 100,000 jobs: memory, and how long a rewrite of the log keeps it from its other work.

``python tests/bench/bench_compaction.py [JOBS]``. Beside it the rewrite in one piece, as it was.
"""

from __future__ import annotations

import gc
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "bench")]

from bench_queue import submit
from pool import PersonalPool

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import QueueTaken
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store.job_queue import JobQueue

STEP = 400


def resident() -> float:
    """Resident memory in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool", cpus=4)
        submit(pool, jobs)
        path = str(pool.spool / "job_queue.log")
        before = resident()
        begin = time.perf_counter()
        queue = JobQueue(path)
        opened = time.perf_counter() - begin
        core = Schedd(queue, ScheddSettings(), int(time.time()))
        core.handle(QueueTaken({}, ()), int(time.time()))
        core.take()
        print(f"{jobs} jobs: opened in {opened:.3f} s, taken over in {time.perf_counter() - begin:.2f} s", flush=True)
        print(f"memory of queue and schedd core: {resident() - before:.0f} MB   wanted: process below 440 MB")
        gc.collect()
        begin = time.perf_counter()
        queue.compact(0)
        print(f"rewrite in one piece: {time.perf_counter() - begin:.3f} s")
        compaction = queue.compaction(0)
        steps = []
        while True:
            begin = time.perf_counter()
            more = compaction.step(STEP)
            steps.append(time.perf_counter() - begin)
            if not more:
                break
        begin = time.perf_counter()
        compaction.finish()
        last = time.perf_counter() - begin
        steps.sort()
        median, most = steps[len(steps) // 2] * 1e3, steps[len(steps) * 99 // 100] * 1e3
        print(f"rewrite in {len(steps)} steps: {sum(steps) + last:.3f} s in all; a step {median:.1f} ms,")
        print(f"  99 of 100 below {most:.1f} ms, longest {steps[-1] * 1e3:.1f} ms, the end {last * 1e3:.1f} ms")
        print("  wanted: each below 50 ms")


if __name__ == "__main__":
    main()

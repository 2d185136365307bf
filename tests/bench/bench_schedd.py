"""A running schedd with many jobs: dispatch of short jobs, memory, removal; and condor_history on a file of a gigabyte.

``python tests/bench/bench_schedd.py [JOBS]`` (100,000). HTCondor 25.14 holds 100,000 jobs in 440 MB.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "bench")]

from bench_pool import SHORT, count_in, dispatch, memory_mb, report, tool_time
from pool import PersonalPool, wait_for

_GIGABYTE = 1 << 30
_WINDOW = 20.0


def queue(pool: PersonalPool, jobs: int, more: str, log: str) -> float:
    """Queues a cluster of /bin/true; seconds until condor_submit was done."""
    text = f"executable = /bin/true\narguments = $(Process)\nlog = {log}\n{more}\nqueue {jobs}\n"
    (pool.work / "many.sub").write_text(text)
    begin = time.perf_counter()
    pool.tool("condor_submit", "-terse", "many.sub")
    return time.perf_counter() - begin


def rate(pool: PersonalPool, log: str, jobs: int) -> float:
    """Jobs that end in a second, over a while or until all have, from the first on."""
    path = pool.work / log
    wait_for(lambda: count_in(path, b"\n005 (") > 0, "the first has ended", 120)
    first, begin = count_in(path, b"\n005 ("), time.perf_counter()
    ended = first
    while ended < jobs and time.perf_counter() - begin < _WINDOW:
        time.sleep(0.1)
        ended = count_in(path, b"\n005 (")
    return (ended - first) / (time.perf_counter() - begin)


def bench_jobs(pool: PersonalPool, jobs: int) -> None:
    empty = memory_mb(pool.pid("schedd"))
    dispatch(pool, "warm")
    alone = sorted(dispatch(pool, f"alone{number}") for number in range(3))[1]
    report(f"{SHORT} short jobs on an empty queue: {SHORT / alone:.0f} a second")
    took = queue(pool, jobs, "requirements = false", "waiting.log")
    report(f"condor_submit of {jobs} jobs that wait: {took:.1f} s; schedd {memory_mb(pool.pid('schedd')):.0f} MB")
    wait_for(lambda: count_in(pool.work / "waiting.log", b"000 (") >= jobs, "the schedd has seen them", 300)
    report(f"schedd with {jobs} jobs: {memory_mb(pool.pid('schedd')):.0f} MB   wanted: below 440 MB at 100,000")
    among = sorted(dispatch(pool, f"among{number}") for number in range(3))[1]
    report(f"{SHORT} short jobs among {jobs} that wait: {SHORT / among:.0f} a second, {alone / among:.2f} of alone")
    begin = time.perf_counter()
    pool.tool("condor_rm", "-constraint", "Requirements =?= false")
    report(f"condor_rm of {jobs} jobs while the schedd runs: {time.perf_counter() - begin:.2f} s")
    wait_for(lambda: len(pool.queue("ClusterId")) == 0, "they have left", 600)
    took = time.perf_counter() - begin
    log = pool.spool / "job_queue.log"
    wait_for(lambda: log.stat().st_size < 1 << 20, "the log is short again", 60)
    report(
        f"they have left after {took:.1f} s; schedd {memory_mb(pool.pid('schedd')):.0f} MB, it began with {empty:.0f}"
    )


def bench_long_cluster(pool: PersonalPool, jobs: int) -> None:
    for count in (jobs // 20, jobs):
        log = f"run{count}.log"
        queue(pool, count, "", log)
        report(f"a cluster of {count} short jobs runs at {rate(pool, log, count):.0f} a second")
        pool.tool("condor_rm", "-all", check=False)
        wait_for(lambda: len(pool.queue("ClusterId")) == 0, "they have left", 600)


def bench_history(pool: PersonalPool) -> None:
    path = pool.spool / "history"
    record = path.read_bytes()[-(1 << 20) :]
    record = record[record.index(b"\n*** ") :].partition(b"\n*** ")[2].partition(b"\n")[2]
    with path.open("ab") as file:
        while file.tell() < _GIGABYTE:
            file.write(record)
    size = path.stat().st_size / 1e9
    for words in (("-limit", "1"), ("-limit", "1000"), ("-af", "ClusterId", "-limit", "10")):
        seconds = tool_time(pool, "condor_history", *words)
        report(f"condor_history {' '.join(words)} on {size:.2f} GB: {seconds * 1000:.0f} ms")


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as directory:
        knobs = dict.fromkeys(("MAX_JOBS_PER_SUBMISSION", "MAX_JOBS_PER_OWNER"), "1000000")
        pool = PersonalPool(Path(directory) / "pool", cpus=8, MAX_HISTORY_LOG="0", **knobs)
        pool.start()
        try:
            bench_jobs(pool, jobs)
            bench_long_cluster(pool, jobs)
            bench_history(pool)
        finally:
            pool.stop()


if __name__ == "__main__":
    main()

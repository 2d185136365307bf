"""Short jobs from their submit to their end, and from submit to start."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bare_loop import bare_loop
from table import Row

from rows.common import SharedPool, pool_of, seconds, submit, wait_for, wait_for_lines

#: What peer_hyperqueue.py ends with where HyperQueue is not installed.
_NOT_HERE = 3
_SLOTS = 8
#: Bytes that a job takes in the log of the queue and in the history.
_RECORDS, _HISTORY = 2_500, 2_700


def burst(pool: SharedPool, jobs: int, name: str) -> float:
    """Seconds for a cluster of /bin/true with event log, condor_submit included."""
    log = pool.work / name
    (pool.work / "short.sub").write_text(f"executable = /bin/true\nlog = {name}\nqueue {jobs}\n")
    begin = time.perf_counter()
    pool.tool("condor_submit", "-terse", "short.sub")
    wait_for_lines(log, b"\n005 (", jobs, "all ran")
    return time.perf_counter() - begin


def careful_loop(jobs: int) -> float:
    """Seconds of the least that keeps our promises about what is on disk, and no others: eight jobs at a time, the
    start of each durable before it begins, its outcome before its slot gets the next, its history before it leaves the
    queue. What is written is as long as what the schedd writes."""
    with tempfile.TemporaryDirectory() as directory:
        begin = time.perf_counter()
        queue, history, log = (
            os.open(f"{directory}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND) for name in ("q", "h", "log")
        )
        ended = left = 0
        for _ in range(0, jobs + 2 * _SLOTS, _SLOTS):
            if ended:
                os.write(history, b"h" * _HISTORY * ended)
                os.fdatasync(history)
            os.write(queue, b"q" * _RECORDS * _SLOTS)
            os.fdatasync(queue)
            ended, left = left, 0
            if jobs <= 0:
                continue
            now = range(min(_SLOTS, jobs))
            for slot in now:
                os.mkdir(f"{directory}/dir_{slot}")
            pids = [os.posix_spawn("/bin/true", ["true"], {}, setsid=True) for _ in now]
            os.write(log, b"001 (001.000.000) Job executing\n...\n" * len(now))
            for slot, pid in enumerate(pids):
                os.wait4(pid, 0)
                os.rmdir(f"{directory}/dir_{slot}")
            os.write(log, b"005 (001.000.000) Job terminated\n...\n" * len(now))
            left = len(now)
            jobs -= left
        for file in (queue, history, log):
            os.close(file)
        return time.perf_counter() - begin


def to_start(pool: SharedPool, number: int) -> float:
    """Seconds from the start of condor_submit to the moment at which the job looks at the clock."""
    stamp = pool.work / f"stamp{number}"
    text = f"executable = /bin/date\narguments = +%s.%N\noutput = {stamp.name}\nlog = stamp.log\nqueue\n"
    (pool.work / "stamp.sub").write_text(text)
    begin = time.time()
    pool.tool("condor_submit", "-terse", "stamp.sub")
    wait_for(lambda: stamp.exists() and stamp.read_text().strip(), "the job ran", 30)
    return float(stamp.read_text()) - begin


def gnu_parallel(jobs: int) -> float | str:
    """Seconds of GNU parallel, or why there are none."""
    parallel = shutil.which("parallel")
    if parallel is None:
        return "not installed (apt: parallel)"
    words, items = [parallel, "-j8", "/bin/true", "#"], "\n".join(map(str, range(jobs)))
    return seconds(lambda: subprocess.run(words, input=items, text=True, check=True))


def hyperqueue(jobs: int) -> float | str:
    """Seconds of HyperQueue, or why there are none."""
    words = [sys.executable, str(Path(__file__).parents[1] / "peer_hyperqueue.py"), str(jobs), "8"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == _NOT_HERE:
        return "not installed (pip: hyperqueue)"
    if done.returncode:
        sys.stderr.write(done.stderr)
        return f"failed, exit code {done.returncode}"
    return float(done.stdout.split()[-1])


def _peers(jobs: int, rate: float) -> Iterator[Row]:
    """Our figure for as many jobs, beside those of others."""
    for name, run in (("GNU parallel", gnu_parallel), ("HyperQueue", hyperqueue)):
        took = run(jobs)
        work = f"{jobs:,} x /bin/true, 8 slots, and {name}"
        if isinstance(took, str):
            yield Row(work, rate, "/s", missing=took)
        else:
            yield Row(work, rate, "/s", None, jobs / took, name)


def rows(quick: bool) -> Iterator[Row]:
    with pool_of(CLAIM_WORKLIFE="-1") as pool:
        burst(pool, 200, "warm.log")
        sizes = (200,) if quick else (2_000, 10_000)
        for jobs in sizes:
            limit = jobs / bare_loop(min(jobs, 2_000)) * min(jobs, 2_000) / jobs
            rate = jobs / burst(pool, jobs, f"run{jobs}.log")
            yield Row(f"{jobs:,} x /bin/true, 8 slots", rate, "/s", 1500, limit, "bare loop")
            careful = jobs / careful_loop(jobs)
            yield Row(f"{jobs:,} x /bin/true, 8 slots, and a loop", rate, "/s", None, careful, "loop with our syncs")
            if jobs == sizes[0]:
                yield from _peers(jobs, rate)
        times = [to_start(pool, number) * 1000 for number in range(3 if quick else 15)]
        yield Row("submit to start through real tools", statistics.median(times), "ms", 70)
        if not quick:
            submit(pool, 100_000, 10, "requirements = false")
            os.sync()  # or each sync of the schedd's waits for what these have left to be written
            rate = 2_000 / burst(pool, 2_000, "among.log")
            yield Row("2,000 x /bin/true among 100,000 others that wait", rate, "/s", 1500)

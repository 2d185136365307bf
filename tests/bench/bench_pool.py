"""The pool as its users feel it, beside its peers, in one run: submit to start, jobs a second, submit rate, tools,
memory.

Run it through tests/bench/run. Peers: GNU parallel (Debian package ``parallel``) when it is installed, and a bare loop
of posix_spawn on one core, the limit of the machine. Timings differ from machine to machine; the ratios are what to
look at.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

from pool import MAIN, PersonalPool, wait_for

SHORT = 400


def bare_spawn(count: int) -> float:
    """Seconds to start and reap ``count`` processes, one after the other."""
    begin = time.perf_counter()
    for _ in range(count):
        pid = os.posix_spawn("/bin/true", ["true"], {})
        os.waitpid(pid, 0)
    return time.perf_counter() - begin


def gnu_parallel(count: int) -> float | None:
    """Seconds that GNU parallel needs for ``count`` jobs on 8 slots; None where it is not installed."""
    program = shutil.which("parallel")
    if program is None:
        return None
    begin = time.perf_counter()
    subprocess.run([program, "-j8", "/bin/true", "#"], input="\n".join(map(str, range(count))), text=True, check=True)
    return time.perf_counter() - begin


def count_in(path: Path, head: bytes) -> int:
    """Events of a kind in a log."""
    return path.read_bytes().count(head) if path.exists() else 0


def dispatch(pool: PersonalPool, name: str) -> float:
    """Seconds from the end of condor_submit until 400 jobs of /bin/true with event log are terminated, on 8 slots."""
    log = pool.work / f"{name}.log"
    (pool.work / "short.sub").write_text(f"executable = /bin/true\nlog = {log.name}\nqueue {SHORT}\n")
    begin = time.perf_counter()
    pool.tool("condor_submit", "-terse", "short.sub")
    wait_for(lambda: count_in(log, b"\n005 (") >= SHORT, "all jobs ran", 120)
    return time.perf_counter() - begin


def submit_to_start(pool: PersonalPool, number: int) -> float:
    """Seconds from the start of condor_submit to the moment at which the job itself looks at the clock."""
    stamp = pool.work / f"stamp{number}"
    (pool.work / "stamp.sub").write_text(
        f"executable = /bin/date\narguments = +%s.%N\noutput = {stamp.name}\nlog = stamp.log\nqueue\n"
    )
    begin = time.time()
    pool.tool("condor_submit", "-terse", "stamp.sub")
    wait_for(lambda: stamp.exists() and stamp.read_text().strip(), "the job ran", 30)
    return float(stamp.read_text()) - begin


def tool_time(pool: PersonalPool, *words: str) -> float:
    """Median wall seconds of a tool."""
    times = []
    for _ in range(11):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-I", "-S", str(MAIN), *words],
            env=pool.environment,
            cwd=pool.work,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def best_of(times: int, function: Callable[[], float]) -> float:
    """The median of several runs."""
    return statistics.median(function() for _ in range(times))


def report(text: str) -> None:
    print(text, flush=True)


def bench_latency(pool: PersonalPool) -> None:
    times = [submit_to_start(pool, number) for number in range(15)]
    report(
        f"submit to start: median {statistics.median(times) * 1000:.0f} ms, worst {max(times) * 1000:.0f} ms "
        f"of {len(times)} "
        f"(a bare interpreter starts in {tool_time(pool, 'condor_version') * 1000:.0f} ms as condor_version)"
    )


def bench_dispatch(pool: PersonalPool) -> None:
    dispatch(pool, "warm")
    ours = statistics.median(dispatch(pool, f"run{number}") for number in range(5))
    spawn = best_of(3, lambda: bare_spawn(SHORT))
    report(f"{SHORT} jobs of /bin/true on 8 slots, condor_submit included: {SHORT / ours:.0f} a second")
    report(f"  bare posix_spawn on one core: {SHORT / spawn:.0f} a second; ours / bare = {spawn / ours:.2f}")
    peer = gnu_parallel(SHORT)
    if peer is None:
        report("  GNU parallel is not installed here")
    else:
        report(f"  GNU parallel -j8: {SHORT / peer:.0f} a second; ours / parallel = {peer / ours:.2f}")


def bench_submit(pool: PersonalPool) -> None:
    (pool.work / "many.sub").write_text(
        "executable = /bin/true\narguments = $(Process)\noutput = out.$(Process)\nhold = true\n"
        "log = many.log\nqueue 10000\n"
    )
    begin = time.perf_counter()
    pool.tool("condor_submit", "-terse", "many.sub")
    took = time.perf_counter() - begin
    report(f"condor_submit of queue 10000: {10000 / took:.0f} jobs a second")
    wait_for(lambda: count_in(pool.work / "many.log", b"000 (") >= 10000, "the schedd has seen them all", 60)
    report(f"schedd with 10,000 jobs queued: {memory_mb(pool.pid('schedd')):.0f} MB resident")
    report(f"condor_q -totals with 10,000 jobs: {tool_time(pool, 'condor_q', '-totals') * 1000:.0f} ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool", cpus=8)
        pool.start()
        try:
            for words in (("condor_version",), ("condor_q",), ("condor_status",)):
                report(f"{words[0]} on an empty queue: {tool_time(pool, *words) * 1000:.0f} ms wall")
            bench_latency(pool)
            bench_dispatch(pool)
            bench_submit(pool)
        finally:
            pool.stop()


if __name__ == "__main__":
    main()

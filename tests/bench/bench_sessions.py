"""Terminal sessions as their users feel them: a command in a job, a shell in a slot, bytes a second.

Beside them the same commands in a bare shell, the limit of the machine. Run it through tests/bench/run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

from pool import PersonalPool

ROUNDS = 30
MEGABYTES = 300
PTY_MEGABYTES = 20


def seconds(action: Callable[[], object]) -> float:
    """How long it takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def median(action: Callable[[], object]) -> float:
    """Milliseconds, the median of many."""
    return statistics.median(seconds(action) for _ in range(ROUNDS)) * 1000


def shell(command: str) -> None:
    """The same without a job."""
    subprocess.run(["/bin/bash", "-c", command], check=True, capture_output=True)


def main() -> None:
    """Prints one line a question."""
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool")
        pool.start()
        try:
            measure(pool)
        finally:
            pool.stop()


def measure(pool: PersonalPool) -> None:
    """All questions, in a running pool."""
    (pool.work / "job.sub").write_text("executable = /bin/sleep\narguments = 1000\nqueue\n")
    pool.tool("condor_submit", "job.sub")
    enter = ("condor_ssh_to_job", "-auto-retry", "1.0")
    pool.tool(*enter, "true")
    entered, bare = median(lambda: pool.tool(*enter, "true")), median(lambda: shell("true"))
    print(f"a command in a job        {entered:7.1f} ms   a bare shell {bare:.1f} ms")
    begun = median(lambda: pool.tool("condor_submit", "-interactive", stdin="exit\n"))
    print(f"a shell in a slot and out {begun:7.1f} ms   (HTCondor sleeps 3 s before it looks whether the job runs)")
    pipe = f"head -c {MEGABYTES}000000 /dev/zero | cat"
    rate, bare = (MEGABYTES / seconds(action) for action in (lambda: pool.tool(*enter, pipe), lambda: shell(pipe)))
    print(f"through a pipe            {rate:7.1f} MB/s a bare shell {bare:.1f} MB/s")
    lines = f"yes | head -c {PTY_MEGABYTES}000000"
    rate = PTY_MEGABYTES / seconds(lambda: pool.tool("condor_ssh_to_job", "-ssh", "ssh -t", "1.0", lines))
    bare = PTY_MEGABYTES / seconds(lambda: shell(f"script -qc '{lines}' /dev/null"))
    print(f"through a terminal        {rate:7.1f} MB/s script(1)    {bare:.1f} MB/s")


if __name__ == "__main__":
    main()

"""What the groups share: pools with many jobs, and times of tools."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pool import MAIN, PersonalPool, wait_for
from shared_pool import SharedPool

ROOT = Path(os.environ["BENCH_ROOT"])
_MANY = dict.fromkeys(("MAX_JOBS_PER_SUBMISSION", "MAX_JOBS_PER_OWNER"), "10000000")


@contextmanager
def pool_of(cpus: int = 8, *, start: bool = True, **knobs: str) -> Iterator[SharedPool]:
    """A pool in a directory that everybody may enter, which is gone afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        pool = SharedPool(Path(directory) / "pool", cpus=cpus, **_MANY, **knobs)
        if start:
            pool.start()
        try:
            yield pool
        finally:
            pool.stop()


def seconds(action: Callable[[], object]) -> float:
    """Of one call."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def median(times: int, action: Callable[[], object]) -> float:
    """Median seconds of several calls."""
    return statistics.median(seconds(action) for _ in range(times))


def tool(pool: PersonalPool, *words: str) -> Callable[[], object]:
    """Runs a tool through its launcher in bin, its output thrown away."""
    environment = pool.environment | {"CONDOR_PY_PYTHON": sys.executable}
    command = [str(ROOT / "bin" / words[0]), *words[1:]]
    return lambda: subprocess.run(command, env=environment, cwd=pool.work, stdout=subprocess.DEVNULL, check=True)


def bare() -> Callable[[], object]:
    """An interpreter that does nothing, started through a shell as the launchers are."""
    command = ["/bin/sh", "-c", 'exec "$0" -I -S -c pass', sys.executable]
    return lambda: subprocess.run(command, check=True)


def submit(pool: PersonalPool, jobs: int, clusters: int = 1, more: str = "", log: str = "many.log") -> float:
    """Queues jobs with a few attributes of their own, by root; seconds."""
    own = '+Step = $(Process) % 7\n+Label = "item $(Process)"\n'
    text = f"executable = /bin/true\narguments = $(Process)\noutput = out.$(Process)\nerror = err.$(Process)\n{own}"
    (pool.work / "many.sub").write_text(f"{text}log = {log}\n{more}\nqueue {jobs // clusters}\n")
    return seconds(lambda: [pool.tool("condor_submit", "-terse", "many.sub") for _ in range(clusters)])


def lines_in(path: Path, head: bytes) -> int:
    """Events of a kind in a log."""
    return path.read_bytes().count(head) if path.exists() else 0


def wait_for_lines(path: Path, head: bytes, number: int, what: str) -> None:
    """Until a growing log has ``number`` events of a kind. Only what is new is read: to read all of it again and again
    takes the jobs a tenth of the machine."""
    seen = place = 0
    rest = b""

    def enough() -> bool:
        nonlocal seen, place, rest
        if path.exists():
            with path.open("rb") as log:
                log.seek(place)
                new = log.read()
            place += len(new)
            seen += (rest + new).count(head)
            rest = (rest + new)[-(len(head) - 1) :]
        return seen >= number

    wait_for(enough, what, 600)


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """Memory of a process, in MB of 1,000,000 bytes."""
    for text in Path(f"/proc/{pid}/status").read_text().splitlines():
        if text.startswith(f"{field}:"):
            return int(text.split()[1]) * 1024 / 1e6
    return 0.0


def proportional_mb(pids: Sequence[int]) -> float:
    """Memory of processes, what they share counted once."""
    total = 0
    for pid in pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += sum(int(text.split()[1]) for text in rollup.splitlines() if text.startswith("Pss:"))
    return total * 1024 / 1e6


def own_cpu(pid: int) -> float:
    """Seconds of CPU of a process and its threads."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def socket_of(pool: PersonalPool) -> str:
    """Where the schedd listens."""
    return next(str(path) for path in pool.directory.rglob("schedd*") if path.is_socket())


__all__ = ["MAIN", "PersonalPool", "SharedPool", "wait_for"]

"""How soon a schedd serves: with 100,000 jobs, and with a history of 1,000,000."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from table import Row

from condor_py.client import wire
from condor_py.model.messages.queue import NewClusters
from rows.common import ROOT, SharedPool, bare, lines_in, pool_of, seconds, socket_of, submit, wait_for


def restart(pool: SharedPool) -> float:
    """Seconds from the start of condor_master to the first answer of its schedd."""
    socket = _stopped(pool)
    begin = time.perf_counter()
    words = [sys.executable, "-I", "-S", str(ROOT / "condor_py" / "__main__.py"), "condor_master"]
    subprocess.run(words, env=pool.environment, cwd=pool.work, check=True)
    return _serves(socket) - begin


def alone(pool: SharedPool) -> float:
    """Seconds from the start of a schedd, as the master starts it, to its first answer; the median of three. The first
    of them may have a log that no schedd has rewritten yet."""
    socket = _stopped(pool)
    words = [sys.executable, "-I", "-S", "-X", "utf8", str(ROOT / "condor_py" / "daemons" / "main.py"), "SCHEDD"]
    took = []
    for _ in range(3):
        begin = time.perf_counter()
        with subprocess.Popen(words, env=pool.environment, cwd=pool.work) as schedd:
            took.append(_serves(socket) - begin)
            schedd.send_signal(signal.SIGQUIT)
    return statistics.median(took)


def _stopped(pool: SharedPool) -> str:
    """Where the schedd of a pool that is down now will listen."""
    socket = socket_of(pool) if pool.processes() else str(pool.directory / "local" / "log" / "daemon_sock" / "schedd")
    if pool.processes():
        os.kill(pool.pid("master"), signal.SIGQUIT)
    wait_for(lambda: not pool.processes(), "the pool is down", 120)
    pool.environment["_CONDOR_DAEMON_LIST"] = "MASTER, SCHEDD"
    return socket


def _serves(socket: str) -> float:
    """When the schedd has answered."""
    while True:
        try:
            wire.ask(socket, NewClusters(1), timeout=120)
            return time.perf_counter()
        except wire.WireError:
            time.sleep(0.002)


def _has_run_one(pool: SharedPool) -> None:
    (pool.work / "one.sub").write_text("executable = /bin/true\nlog = one.log\nqueue\n")
    pool.tool("condor_submit", "one.sub")
    wait_for(lambda: (pool.spool / "history").exists(), "it has left", 60)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of() as pool:
        _has_run_one(pool)
        empty, empty_alone = restart(pool), alone(pool)
        yield Row(
            "schedd to serving, nothing to take over", empty_alone, "s", None, seconds(bare()), "bare interpreter"
        )
        history = pool.spool / "history"
        record = history.read_bytes()
        with history.open("ab") as file:
            for _ in range(jobs // 100):
                file.write(record * 1000)
        yield Row(f"schedd to serving, history of {jobs * 10:,}", alone(pool), "s", 0.15, empty_alone, "empty")
        yield Row(
            f"condor_master to serving schedd, history of {jobs * 10:,}", restart(pool), "s", None, empty, "empty"
        )
    with pool_of() as pool:
        _has_run_one(pool)  # every schedd with jobs has a history, too
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        yield Row(f"schedd to serving, {jobs:,} jobs", alone(pool), "s", 0.1, empty_alone, "empty")
        yield Row(f"condor_master to serving schedd, {jobs:,} jobs", restart(pool), "s", None, empty, "empty")

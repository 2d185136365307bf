"""How soon a schedd serves: with 100,000 jobs, and with a history of 1,000,000."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

from table import Row

from condor_py.access import wire
from condor_py.model.messages.queue import NewClusters
from rows.common import ROOT, SharedPool, lines_in, pool_of, socket_of, submit, wait_for


def restart(pool: SharedPool) -> float:
    """Seconds from the start of a schedd to its first answer."""
    socket = socket_of(pool)
    os.kill(pool.pid("master"), signal.SIGQUIT)
    wait_for(lambda: not pool.processes(), "the pool is down", 120)
    pool.environment["_CONDOR_DAEMON_LIST"] = "MASTER, SCHEDD"
    begin = time.perf_counter()
    words = [sys.executable, "-I", "-S", str(ROOT / "condor_py" / "__main__.py"), "condor_master"]
    subprocess.run(words, env=pool.environment, cwd=pool.work, check=True)
    while True:
        try:
            wire.ask(socket, NewClusters(1), timeout=120)
            return time.perf_counter() - begin
        except wire.WireError:
            time.sleep(0.002)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of() as pool:
        (pool.work / "one.sub").write_text("executable = /bin/true\nlog = one.log\nqueue\n")
        pool.tool("condor_submit", "one.sub")
        wait_for(lambda: (pool.spool / "history").exists(), "it has left", 60)
        empty = restart(pool)
        history = pool.spool / "history"
        record = history.read_bytes()
        with history.open("ab") as file:
            for _ in range(jobs // 100):
                file.write(record * 1000)
        work = f"condor_master to serving schedd, history of {jobs * 10:,}"
        yield Row(work, restart(pool), "s", 0.15, empty, "empty")
    with pool_of() as pool:
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        yield Row(f"condor_master to serving schedd, {jobs:,} jobs", restart(pool), "s", 0.1, empty, "empty")

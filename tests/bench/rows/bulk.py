"""Changes of all of 100,000 jobs, by root and by an ordinary account, and how long somebody else waits meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

from table import Row

from rows.common import SharedPool, lines_in, own_cpu, pool_of, seconds, socket_of, submit, tool, wait_for

#: What HTCondor 25.14 needed for condor_rm, recorded.
_RECORDED = 2.4
_WAIT = "longest wait of somebody else"
_WORDS = (
    ("condor_hold", "-all"),
    ("condor_release", "-all"),
    ("condor_prio", "-p", "3", "-a"),
    ("condor_qedit", "-constraint", "true", "Label", "17"),
    ("condor_rm", "-all"),
)


class Neighbour(threading.Thread):
    """Somebody else who asks the schedd for something small again and again."""

    def __init__(self, pool: SharedPool) -> None:
        super().__init__()
        self._socket = socket_of(pool)
        self._over = threading.Event()
        self.longest = 0.0

    def run(self) -> None:
        from condor_py.client import wire
        from condor_py.model.messages.queue import NewClusters

        while not self._over.is_set():
            begin = time.perf_counter()
            wire.ask(self._socket, NewClusters(1), timeout=120)
            self.longest = max(self.longest, time.perf_counter() - begin)
            time.sleep(0.005)

    def __enter__(self) -> Neighbour:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self.join()


def _stages(pool: SharedPool, what: str, jobs: int, root: bool) -> Iterator[Row]:
    goal, left = 0.6 if root else 1.0, 0.0
    for words in _WORDS:
        run = tool(pool, *words) if root else lambda words=words: pool.as_stranger(*words)
        used = own_cpu(pool.pid("schedd"))
        with Neighbour(pool) as other:
            begin = time.perf_counter()
            took = seconds(run)
            if words[0] == "condor_rm":
                wait_for(lambda: not pool.queue("ClusterId"), "they have left", 600)
                left = time.perf_counter() - begin
            time.sleep(1.0 if jobs > 10_000 else 0.1)
        used = own_cpu(pool.pid("schedd")) - used
        recorded = _RECORDED if words[0] == "condor_rm" and jobs == 100_000 else None
        yield Row(f"{words[0]} of {jobs:,} by {what}", took, "s", goal, recorded, "HTCondor, recorded")
        yield Row(f"  {words[0]} by {what}: CPU of the schedd, neighbour included", used, "s")
        yield Row(f"  {words[0]} by {what}: {_WAIT}", other.longest * 1000, "ms", 50)
    yield Row(f"  {words[0]} by {what}: until all have left the queue", left, "s")


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of() as pool:
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        yield from _stages(pool, "root", jobs, True)
        text = "executable = /bin/true\narguments = $(Process)\nlog = theirs.log\nrequirements = false\nqueue"
        for _ in range(10):
            pool.submit_as_stranger(f"{text} {jobs // 10}\n")
        yield from _stages(pool, "an ordinary account", jobs, False)

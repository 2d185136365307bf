"""The schedd dies by kill -9 at every named point of its work: no job is lost, run twice unnoticed or told wrongly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit import audit, finished
from pool import PersonalPool, wait_for

HERE = Path(__file__).parent
JOBS = 12
#: Point -> at which time to strike: early and, where a run has more of them, later.
POINTS: dict[str, tuple[int, ...]] = {
    "before:write:queue": (2, 9),
    "after:write:queue": (1, 3, 6, 12),
    "after:sync:queue": (1, 3, 6, 12),
    "before:write:userlog": (1, 4),
    "after:write:userlog": (1, 4),
    "after:sync:userlog": (1, 4),
    "before:write:history": (1, 3),
    "after:write:history": (1, 3),
    "after:sync:history": (1, 3),
    "after:write:epochs": (2,),
    "before:create:rewrite": (1,),
    "after:create:rewrite": (2,),
    "after:write:rewrite": (1, 2),
    "after:sync:rewrite": (1, 2),
    "after:link:queue": (1,),
    "before:rename:rewrite": (1, 2),
    "after:rename:rewrite": (1, 2),
    "after:unlink:rewrite": (1,),
}
ALL = [(point, count) for point, counts in POINTS.items() for count in counts]
SOME = [("after:write:queue", 3), ("after:write:history", 1), ("after:sync:rewrite", 1)]
CHOSEN = ALL if os.environ.get("CONDOR_PY_FAILPOINTS") == "all" else SOME


@pytest.fixture
def headless(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool without a schedd, whose log is rewritten all the time."""
    made = PersonalPool(
        tmp_path / "pool", cpus=4, DAEMON_LIST="MASTER NEGOTIATOR STARTD", QUEUE_CLEAN_INTERVAL="1",
        MAX_HISTORY_LOG="20000", MAX_HISTORY_ROTATIONS="1000",
    )  # fmt: skip
    made.tool("condor_master")
    try:
        yield made
    finally:
        made.stop()


def schedd(pool: PersonalPool, point: str = "never", count: int = 0) -> subprocess.Popen[bytes]:
    """Starts a schedd that dies at a point."""
    with (pool.directory / "schedd.out").open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-I", str(HERE / "failing_schedd.py"), point, str(count)],
            env=pool.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd="/",
        )  # fmt: skip


def load(pool: PersonalPool, number: int) -> set[str]:
    """Short jobs in a log of their own; their ids."""
    cluster = pool.submit(f"executable = /bin/true\nlog = load{number}.log\nqueue {JOBS}\n")
    return {f"{cluster}.{proc}" for proc in range(JOBS)}


def stop(pool: PersonalPool, process: subprocess.Popen[bytes]) -> int:
    """Ends a schedd in order, once it is there; its exit status. One that is to die may still do so on the way."""
    mark = f"PID = {process.pid}\n"
    wait_for(lambda: mark in (pool.log / "SchedLog").read_text(), "the schedd is there")
    process.send_signal(signal.SIGQUIT)
    return process.wait(30)


def test_the_schedd_dies_at_named_points(headless: PersonalPool) -> None:
    pool, jobs = headless, set()
    struck: list[str] = []
    for number, (point, count) in enumerate(CHOSEN):
        jobs |= load(pool, number)
        victim = schedd(pool, point, count)
        wait_for(
            lambda dead=victim, log=f"load{number}.log": dead.poll() is not None or finished(pool, log) >= JOBS,
            f"the schedd dies at {point} {count} or all jobs are through", 60,
        )  # fmt: skip
        try:
            victim.wait(2)  # points of the departure and of the rewrite come after the last job
        except subprocess.TimeoutExpired:
            assert stop(pool, victim) in (0, -signal.SIGKILL)
        if victim.returncode == -signal.SIGKILL:
            struck.append(point)
        healthy = schedd(pool)
        try:
            wait_for(lambda log=f"load{number}.log": finished(pool, log) >= JOBS, f"all are through after {point}", 60)
            wait_for(lambda: pool.queue("ClusterId") == [], "the queue is empty", 30)
        finally:
            status = stop(pool, healthy)
        assert status == 0
        mine = {job for job in jobs if job.split(".")[0] == str(max(int(one.split(".")[0]) for one in jobs))}
        audit(pool, mine, f"load{number}.log")
    assert len(struck) >= len(CHOSEN) * 2 // 3, f"only these points were met: {struck}"

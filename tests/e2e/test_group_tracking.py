"""USE_GID_PROCESS_TRACKING: what a job starts has a group of its own, and is found by it when nothing else tells."""

from __future__ import annotations

import os
from pathlib import Path

from pool import kill, of_processes, wait_for
from shared_pool import SharedPool, usable_python

#: Two ids that nobody else in the tests has.
LOWEST = 61_000 + os.getpid() % 1000 * 2
#: Leaves its session, its parents and its environment behind.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["sleep", sys.argv[1]], {})
    os._exit(0)
time.sleep(600)
"""


def sleepers(seconds: str) -> list[int]:
    """Processes that execute ``sleep SECONDS``."""
    return [pid for pid, words in of_processes("cmdline") if words == f"sleep\0{seconds}\0".encode()]


def groups(pid: int) -> set[int]:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("Groups:"):
            return set(map(int, line.split()[1:]))
    return set()


def submit(pool: SharedPool, mark: str, count: int = 1) -> None:
    (pool.theirs / "daemon.py").write_text(f"#!{usable_python()} -I{DAEMON}")
    (pool.theirs / "daemon.py").chmod(0o755)
    lines = ("executable = daemon.py", f"arguments = {mark}", "log = job.log", f"queue {count}\n")
    pool.submit_as_stranger("\n".join(lines))


def test_a_job_is_found_by_its_group(stopped_shared: SharedPool) -> None:
    pool, mark = stopped_shared, f"9{os.getpid()}1"
    pool.knob("BASE_CGROUP", "")  # nothing else finds what has left its parents when they are dead
    pool.knob("USE_GID_PROCESS_TRACKING", "true")
    pool.knob("MIN_TRACKING_GID", str(LOWEST))
    pool.knob("MAX_TRACKING_GID", str(LOWEST + 1))
    pool.start()
    submit(pool, mark, 2)
    wait_for(lambda: len(sleepers(mark)) == 2, "both daemons run")
    marks = [groups(pid) & {LOWEST, LOWEST + 1} for pid in sleepers(mark)]
    assert sorted(map(len, marks)) == [1, 1]
    assert set.union(*marks) == {LOWEST, LOWEST + 1}, "each job has its own"
    pool.tool("condor_rm", "1.0")
    wait_for(lambda: len(sleepers(mark)) == 1, "one daemon is gone with its job")
    wait_for(lambda: len(pool.starters()) == 1, "and so is its starter")
    (starter,), escaped = pool.starters(), sleepers(mark)
    for pid in (pool.pid("startd"), starter):
        kill(pid)
    wait_for(lambda: not set(escaped) & set(sleepers(mark)), "the next startd has killed it")
    pool.tool("condor_rm", "1")
    wait_for(lambda: not sleepers(mark), "all is gone")

"""What must hold after any crash: every job once, a consistent story, nothing leaked, a spool without damage."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool
from stories import story_of

from condor_py.store.check import check_spool


def audit(pool: PersonalPool, jobs: set[str], log: str) -> None:
    """All of ``jobs`` are through: in the history exactly once, not in the queue, and their event log agrees."""
    queued = [f"{cluster}.{proc}" for cluster, proc in pool.queue("ClusterId", "ProcId")]
    recorded = [f"{cluster}.{proc}" for cluster, proc in pool.history("ClusterId", "ProcId")]
    assert queued == []
    twice = {job: count for job, count in Counter(recorded).items() if count > 1}
    assert twice == {}, f"more than once in the history: {twice}"
    assert set(recorded) >= jobs, f"lost: {sorted(jobs - set(recorded))}"
    events: dict[str, list[int]] = {}
    for number, job in pool.events(log):
        if number not in (6, 21, 33):
            events.setdefault(job, []).append(number)
    wrong = {
        job: (story_of(events.get(job, [])), events.get(job)) for job in sorted(jobs) if story_of(events.get(job, []))
    }
    assert wrong == {}
    assert [str(problem) for problem in check_spool(str(pool.spool))] == []


def slots(pool: PersonalPool) -> tuple[int, int]:
    """Number of slots and free cpus of the partitionable one."""
    done = pool.tool("condor_status", "-af", "SlotType", "Cpus")
    rows = [line.split() for line in done.stdout.splitlines()]
    return len(rows), sum(int(cpus) for kind, cpus in rows if kind == "Partitionable")


def finished(pool: PersonalPool, log: str) -> int:
    """Terminated jobs according to the event log."""
    path = pool.work / log
    return len(re.findall(r"^00[59] \(", path.read_text(), re.MULTILINE)) if path.exists() else 0

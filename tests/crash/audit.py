"""What must hold after any crash: every job once, a consistent story, nothing leaked, a spool without damage."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool

from condor_py.store.check import check_spool

#: Events after which a run is over; the end of a job needs the run.
_ENDS = (4, 7, 9, 12, 24)


def story_of(numbers: list[int]) -> str:
    """What is wrong with the events of one job (image sizes left out); empty when they tell a consistent story."""
    if numbers[:1] != [0] or numbers.count(0) != 1:
        return "submitted other than once, first"
    running = False
    for before, number in pairwise(numbers):
        if before in (5, 9):
            return f"goes on with {number} after it ended"
        if number == 1 and running:
            return "starts twice without having ended in between"
        running = number == 1 or (running and number not in _ENDS)
        if number == 5 and before not in (1, 23):
            return f"terminates after {before}"
        if number == 5 and not running:
            return "terminates without having started"
    return "" if numbers[-1] in (5, 9) else f"ends with {numbers[-1]}"


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

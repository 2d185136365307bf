"""How fast the store is: ``python tests/bench/bench_store.py [DIRECTORY]`` prints a line a measurement.

The directory should lie on the file system that will hold the spool; transactions are dominated by its fdatasync.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))

from condor_py.lang.events import JobTerminated
from condor_py.model.ids import JobId
from condor_py.store.event_log import append, event_text, last_states
from condor_py.store.history import HistoryWriter, records_newest_first
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.records import NewProc, submit_records

JOBS = 100_000
NOW = 1795214128


def report(what: str, amount: float, unit: str) -> None:
    print(f"{what:<58}{amount:>12,.1f} {unit}")


def seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def submit(queue: JobQueue, count: int) -> int:
    with queue.transaction() as tx:
        cluster = tx.alloc_cluster()
        items = [(f"Attribute{i}", f'"value {i}"') for i in range(90)] + [("ClusterId", str(cluster))]
        procs = [
            NewProc(p, [("Args", f'"{p}"'), ("Out", f'"o.{p}"')], 1, f"vm#{cluster}.{p}#{NOW}") for p in range(count)
        ]
        tx.extend(submit_records(cluster, items, procs))
    return cluster


def transactions(queue: JobQueue, count: int, records: int) -> None:
    for number in range(count):
        with queue.transaction() as tx:
            for record in range(records):
                tx.set("1.0", f"Attribute{record}", str(number * record))


def bench_queue(directory: str) -> None:
    path = os.path.join(directory, "job_queue.log")
    queue = JobQueue(path)
    submit(queue, 1)
    report("transactions of 30 records, synced", 3000 / seconds(lambda: transactions(queue, 3000, 30)), "a second")
    report("transactions of 1 record, synced", 3000 / seconds(lambda: transactions(queue, 3000, 1)), "a second")
    reader = JobQueue(path, readonly=True)
    report("looking for news when there is none", seconds(lambda: [reader.refresh() for _ in range(20000)]) * 50, "us")
    transactions(queue, 1000, 30)
    report("catching up, records", 30000 / seconds(reader.refresh), "a second")
    report(f"submitting a cluster of {JOBS}", seconds(lambda: submit(queue, JOBS)), "s")
    report(f"opening a queue of {JOBS}", seconds(lambda: JobQueue(path, readonly=True)), "s")
    report(f"rewriting a queue of {JOBS}", seconds(lambda: queue.compact(1)), "s")
    report(f"walking over {JOBS} jobs", seconds(lambda: [ad for _, ad in queue.jobs()]) * 1000, "ms")
    reader.refresh()
    job = JobId(2, 1)
    report("looking a job up", seconds(lambda: [queue.job(job) for _ in range(100000)]) * 10, "us")


def bench_lock(directory: str) -> None:
    lock = QueueLock(os.path.join(directory, "x.lock"))

    def enter() -> None:
        for _ in range(5000):
            lock.acquire(1)
            lock.release()

    report("entering and leaving the lock", seconds(enter) / 5000 * 1e6, "us")


def bench_history(directory: str) -> None:
    queue = JobQueue(os.path.join(directory, "job_queue.log"), readonly=True)
    ads = [ad for _, ad in queue.procs_of(2)[:2000]]
    path = os.path.join(directory, "history")
    writer = HistoryWriter(path, max_size=0)

    def write() -> None:
        for start in range(0, len(ads), 20):
            writer.append(ads[start : start + 20], NOW)

    report("history records, 20 a write, synced", len(ads) / seconds(write), "a second")
    report("history records read backwards", len(ads) / seconds(lambda: list(records_newest_first(path))), "a second")
    report("the newest history record", seconds(lambda: next(records_newest_first(path))) * 1e6, "us")


def bench_events(directory: str) -> None:
    path = os.path.join(directory, "job.log")
    resources = tuple((name + column, "1") for name in ("Cpus", "Disk", "Memory") for column in ("", "Usage"))
    events = [JobTerminated(cluster=7, proc=p, time=NOW, return_value=0, resources=resources) for p in range(5000)]
    texts: list[str] = []
    report("event texts", len(events) / seconds(lambda: texts.extend(map(event_text, events))), "a second")
    report("appending events one by one", len(texts) / seconds(lambda: [append(path, [t]) for t in texts]), "a second")
    report("looking at events at a restart", len(texts) / seconds(lambda: last_states(path, {7})), "a second")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as directory:
        bench_queue(directory)
        bench_lock(directory)
        bench_history(directory)
        bench_events(directory)


if __name__ == "__main__":
    main()

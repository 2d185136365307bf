"""A queue that is changed step by step, and which step a recovered one has reached."""

from __future__ import annotations

from faultfs import FaultFs
from leaving import destroy_job_records

from condor_py.store.job_queue import JobQueue
from condor_py.store.records import Making, NewProc, cluster_records, packed_jobs, submit_records
from condor_py.store.table import raw_items

PATH = "/spool/job_queue.log"

STEPS = 14
#: What every job has.
SOUND = (("Owner", '"alice"'), ("User", '"alice@x"'), ("Cmd", '"/bin/sleep"'), ("JobUniverse", "5"))

State = dict[str, dict[str, str]]


class NoLock:
    """The test is one thread, so nobody else can be inside."""

    def acquire(self, timeout: float) -> None:
        pass

    def release(self) -> None:
        pass


def open_queue(fs: FaultFs, *, readonly: bool = False) -> JobQueue:
    return JobQueue(PATH, fs, readonly=readonly, lock=NoLock())


def state_of(queue: JobQueue) -> State:
    return {key: dict(raw_items(ad)) for key, ad in queue.ads.items()}


def step(queue: JobQueue, number: int) -> None:
    """The scenario: submits, edits, departures, now and then a rewrite in between."""
    if number % 5 == 4:
        queue.compact(1)
    with queue.transaction() as tx:
        if number % 3 == 0:
            cluster = tx.alloc_cluster()
            own = [[("Args", f'"{number} {p}"')] for p in range(2)]
            items = [*SOUND, ("ClusterId", str(cluster))]
            lines = packed_jobs(cluster, 0, own, Making(1, f"vm#{cluster}.", f"#{number}", (), ()))
            if number % 2 and lines is not None:  # as many jobs are written, and as few are
                tx.extend([*cluster_records(cluster, items), lines])
            else:
                procs = [NewProc(p, own[p], 1, f"vm#{cluster}.{p}#{number}") for p in range(2)]
                tx.extend(submit_records(cluster, items, procs))
        elif number % 3 == 1:
            job = max(j for j, _ in queue.jobs())
            tx.set(f"{job}", "JobPrio", str(number))
            tx.delete(f"{job}", "Args")
        else:
            job = min(j for j, _ in queue.jobs())
            tx.extend(destroy_job_records(job, last_of_cluster=queue.count(job.cluster) == 1))
        tx.set("0.0", "Step", str(number))


def recovered_step(state: State) -> int:
    """How many steps a state has seen."""
    return int(state["0.0"]["Step"]) + 1 if "Step" in state.get("0.0", {}) else 0

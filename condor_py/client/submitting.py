"""Queueing new jobs, all or nothing: by who may write the queue himself, and through the schedd."""

from __future__ import annotations

import os
import time

from condor_py.client.asking import granted
from condor_py.lang.config.builders import expressions
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from condor_py.client import wire
    from condor_py.client.pool import Pool
    from condor_py.client.submission import SubmittedCluster
    from condor_py.model.record import Entry
    from condor_py.store.job_queue import JobQueue, QueueTransaction

    #: Makes the clusters of a submit once the first cluster number is known: (first number, user, owner, now).
    Builder: TypeAlias = Callable[[int, str, str, int], list[SubmittedCluster]]
else:
    wire = Later("condor_py.client.wire")

#: Seconds that condor_submit waits for the schedd to write the submit events.
_SYNC_PATIENCE = 20.0
#: Seconds for which a schedd that died over a submit is waited for.
_RETURN_PATIENCE = 60.0
#: Seconds that clocks of a machine may be apart.
_CLOCKS = 2
#: Seconds that so many may take.
_BULK_PATIENCE = 600.0


def submit(pool: Pool, build: Builder, rehearse: Callable[[], int] | None = None, expected: int = 0) -> list[int]:
    """Queues the clusters that ``build`` makes, all or nothing; their numbers. Durable on return.

    ``rehearse`` says how many they are where that is less work than to make them, and raises what is wrong.
    ``expected`` is the number that the first of them most likely gets, if the caller can find out after a WireError
    whether they are in the queue.
    """
    if expected and not pool.owns_spool:
        return _next_by_schedd(pool, build, expected)
    if not pool.owns_spool:
        clusters = [] if rehearse is not None else build(1, pool.user, pool.owner, pool.now())
        return _by_schedd(pool, build, clusters, len(clusters) if rehearse is None else rehearse())
    numbers = _directly(pool, build)
    _tell(pool, numbers)
    pool.keep_index()
    return numbers


def _directly(pool: Pool, build: Builder) -> list[int]:
    """Prepare everything before the transaction, in which no other process can write.

    Most often the cluster number that was next before the transaction is still the right one.
    """
    from condor_py.client.submission import first_records, save_factories, submission_steps
    from condor_py.lang.config.builders.submit import limits, submit_policy

    expressions.install(pool.config, "SCHEDD")  # what follows is the schedd's work
    policy, most = submit_policy(pool.config), limits(pool.config)
    queue = pool.table(readonly=False)
    if policy.requirements:
        policy = changed(policy, schedd=_schedd_ad(pool, queue, policy.schedd))

    def prepared(first: int) -> tuple[list[SubmittedCluster], list[Entry]]:
        pool.warnings, now = list(policy.notes), pool.now()
        clusters = build(first, pool.user, pool.owner, now)
        steps = submission_steps(clusters, pool.owner, pool.user, pool.schedd_name, now, policy, pool.warnings)
        return clusters, [record for records in steps for record in records]

    def commit(transaction: QueueTransaction, clusters: list[SubmittedCluster], records: list[Entry]) -> list[int]:
        transaction.extend(first_records(queue, pool.user, pool.owner, clusters, most))
        transaction.extend(records)
        save_factories(pool.paths.spool, clusters)
        return [cluster.cluster for cluster in clusters]

    expected = queue.next_cluster
    clusters, records = prepared(expected)
    with queue.transaction() as transaction:
        first = transaction.alloc_cluster()
        for _ in clusters[1:]:
            transaction.alloc_cluster()
        if first == expected:
            return commit(transaction, clusters, records)
    # Another process was quicker; the numbers that we have now are ours, and no process waits while the jobs get them.
    clusters, records = prepared(first)
    with queue.transaction() as transaction:
        return commit(transaction, clusters, records)


def _schedd_ad(pool: Pool, queue: JobQueue, otherwise: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the schedd's published ad; for one that has not published anything, counts of jobs."""
    from collections import Counter

    from condor_py.model.states import JobStatus, Universe

    published = pool.ads("SCHEDD")
    if published:
        return tuple(published[0].text_items())
    jobs = Counter((ad.eval_int("JobStatus", 0), ad.eval_int("JobUniverse", 0)) for _, ad in queue.jobs())
    local, scheduler = jobs[JobStatus.IDLE, Universe.LOCAL], jobs[JobStatus.IDLE, Universe.SCHEDULER]
    status: Counter[int] = Counter()
    for (each, _), count in jobs.items():
        status[each] += count
    counts = {
        "TotalIdleJobs": status[JobStatus.IDLE] - local - scheduler,
        "TotalRunningJobs": status[JobStatus.RUNNING],
        "TotalHeldJobs": status[JobStatus.HELD],
        "TotalRemovedJobs": status[JobStatus.REMOVED],
        "TotalJobAds": sum(status.values()),
        "TotalLocalJobsIdle": local,
        "TotalLocalJobsRunning": 0,
        "TotalSchedulerJobsIdle": scheduler,
        "TotalSchedulerJobsRunning": 0,
    }
    return (*otherwise, *((name, str(count)) for name, count in counts.items()))


def _by_schedd(pool: Pool, build: Builder, clusters: list[SubmittedCluster], count: int) -> list[int]:
    """``count`` numbers are needed; ``clusters`` are what is queued if they have got these."""
    from condor_py.client.submission import to_body
    from condor_py.model.messages.queue import NewClusters, Submit

    begun, deadline = pool.now(), time.monotonic() + _RETURN_PATIENCE
    while True:
        first = 0
        with pool.schedd(_BULK_PATIENCE) as client:
            try:
                first = granted(client, NewClusters(count)).first
                if [cluster.cluster for cluster in clusters] != [*range(first, first + count)]:
                    clusters = build(first, pool.user, pool.owner, pool.now())
                pool.warnings = list(granted(client, Submit(), to_body(clusters)).warnings)
                break
            except wire.WireError as error:
                may_wait = isinstance(error, wire.Closed) and time.monotonic() < deadline and client.has_died()
                if first and not (may_wait and pool.paths.history):
                    raise CondorError(f"{error}; condor_q tells whether cluster {first} is in the queue") from None
                if not may_wait:
                    raise
        if first and _was_queued(pool, first, begun):  # before the schedd died
            break
    return [cluster.cluster for cluster in clusters]


def _next_by_schedd(pool: Pool, build: Builder, expected: int) -> list[int]:
    """Submit with one request where the number is as expected."""
    from condor_py.client.submission import to_body
    from condor_py.model.messages.queue import Submit

    clusters = build(expected, pool.user, pool.owner, pool.now())
    with pool.schedd(_BULK_PATIENCE) as client:
        answer = granted(client, Submit(expected, len(clusters)), to_body(clusters))
        if answer.first:  # another process was quicker
            clusters = build(answer.first, pool.user, pool.owner, pool.now())
            answer = granted(client, Submit(), to_body(clusters))
    pool.warnings = list(answer.warnings)
    return [cluster.cluster for cluster in clusters]


def _was_queued(pool: Pool, cluster: int, since: int) -> bool:
    """Whether a cluster is in the queue, or has been there ``since`` (Unix seconds) and left for the history."""
    from condor_py.store.history import records_newest_first

    if pool.read_queue().table.cluster(cluster) is not None:
        return True
    for record in records_newest_first(pool.paths.history):
        written = record.written()
        if (job := record.job()) is not None and job.cluster == cluster:
            return True
        if written is not None and written < since - _CLOCKS:
            return False
    return False


def _tell(pool: Pool, clusters: list[int]) -> None:
    """Wakes the schedd and waits until the submit events are in the event logs: a following condor_wait finds
    them. Without a schedd they are written here, under the lock that keeps one from starting meanwhile.
    """
    from condor_py.model.messages.wakeups import Sync, submitted

    deadline = time.monotonic() + _SYNC_PATIENCE
    while time.monotonic() < deadline:
        try:
            pool.ask("schedd", Sync(submitted(clusters)), timeout=_SYNC_PATIENCE)
            return
        except wire.WireError:
            pass
        from condor_py.client.lockfile import AlreadyRunning, take_lock  # of no use where a schedd answers
        from condor_py.store import fs

        try:
            fs.make_pool_directory(pool.paths.lock)
            lock = take_lock(pool.paths.daemon_lock("SCHEDD"), 0.0)
        except AlreadyRunning:
            time.sleep(0.01)  # it is just starting, or just ending
            continue
        except OSError:
            return  # nowhere to lock: the schedd writes the events when it starts
        try:
            from condor_py.client.submitevents import write_events

            write_events(pool, clusters)
        finally:
            os.close(lock)
        return

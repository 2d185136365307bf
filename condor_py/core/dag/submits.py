"""The ready queue, and the cycle in which ready nodes are submitted as far as the limits allow."""

from __future__ import annotations

import heapq

from condor_py.core.dag.actions import Submit
from condor_py.core.dag.progress import NodeJobs, Progress
from condor_py.core.dag.states import NodeState
from condor_py.lang.dag.graph import NONE


def enqueue(p: Progress, node: int, first: bool = False) -> None:
    """Put a node into the ready queue: behind those of its priority, or in front of them. Not beside the FINAL node,
    which others may still come to whose scripts or submits were on their way when it started."""
    if p.final_started and node != p.dag.final:
        p.states[node] = NodeState.NOT_READY
        return
    p.generation += 1
    order = -p.generation if first else p.generation
    heapq.heappush(p.ready, (-p.priorities.get(node, p.priority), order, node))
    p.ready_count += not p.is_service(node)


def forget_ready(p: Progress) -> list[int]:
    """Empty the ready queue; the nodes that were in it."""
    found = [node for heap in (p.ready, *p.parked.values()) for _, _, node in heap]
    p.ready.clear()
    p.parked.clear()
    p.ready_count = 0
    return found


def cycle(p: Progress) -> None:
    """Submit ready nodes within the limits."""
    if p.now < max(p.next_submit, p.pause_until) or (p.is_halted and not p.final_started):
        return
    chosen: list[int] = []
    limits = p.limits
    most = 1 if p.settings.submit_delay else limits.max_submits_per_interval
    while p.ready and (most <= 0 or len(chosen) < most):
        if limits.max_jobs > 0 and p.counts.submitted >= limits.max_jobs:
            p.counts.deferred_by_jobs += p.ready_count
            break
        if limits.max_idle > 0 and p.counts.idle_jobs + len(chosen) >= limits.max_idle:
            p.counts.deferred_by_idle += p.ready_count
            break
        entry = heapq.heappop(p.ready)
        node = entry[2]
        if _category_is_full(p, node):
            p.counts.deferred_by_category += 1
            heapq.heappush(p.parked.setdefault(p.dag.categories[node], []), entry)
            continue
        p.ready_count -= not p.is_service(node)
        chosen.append(node)
        _take(p, node)
    if not chosen:
        return
    delay = p.settings.submit_delay
    if delay:
        p.say(f"Sleeping for {delay} s (DAGMAN_SUBMIT_DELAY) to throttle submissions...")
        p.pause_until = p.now + delay
    p.out.append(Submit(tuple(chosen)))


def _category_is_full(p: Progress, node: int) -> bool:
    category = p.dag.categories.get(node, "")
    return 0 <= p.dag.throttles.get(category, NONE) <= p.in_category.get(category, 0)


def _take(p: Progress, node: int) -> None:
    """A node is on its way to the queue, and counts as being there."""
    p.states[node] = NodeState.SUBMITTED
    p.submit_tries[node] = p.submit_tries.get(node, 0) + 1
    p.jobs[node] = NodeJobs()
    count(p, node, 1)


def count(p: Progress, node: int, change: int) -> None:
    """More or fewer nodes with jobs in the queue."""
    if p.is_service(node):
        p.counts.service_submitted += change
        return
    p.counts.submitted += change
    category = p.dag.categories.get(node)
    if category is not None:
        p.in_category[category] = p.in_category.get(category, 0) + change
        if change < 0 and p.parked.get(category):
            heapq.heappush(p.ready, heapq.heappop(p.parked[category]))


def submitted(p: Progress, node: int, cluster: int, count_of_jobs: int, proc: int = 0, subproc: int = 0) -> None:
    """A node's jobs are in the queue."""
    p.next_submit, p.submit_delay = 0, 1
    jobs = p.jobs[node]
    jobs.cluster, jobs.proc, jobs.subproc, jobs.count = cluster, proc, subproc, count_of_jobs
    p.by_cluster[cluster, subproc] = node
    p.verbose(f"\tassigned HTCondor ID ({cluster}.{proc}.{subproc})")


def put_back(p: Progress, node: int) -> None:
    """A node's submit has not happened: it is not in the queue."""
    count(p, node, -1)
    forget_try(p, node)
    p.states[node] = NodeState.READY


def not_submitted(p: Progress, node: int) -> None:
    """A node was not tried, since one before it failed: it is ready as before."""
    put_back(p, node)
    p.submit_tries[node] -= 1
    enqueue(p, node, first=True)


def forget_try(p: Progress, node: int) -> None:
    """Discard what is known of a node's last try."""
    jobs = p.jobs.pop(node, None)
    if jobs is not None:
        p.counts.held_jobs -= len(jobs.held)
        p.by_cluster.pop((jobs.cluster, jobs.subproc), None)
    p.errors.pop(node, None)
    p.unsuccessful.discard(node)

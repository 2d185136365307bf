"""The ready queue, and the cycle in which ready nodes are submitted as far as the limits allow."""

from __future__ import annotations

from condor_py.core.dag.actions import Submit
from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import NodeState


def enqueue(p: Progress, node: int, first: bool = False) -> None:
    """Put a node into the ready queue, after those of its priority or before them. Once the FINAL node has started, no
    node is put there: some may still come whose scripts or submits were under way."""
    if p.course.has_final and node != p.dag.final:
        p.states.become(node, NodeState.NOT_READY)
        return
    p.ready.push(node, first)


def cycle(p: Progress) -> None:
    """Submit ready nodes within the limits."""
    if p.now < p.pace.next_at or (p.course.is_halted and not p.course.has_final):
        return
    chosen: list[int] = []
    limits = p.limits
    most = 1 if p.settings.submit_delay else limits.max_submits_per_interval
    while p.ready and (most <= 0 or len(chosen) < most):
        if limits.max_jobs > 0 and p.counts.submitted >= limits.max_jobs:
            p.ready.defer_by_jobs()
            break
        if limits.max_idle > 0 and p.counts.idle_jobs + len(chosen) >= limits.max_idle:
            p.ready.defer_by_idle()
            break
        node = p.ready.pop()
        if node is None:
            break
        chosen.append(node)
        _take(p, node)
    if not chosen:
        return
    delay = p.settings.submit_delay
    if delay:
        p.say(f"Sleeping for {delay} s (DAGMAN_SUBMIT_DELAY) to throttle submissions...")
        p.pace.pause(p.now + delay)
    p.act(Submit(tuple(chosen)))


def _take(p: Progress, node: int) -> None:
    """A node is on its way to the queue, and counts as being there."""
    p.states.become(node, NodeState.SUBMITTED)
    p.tries.submit(node)
    p.jobs.begin(node)
    p.ready.count_submitted(node, 1)


def submitted(p: Progress, node: int, cluster: int, count: int, proc: int = 0, subproc: int = 0) -> None:
    """A node's jobs are in the queue."""
    p.pace.worked()
    p.jobs.submitted(node, cluster, count, proc, subproc)
    p.tries.submitted(node)
    p.verbose(f"\tassigned HTCondor ID ({cluster}.{proc}.{subproc})")


def put_back(p: Progress, node: int) -> None:
    """A node's submit has not happened: it is not in the queue."""
    p.ready.count_submitted(node, -1)
    forget_try(p, node)
    p.states.become(node, NodeState.READY)


def not_submitted(p: Progress, node: int) -> None:
    """A node was not tried, since one before it failed: it is ready as before."""
    put_back(p, node)
    p.tries.submit_undone(node)
    enqueue(p, node, first=True)


def forget_try(p: Progress, node: int) -> None:
    """Discard what is known of a node's last try."""
    p.jobs.forget(node)
    p.results.forget(node)

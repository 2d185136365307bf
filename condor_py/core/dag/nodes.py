"""Changes of a node: it starts, succeeds, fails, is tried again, or can never run."""

from __future__ import annotations

from condor_py.core.dag import scripts, submits
from condor_py.core.dag.actions import NodeEnded, WriteSavePoint
from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import DagStatus, NodeState


def start(p: Progress, node: int, is_retry: bool = False) -> None:
    """Start a node that can start: with its PRE script, or by way of the ready queue."""
    if not is_retry and node in p.dag.save_points:
        p.act(WriteSavePoint(node))
    if node in p.dag.scripts["PRE"]:
        p.states.begin_pre(node)
        if not p.replays.starts(node):
            scripts.run(p, node, "PRE")
        return
    first = p.settings.retry_node_first if is_retry else False
    submits.enqueue(p, node, first=first or p.settings.submit_depth_first)


def start_if_ready(p: Progress, node: int) -> None:
    """Start a node whose last parent is done; in recovery nothing starts, nor while the FINAL node runs."""
    if not p.course.is_recovering and not p.course.has_final and p.states[node] == NodeState.READY:
        start(p, node)


def succeed(p: Progress, node: int, starts_children: bool = True) -> None:
    """A node is done: so much less for its children to wait for."""
    if not p.states.succeed(node):
        return
    p.act(NodeEnded(node, True))
    if p.is_service(node):
        p.results.set(node, 0)
        return
    for child in p.dag.children_of(node):
        _parent_over(p, child, starts_children)


def _parent_over(p: Progress, child: int, starts: bool = True) -> None:
    if p.states.parent_over(child) and starts:
        start_if_ready(p, child)


def fail_or_retry(p: Progress, node: int) -> bool:
    """A try of a node has failed: try again if that is allowed. False when it is not, and nothing has been done."""
    if not may_retry(p, node):
        return False
    restart(p, node)
    return True


def may_retry(p: Progress, node: int) -> bool:
    """Whether a failed node may be tried again."""
    return not is_abort(p, node) and p.tries.retries.get(node, 0) < p.tries.most(node)


def is_abort(p: Progress, node: int) -> bool:
    """Whether the node ended with the exit code that breaks the DAG off."""
    abort = p.dag.aborts.get(node)
    return abort is not None and p.results.values.get(node, -1) == abort.status


def restart(p: Progress, node: int) -> None:
    """Try a failed node again, unless its exit code or the FINAL node forbids that."""
    name = p.dag.names[node]
    retry = p.dag.retries.get(node)
    value = p.results.values.get(node, -1)
    if p.course.has_final or (retry is not None and retry.unless and retry.unless == value):
        why = "because final node is running " if p.course.has_final else ""
        p.say(f"Aborting further retries of node {name} {why}(last attempt returned {value})")
        count_failure(p, node)
        release_weak_children(p, node)
        return
    p.states.become(node, NodeState.READY)
    p.tries.retry(node)
    submits.forget_try(p, node)
    retry_number, most = p.tries.retries[node], p.tries.most(node)
    if p.course.is_recovering:
        p.verbose(f"Looking for retry of node {name} (retry #{retry_number} of {most})...")
        return
    p.verbose(f"Retrying node {name} (retry #{retry_number} of {most})...")
    start(p, node, is_retry=True)


def count_failure(p: Progress, node: int) -> None:
    """A node has failed for good: count it."""
    p.states.fail(node)
    p.act(NodeEnded(node, False))
    p.course.set_status(DagStatus.NODE_FAILED)


def fail(p: Progress, node: int, error: str = "") -> None:
    """A node has failed for good: what hangs on it strongly can never run, what hangs on it weakly may start."""
    if error:
        p.results.set_error(node, error)
    if p.tries.most(node) > 0:
        error = p.results.errors.get(node, "")
        p.results.set_error(node, f"{error} (after {p.tries.retries.get(node, 0)} node retries)")
    count_failure(p, node)
    if not p.is_service(node):
        give_up_children(p, node)


def release_weak_children(p: Progress, node: int) -> None:
    """Stop the weak children of a failed node from waiting for it."""
    for child, is_weak in zip(p.dag.children_of(node), p.dag.weak_of(node), strict=True):
        if is_weak:
            _parent_over(p, child)


def give_up_children(p: Progress, node: int) -> None:
    """Make the strong children of a failed node futile, and all that hangs on those; the weak ones may start."""
    release_weak_children(p, node)
    children = zip(p.dag.children_of(node), p.dag.weak_of(node), strict=True)
    futile = [child for child, is_weak in children if not is_weak]
    while futile:
        child = futile.pop()
        if p.states[child] != NodeState.READY:
            continue
        p.states.give_up(child)
        p.results.set_error(child, "Had an ancestor node fail")
        futile.extend(p.dag.children_of(child))

"""The DOT file of a DAG and its node status file, as texts."""

from __future__ import annotations

import time
from collections.abc import Sequence

from condor_py.core.dag.ending import has_failed, stands_still, succeeded
from condor_py.core.dag.figures import held_jobs
from condor_py.core.dag.progress import NodeJobs, Progress
from condor_py.core.dag.states import DagStatus, NodeState
from condor_py.lang.classad.unparse import quote_new
from condor_py.lang.dag.graph import DONE, NONE, PRE_DONE

_SHAPES = {
    NodeState.PRERUN: 'shape=ellipse label="{} (Pre)" style=dotted',
    NodeState.SUBMITTED: 'shape=ellipse label="{} (R)" peripheries=2',
    NodeState.POSTRUN: 'shape=ellipse label="{} (Post)" style=dotted',
    NodeState.DONE: 'shape=ellipse label="{} (Done)" style=bold',
    NodeState.ERROR: 'shape=box label="{} (E)"',
}
_AT_WORK = (NodeState.PRERUN, NodeState.SUBMITTED, NodeState.POSTRUN)


def dot(p: Progress, now: float, included: str = "", included_from: str = "") -> str:
    """The DOT file; ``included`` are the lines of the file that INCLUDE names."""
    names = p.dag.names
    lines = ["digraph DAG {", f'    label="DAGMan Job status at {time.ctime(now)}";', ""]
    if included_from:
        lines += [f"// Beginning of commands included from {included_from}.", included.rstrip("\n"),
                  f"// End of commands included from {included_from}.", ""]  # fmt: skip
    for node in p.dag.order:
        state = NodeState.DONE if p.dag.flags[node] & DONE else NodeState(p.states[node])
        shape = _SHAPES.get(state, 'shape=ellipse label="{} (I)"')
        lines.append(f'    "{names[node]}" [{shape.format(names[node])}];')
    lines.append("")
    for node in p.dag.order:
        lines += [f'    "{names[node]}" -> "{names[child]}";' for child in p.dag.children_of(node)]
    return "\n".join([*lines, "}"]) + "\n"


def node_status(p: Progress, files: Sequence[str], now: float, seconds: int, held: bool, removed: bool) -> str:
    """The node status file. ``seconds``: when it is written next at the soonest; 0 is never."""
    status, note, pending = _dag_state(p, held, removed)
    counts = p.counts
    idle = 0 if pending else sum(len(jobs.idle) for jobs in p.jobs.values())
    queued = (counts.prerun, counts.submitted, counts.postrun)
    failed = counts.failed + (sum(queued) if pending else 0)
    pre, submitted, post = (0, 0, 0) if pending else queued
    listed = ",\n".join(f"    {quote_new(file)}" for file in files)
    parts = [
        f'[\n  Type = "DagStatus";\n  DagFiles = {{\n{listed}\n  }};\n'
        f"  Timestamp = {int(now)}; /* {quote_new(time.ctime(now))} */\n"
        f"  DagStatus = {int(status)}; /* {quote_new(f'{_name(status)} ({note})')} */\n"
        f"  NodesTotal = {p.total};\n  NodesDone = {counts.done};\n  NodesPre = {pre};\n  NodesQueued = {submitted};\n"
        f"  NodesPost = {post};\n  NodesReady = {p.ready.count};\n  NodesUnready = {p.unready_count};\n"
        f"  NodesFutile = {counts.futile};\n  NodesFailed = {failed};\n"
        f"  JobProcsHeld = {0 if pending else held_jobs(p)};\n  JobProcsIdle = {idle}; /* includes held */\n]\n"
    ]
    parts += [_node(p, node, pending) for node in p.dag.order]
    over = removed or stands_still(p, with_final=True)
    following = 0 if over else int(now) + seconds
    shown = "none" if over else time.ctime(following)
    parts.append(
        f'[\n  Type = "StatusEnd";\n  EndTime = {int(now)}; /* {quote_new(time.ctime(now))} */\n'
        f"  NextUpdate = {following}; /* {quote_new(shown)} */\n]\n"
    )
    return "".join(parts)


def _dag_state(p: Progress, held: bool, removed: bool) -> tuple[NodeState, str, bool]:
    """The state of the DAG as that of a node, the word for it, and whether what is at work counts as failed."""
    is_aborted = p.course.status == DagStatus.ABORT
    if succeeded(p, with_final=True):
        return NodeState.DONE, "success", True
    if has_failed(p, with_final=True):
        return NodeState.ERROR, "aborted" if is_aborted else "failed", True
    still = stands_still(p, with_final=True)
    if still and not p.counts.failed and not p.course.is_halted and not p.course.is_aborted:
        return NodeState.ERROR, "cycle", False
    if held:
        return NodeState.SUBMITTED, "held", False
    if not (removed or p.course.is_aborted):
        return NodeState.SUBMITTED, "", False
    note = "removed" if removed else "aborted"
    if p.dag.final != NONE and not still:
        return NodeState.SUBMITTED, note, False
    return NodeState.ERROR, note, True


def _name(state: NodeState) -> str:
    return f"STATUS_{state.name}"


def _node(p: Progress, node: int, pending: bool) -> str:
    state, note = p.state(node), ""
    if state == NodeState.READY and not p.can_start(node):
        state = NodeState.NOT_READY
    jobs = p.jobs.get(node) or NodeJobs()
    queued = max(jobs.count, jobs.seen) - len(jobs.ended) if jobs.cluster >= 0 else 0
    held = len(jobs.held)
    if state in _AT_WORK and pending:
        state, note = NodeState.ERROR, f"Was {_name(state)}"
        queued = held = 0
    elif state == NodeState.SUBMITTED:
        note = "idle" if 0 in jobs.idle else "not_idle"
    elif state == NodeState.ERROR:
        note = p.results.errors.get(node, "")
    elif state == NodeState.FUTILE:
        note = "Had an ancestor node fail"
    elif state == NodeState.DONE and p.dag.flags[node] & PRE_DONE:
        note = "User defined as DONE"
    return (
        f'[\n  Type = "NodeStatus";\n  Node = {quote_new(p.dag.names[node])};\n'
        f"  NodeStatus = {int(state)}; /* {quote_new(_name(state))} */\n  StatusDetails = {quote_new(note)};\n"
        f"  RetryCount = {p.tries.retries.get(node, 0)};\n  JobProcsQueued = {queued};\n  JobProcsHeld = {held};\n]\n"
    )

"""Changes of a node when one of its scripts ends, or its submit fails."""

from __future__ import annotations

from condor_py.core.dag import ending, nodes, scripts, submits
from condor_py.core.dag.actions import NodeEnded, WriteEvent
from condor_py.core.dag.progress import Progress, ScriptResult
from condor_py.core.dag.states import JOB_SKIPPED, SUBMIT_FAILED, DagStatus, NodeState
from condor_py.lang.dag.messages import QUIET
from condor_py.model.event_types import JobEventType
from condor_py.model.signals import signal_text

#: Signals end where the numbers of DAGMan's own errors begin.
_MOST_SIGNAL = 64


def script_ended(p: Progress, node: int, kind: str, code: int | None, signal: int | None) -> None:
    """A script ended with an exit code, or by a signal."""
    p.scripts[kind].running.discard(node)
    if not scripts.defer(p, node, kind, code):
        _ENDS[kind](p, node, code, signal)
    if not p.is_over:
        scripts.run_waiting(p, kind, one=True)


def _pre_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    p.counts.prerun -= 1
    name = p.dag.names[node]
    if code == 0:
        p.results[node] = p.script_value[node] = 0
        p.note(node, "PRE_SCRIPT_SUCCESS", 0)
        p.say(f"PRE Script of node {name} completed successfully.")
        p.states[node] = NodeState.READY
        submits.enqueue(p, node, first=p.settings.submit_depth_first)
        return
    how = f"died on signal {signal} ({signal_text(signal)})" if signal is not None else f"failed with status {code}"
    p.say(f"PRE Script of {'node' if signal is not None else 'Node'} {name} {how}", QUIET)
    p.results[node] = ScriptResult(code, signal).value
    p.note(node, "PRE_SCRIPT_FAILURE", p.results[node])
    _pre_failed(p, node, f"PRE Script {how}")
    ending.check_abort(p, node, "PRE script")


def _pre_failed(p: Progress, node: int, error: str) -> None:
    value, name = p.results[node], p.dag.names[node]
    if p.dag.pre_skips.get(node) == value:
        p.say(f"PRE_SKIP return value {value} indicates we are done (successfully) with node {name}")
        p.counts.prerun += 1
        p.results[node] = 0
        p.out.append(WriteEvent(node, JobEventType.PRESKIP))
    elif p.always_post and node in p.dag.scripts["POST"]:
        p.script_value[node] = value
        p.job_value[node] = JOB_SKIPPED
        p.unsuccessful.add(node)
        scripts.run_post(p, node)
    elif not nodes.fail_or_retry(p, node):
        nodes.fail(p, node, error)


def _post_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    """Write the event of the script's end; its effect counts when the event is read from the nodes log."""
    p.out.append(WriteEvent(node, JobEventType.POST_SCRIPT_TERMINATED, code, signal))


def _hold_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    p.counts.holdrun -= 1


_ENDS = {"PRE": _pre_ended, "POST": _post_ended, "HOLD": _hold_ended}


def post_terminated(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    """The event of a POST script has been read."""
    if p.states[node] == NodeState.POSTRUN:
        p.counts.postrun -= 1
    name = p.dag.names[node]
    if code == 0:
        p.say(f"POST Script of node {name} completed successfully.")
        p.results[node] = 0
        p.note(node, "POST_SCRIPT_SUCCESS", 0)
        nodes.succeed(p, node)
    else:
        how = f"died on signal {signal}" if signal is not None else f"failed with status {code}"
        p.say(f"POST Script of node {name} {how}")
        p.say(f"POST for Node {name} returned {code}" if signal is None else f"POST script {how}", QUIET)
        job_value = p.results.get(node, -1)
        p.results[node] = ScriptResult(code, signal).value
        p.note(node, "POST_SCRIPT_FAILURE", p.results[node])
        if not nodes.fail_or_retry(p, node):
            nodes.fail(p, node, f"{_of_job(job_value)} and POST Script {how}")
    ending.check_abort(p, node, "POST script")


def _of_job(value: int) -> str:
    if value > 0:
        return f"Job exited with status {value}"
    if -_MOST_SIGNAL <= value < 0:
        return f"Job died on signal {-value}"
    return f"Job failed due to DAGMAN error {value}"


def submit_failed(p: Progress, node: int, for_good: bool) -> None:
    """A node could not be submitted; it is tried again later unless that is ``for_good``."""
    submits.put_back(p, node)
    p.note(node, "SUBMIT_FAILURE")
    delay = p.submit_delay
    p.next_submit, p.submit_delay = p.now + delay, delay * 2
    tries = p.submit_tries[node]
    most = 0 if for_good else p.settings.max_submit_attempts
    if tries < most:
        seconds = f"{delay} second{'' if delay == 1 else 's'}"
        p.say(f"Job submit try {tries}/{most} failed, will try again in >= {seconds}.")
        submits.enqueue(p, node, first=p.settings.retry_submit_first)
        return
    p.next_submit, p.submit_delay = 0, 1
    p.say(f"Node submit failed after {tries} tr{'y' if tries == 1 else 'ies'}.", QUIET)
    p.errors[node] = "Job submit failed"
    p.say(f"Shortcutting node {p.dag.names[node]} retries because of submit failure(s)")
    p.retries[node] = p.most_retries(node)
    if node in p.dag.scripts["POST"]:
        p.results[node] = p.job_value[node] = SUBMIT_FAILED
        scripts.run_post(p, node)
        return
    p.states[node] = NodeState.ERROR
    if not p.is_service(node):
        p.counts.failed += 1
    p.out.append(NodeEnded(node, False))
    p.set_status(DagStatus.NODE_FAILED)
    nodes.give_up_children(p, node)

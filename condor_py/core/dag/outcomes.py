"""Changes of a node when one of its scripts ends, or its submit fails.

No event of the nodes log records the end of a PRE script. Each try of a node begins with one such end; when
condor_dagman has been restarted, the ends that its predecessor recorded are taken one by one: up to the first success
by a submit, one by a POST script that ran without a job and by a node that was skipped. The remaining ends belong to
tries that had come no further: these continue from there, and their scripts do not run again.
"""

from __future__ import annotations

from condor_py.core.dag import ending, nodes, scripts, submits
from condor_py.core.dag.actions import WriteEvent
from condor_py.core.dag.progress import Progress, ScriptResult
from condor_py.core.dag.states import SUBMIT_FAILED, NodeState
from condor_py.lang.dag.messages import QUIET
from condor_py.model.event_types import JobEventType
from condor_py.model.signals import signal_text

#: Signals end where the numbers of DAGMan's own errors begin.
_MOST_SIGNAL = 64


def script_ended(p: Progress, node: int, kind: str, code: int | None, signal: int | None) -> None:
    """A script ended with an exit code, or by a signal."""
    p.scripts[kind].end(node)
    if not scripts.defer(p, node, kind, code):
        _ENDS[kind](p, node, code, signal)
    if not p.course.is_over:
        scripts.run_waiting(p, kind, one=True)


def _pre_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    p.states.count_pre(-1)
    name = p.dag.names[node]
    if code == 0:
        p.results.set(node, 0)
        p.results.set_by_script(node, 0)
        p.note(node, "PRE_SCRIPT_SUCCESS", 0)
        p.say(f"PRE Script of node {name} completed successfully.")
        p.states.become(node, NodeState.READY)
        submits.enqueue(p, node, first=p.settings.submit_depth_first)
        return
    how = f"died on signal {signal} ({signal_text(signal)})" if signal is not None else f"failed with status {code}"
    p.say(f"PRE Script of {'node' if signal is not None else 'Node'} {name} {how}", QUIET)
    p.results.set(node, ScriptResult(code, signal).value)
    p.note(node, "PRE_SCRIPT_FAILURE", p.results.values[node])
    _pre_failed(p, node, f"PRE Script {how}")
    ending.check_abort(p, node, "PRE script")


def _pre_failed(p: Progress, node: int, error: str) -> None:
    value, name = p.results.values[node], p.dag.names[node]
    if p.dag.pre_skips.get(node) == value:
        p.say(f"PRE_SKIP return value {value} indicates we are done (successfully) with node {name}")
        p.states.count_pre(1)
        p.results.set(node, 0)
        p.act(WriteEvent(node, JobEventType.PRESKIP))
    elif p.always_post and node in p.dag.scripts["POST"]:
        p.results.skip_job(node)
        scripts.run_post(p, node)
    elif not nodes.fail_or_retry(p, node):
        nodes.fail(p, node, error)


def _post_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    """Write the event of the script's end; its effect counts when the event is read from the nodes log."""
    p.act(WriteEvent(node, JobEventType.POST_SCRIPT_TERMINATED, code, signal))


def _hold_ended(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    p.states.count_hold(-1)


_ENDS = {"PRE": _pre_ended, "POST": _post_ended, "HOLD": _hold_ended}


def post_terminated(p: Progress, node: int, code: int | None, signal: int | None) -> None:
    """The event of a POST script has been read."""
    p.states.end_post(node)
    name = p.dag.names[node]
    if code == 0:
        p.say(f"POST Script of node {name} completed successfully.")
        p.results.set(node, 0)
        p.note(node, "POST_SCRIPT_SUCCESS", 0)
        nodes.succeed(p, node)
    else:
        how = f"died on signal {signal}" if signal is not None else f"failed with status {code}"
        p.say(f"POST Script of node {name} {how}")
        p.say(f"POST for Node {name} returned {code}" if signal is None else f"POST script {how}", QUIET)
        job_value = p.results.values.get(node, -1)
        p.results.set(node, ScriptResult(code, signal).value)
        p.note(node, "POST_SCRIPT_FAILURE", p.results.values[node])
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
    delay = p.pace.failed(p.now)
    tries = p.tries.submits[node]
    most = 0 if for_good else p.settings.max_submit_attempts
    if tries < most:
        seconds = f"{delay} second{'' if delay == 1 else 's'}"
        p.say(f"Job submit try {tries}/{most} failed, will try again in >= {seconds}.")
        submits.enqueue(p, node, first=p.settings.retry_submit_first)
        return
    p.pace.worked()
    p.say(f"Node submit failed after {tries} tr{'y' if tries == 1 else 'ies'}.", QUIET)
    p.results.set_error(node, "Job submit failed")
    p.say(f"Shortcutting node {p.dag.names[node]} retries because of submit failure(s)")
    p.tries.use_up(node)
    if node in p.dag.scripts["POST"]:
        p.results.set_by_job(node, SUBMIT_FAILED)
        scripts.run_post(p, node)
        return
    nodes.count_failure(p, node)
    nodes.give_up_children(p, node)


def replay_submit(p: Progress, node: int) -> None:
    """The nodes log has the submit of a try: what was before it is over."""
    while (end := p.replays.take(node)) is not None:
        if end.is_success:
            p.results.set_by_script(node, 0)
            return
        p.tries.retry(node)


def replay_without_job(p: Progress, node: int) -> None:
    """The nodes log has the end of a try that had no job."""
    end = p.replays.take(node)
    if end is not None:
        p.results.set_by_script(node, end.value)


def continue_replays(p: Progress) -> None:
    """Act on the ends that nodes have found when they were started."""
    while p.replays.due:
        node, end = p.replays.take_due()
        p.say(f"PRE script of node {p.dag.names[node]} had ended before condor_dagman was started again")
        script_ended(p, node, "PRE", end.code, end.signal)

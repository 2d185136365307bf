"""Effects of the events of the nodes log on nodes and their jobs."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.dag import ending, nodes, outcomes, scripts, submits
from condor_py.core.dag.actions import JobEvent, RemoveJobs
from condor_py.core.dag.progress import NodeJobs, Progress, ScriptResult
from condor_py.core.dag.states import EXIT_ERROR, JOB_ABORTED, NodeState
from condor_py.lang.dag.graph import NOOP
from condor_py.lang.dag.messages import QUIET
from condor_py.model.event_types import JobEventType

#: Events of a node that may have no job (yet).
_OF_NODES = (
    JobEventType.SUBMIT,
    JobEventType.CLUSTER_SUBMIT,
    JobEventType.CLUSTER_REMOVE,
    JobEventType.PRESKIP,
    JobEventType.POST_SCRIPT_TERMINATED,
)


def handle(p: Progress, event: JobEvent) -> None:
    """Take one event, in the order of the log. Events of jobs that are not of the DAG are passed over."""
    node = _node(p, event)
    action = _EVENTS.get(event.number)
    if node is None or action is None:
        return
    if event.number not in _OF_NODES and (event.proc < 0 or node not in p.jobs or _is_follower(p, node, event)):
        return  # of something that reuses the job's ad, and not of a job
    action(p, node, event)


def _is_follower(p: Progress, node: int, event: JobEvent) -> bool:
    """Whether an event is of a proc behind proc 0 of a parallel job, which has one submit and one end in all."""
    jobs = p.jobs[node]
    return not (p.dag.flags[node] & NOOP or jobs.is_factory) and event.proc >= jobs.total


def _node(p: Progress, event: JobEvent) -> int | None:
    node = p.dag.numbers.get(event.name) if event.name else None
    return p.jobs.node_of(event.cluster, event.subproc) if node is None else node


def _proc(p: Progress, node: int, event: JobEvent) -> int:
    """The number of a job among those of its node; jobs of empty nodes have a number that means nothing."""
    return 0 if p.dag.flags[node] & NOOP else event.proc


def _submitted(p: Progress, node: int, event: JobEvent) -> None:
    if p.states.waits[node] > 0 and p.course.is_recovering:
        _infer_failures(p, node)
    if p.states.waits[node] > 0:
        name = p.dag.names[node]
        p.say(f"Error: DAG semantics violated! Node {name} was submitted but has unfinished parents!", QUIET)
        ending.finish(p, EXIT_ERROR)
        return
    jobs = p.jobs.get(node)
    if p.course.is_recovering and (jobs is None or jobs.cluster != event.cluster or jobs.subproc != event.subproc):
        submits.forget_try(p, node)
        outcomes.replay_submit(p, node)
        p.jobs.found(node, event.cluster, event.proc, event.subproc)
        jobs = p.jobs[node]
        p.states.become(node, NodeState.SUBMITTED)
        p.ready.count_submitted(node, 1)
        if node == p.dag.final:
            p.course.start_final()
    if jobs is None or jobs.cluster != event.cluster:
        name = p.dag.names[node]
        p.say(f'Unrecognized submit event (for node "{name}") found in log (none expected)', QUIET)
        return
    if event.proc < jobs.seen and not p.dag.flags[node] & NOOP:
        return  # submits are reported in their order: a second one of a job counts for nothing
    p.jobs.saw_submit(node, event.proc)
    _idle(p, node, event)


def _infer_failures(p: Progress, node: int) -> None:
    """A node was submitted although the log has no end of a weak parent: that has failed without an event, by its PRE
    script or because it could not be submitted."""
    for parent in p.dag.parents_of(node):
        if p.states[parent] != NodeState.READY or p.states.is_counted(parent):
            continue
        children = zip(p.dag.children_of(parent), p.dag.weak_of(parent), strict=True)
        if any(child == node and is_weak for child, is_weak in children):
            nodes.fail(p, parent, "Failed without a job, before condor_dagman was started again")


def _idle(p: Progress, node: int, event: JobEvent) -> None:
    if p.states[node] == NodeState.SUBMITTED:
        p.jobs.idles(node, _proc(p, node, event))


def _not_idle(p: Progress, node: int, event: JobEvent) -> None:
    p.jobs.idles_no_more(node, _proc(p, node, event))


def _held(p: Progress, node: int, event: JobEvent) -> None:
    jobs = p.jobs[node]
    p.verbose(f"  Hold reason: {event.reason or '(unknown)'}")
    p.jobs.hold(node, _proc(p, node, event), True)
    most = p.settings.max_job_holds
    if 0 < most <= len(jobs.held):
        name = p.dag.names[node]
        p.verbose(
            f"Total hold count for job {event.cluster} (node {name})has reached DAGMAN_MAX_JOB_HOLDS ({most}); all job "
            "proc(s) for this node will now be removed"
        )
        p.act(RemoveJobs(node, jobs.cluster, "DAG Limit: Max number of held jobs was reached."))
    if node in p.dag.scripts["HOLD"] and not p.course.is_recovering:
        scripts.run_hold(p, node)
    _idle(p, node, event)


def _released(p: Progress, node: int, event: JobEvent) -> None:
    p.jobs.hold(node, _proc(p, node, event), False)


def _ended(p: Progress, node: int, event: JobEvent) -> None:
    """A job left the queue: with an exit code, by a signal, or because it was removed."""
    jobs = p.jobs[node]
    proc = _proc(p, node, event)
    if proc in jobs.ended:
        return  # a second end of a job counts for nothing
    p.jobs.ended(node, proc)
    if jobs.are_over:
        p.ready.count_submitted(node, -1)
    if event.number == JobEventType.JOB_ABORTED:
        _job_aborted(p, node, jobs, proc, event)
    else:
        _job_terminated(p, node, jobs, proc, event)
    over_tolerance = jobs.failed > _tolerance(p, node, jobs)
    if over_tolerance and p.states[node] != NodeState.ERROR:
        p.states.become(node, NodeState.ERROR)
        p.results.has_failed(node)
        _remove_the_rest(p, node, jobs, event)
    if jobs.are_over and not ending.is_provisioner_without_leave(p, node):
        _jobs_over(p, node, over_tolerance)
    if node not in p.dag.scripts["POST"] and not p.course.is_over:
        ending.check_abort(p, node, "job")


def _job_aborted(p: Progress, node: int, jobs: NodeJobs, proc: int, event: JobEvent) -> None:
    if jobs.failed_with(proc, None):
        p.results.set_error(node, f"HTCondor reported ULOG_JOB_ABORTED event for job proc {_id(event)}")
        p.results.set_by_job(node, JOB_ABORTED)


def _job_terminated(p: Progress, node: int, jobs: NodeJobs, proc: int, event: JobEvent) -> None:
    name, job = p.dag.names[node], _id(event)
    if event.code == 0:
        p.jobs.succeeded(node, proc)
        if p.states[node] != NodeState.ERROR:
            p.results.set_by_job(node, 0)
        success = f"Node {name} job proc {job} completed successfully"
        if p.states[node] == NodeState.ERROR:
            p.say(f"{success}, but status is STATUS_ERROR")
        p.say(f"{success}.")
        return
    how = f"status {event.code}" if event.signal is None else f"signal {event.signal}"
    p.say(f"Node {name} job proc {job} failed with {how}.", QUIET)
    if jobs.failed_with(proc, event.code if event.signal is None else 0):
        p.results.set_error(node, f"Job proc {job} failed with {how}")
        p.results.set_by_job(node, ScriptResult(event.code, event.signal).value)


def _id(event: JobEvent) -> str:
    return f"({event.cluster}.{event.proc}.{event.subproc})"


def _tolerance(p: Progress, node: int, jobs: NodeJobs) -> int:
    """Number of jobs of a node that may fail."""
    own = p.dag.tolerances.get(node)
    if own is None:
        return p.settings.node_failure_tolerance
    return jobs.total * own.value // 100 if own.percent else own.value


def _remove_the_rest(p: Progress, node: int, jobs: NodeJobs, event: JobEvent) -> None:
    """A node has failed while jobs of it are in the queue."""
    own = p.dag.tolerances.get(node)
    wanted = {"FAIL_FAST": True, "WAIT": False}.get(own.mode if own else "", p.settings.remove_job_list_on_failure)
    if not wanted or jobs.are_over:
        return
    start = f"Node Error: DAG node {p.dag.names[node]} {_id(event)}"
    if event.number == JobEventType.JOB_ABORTED:
        reason = f"{start} got ULOG_JOB_ABORTED event."
    else:
        reason = f"{start} reached failure tolerance after {jobs.failed} failures."
    p.act(RemoveJobs(node, jobs.cluster, reason))


def _jobs_over(p: Progress, node: int, failed: bool) -> None:
    """No job of a node is in the queue any more: its POST script, another try, or its end."""
    p.say(f"Node {p.dag.names[node]} job(s) have exited the queue")
    has_failed = failed or bool(p.results.values.get(node))  # within its tolerance it is a failure for that log only
    p.note(node, "JOB_FAILURE" if has_failed else "JOB_SUCCESS", p.results.values.get(node))
    if node in p.dag.scripts["POST"]:
        if p.course.is_recovering:
            p.states.begin_post(node)
        else:
            scripts.run_post(p, node)
    elif not failed:
        nodes.succeed(p, node)
    elif not nodes.fail_or_retry(p, node):
        if p.settings.put_failed_jobs_on_hold and not nodes.is_abort(p, node):
            p.tries.allow_on_hold(node)
            nodes.restart(p, node)
        else:
            nodes.fail(p, node)


def remove_surplus(p: Progress) -> None:
    """Take the nodes beyond a new limit out of the queue; they may be tried once more for that."""
    queued = [node for node in p.dag.order if p.states[node] == NodeState.SUBMITTED]
    for node in queued[p.limits.max_jobs :]:
        p.tries.allow_one_more(node)
        reason = "DAG Limit: Max number of submitted nodes was reached."
        p.act(RemoveJobs(node, p.jobs[node].cluster, reason))


def _post(p: Progress, node: int, event: JobEvent) -> None:
    if p.course.is_recovering and node not in p.jobs:
        outcomes.replay_without_job(p, node)
    outcomes.post_terminated(p, node, event.code, event.signal)


def _pre_skip(p: Progress, node: int, event: JobEvent) -> None:
    if p.course.is_recovering:
        outcomes.replay_without_job(p, node)
    nodes.succeed(p, node)
    if not p.course.is_recovering:
        p.states.count_pre(-1)


def _factory(p: Progress, node: int, event: JobEvent) -> None:
    jobs = p.jobs.get(node)
    if p.course.is_recovering and jobs is None:
        _submitted(p, node, event._replace(number=JobEventType.SUBMIT, proc=0))
        jobs = p.jobs[node]
        p.jobs.becomes_factory(node)
    if jobs is not None:
        jobs.make_later()


def _factory_gone(p: Progress, node: int, event: JobEvent) -> None:
    jobs = p.jobs.get(node)
    if jobs is None or not jobs.is_factory:
        return
    jobs.all_made()
    p.ready.count_submitted(node, -1)
    _jobs_over(p, node, jobs.failed > _tolerance(p, node, jobs))


_EVENTS: dict[int, Callable[[Progress, int, JobEvent], None]] = {
    JobEventType.SUBMIT: _submitted,
    JobEventType.EXECUTE: _not_idle,
    JobEventType.JOB_EVICTED: _idle,
    JobEventType.JOB_TERMINATED: _ended,
    JobEventType.SHADOW_EXCEPTION: _idle,
    JobEventType.JOB_ABORTED: _ended,
    JobEventType.JOB_SUSPENDED: _idle,
    JobEventType.JOB_UNSUSPENDED: _not_idle,
    JobEventType.JOB_HELD: _held,
    JobEventType.JOB_RELEASED: _released,
    JobEventType.POST_SCRIPT_TERMINATED: _post,
    JobEventType.JOB_RECONNECT_FAILED: _idle,
    JobEventType.PRESKIP: _pre_skip,
    JobEventType.CLUSTER_SUBMIT: _factory,
    JobEventType.CLUSTER_REMOVE: _factory_gone,
}

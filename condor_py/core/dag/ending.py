"""The end of a DAG, and its abort."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.core.dag import nodes
from condor_py.core.dag.actions import Finish, KillScripts, RemoveAll, RemoveJobs, ShowStatus, WriteRescue
from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import EXIT_ABORT, EXIT_ERROR, EXIT_OKAY, DagStatus, NodeState
from condor_py.lang.dag.cycles import cycle_text, walk
from condor_py.lang.dag.graph import NONE, NOOP, Kind
from condor_py.lang.dag.messages import NORMAL, QUIET

_REMOVED = "DAG Removed: User removed scheduler job from queue."
_SERVICE_ENDS = "Removed by DAGMan"
_BROKEN_OFF = "DAG Abort: DAG is exiting and writing rescue file."


def break_off(p: Progress, code: int, status: DagStatus, removes_jobs: bool = True) -> None:
    """End the DAG before it is done: rescue file, no more jobs and scripts, then the FINAL node, if it has not run. In
    recovery this waits until the rest of the nodes log tells how far it has come (``continue_break_off``)."""
    if p.course.is_over:
        return
    if p.course.is_recovering:
        p.course.find_abort(code, status)
        return
    p.say("Aborting DAG...", QUIET)
    p.course.break_off(status)
    if code != EXIT_OKAY:
        if p.settings.max_rescue_num > 0:
            p.act(WriteRescue())
        else:
            p.say("No rescue DAG written because DAGMAN_MAX_RESCUE_NUM is 0", QUIET)
    p.say("Removing submitted jobs...")
    if removes_jobs:
        p.say("Removing any/all submitted HTCondor jobs...")
        reason = _REMOVED if status == DagStatus.RM else _BROKEN_OFF
        p.act(RemoveAll(reason, p.dag.final != NONE and not p.course.has_final))
    if p.scripts["PRE"].running or p.scripts["POST"].running:
        p.say("Removing running scripts...")
        p.act(KillScripts())
    tell_deferrals(p)
    if start_final(p):
        return
    finish(p, code)


def continue_break_off(p: Progress) -> None:
    """Break off, after recovery, a DAG that was aborted before. Where its FINAL node has been submitted since, that
    alone is left to run."""
    if p.course.found_abort is None:
        return
    code, status = p.course.found_abort
    if p.course.has_final:
        p.course.break_off(status)
    else:
        break_off(p, code, status)


def finish(p: Progress, code: int) -> None:
    """The DAG is over."""
    p.course.finish()
    p.act(ShowStatus(publish=True))
    p.act(Finish(code, p.course.status))


def check_abort(p: Progress, node: int, what: str) -> None:
    """Break the DAG off if a node ended with its ABORT-DAG-ON code. ``what`` had that code."""
    if not nodes.is_abort(p, node):
        return
    p.say(f"Aborting DAG because we got the ABORT exit value from a {what}", QUIET)
    p.course.abort()
    returns = p.dag.aborts[node].returns
    code = p.results.values[node] if returns is None else returns
    break_off(p, code, DagStatus.OK if returns == 0 else DagStatus.ABORT)


def start_final(p: Progress) -> bool:
    """Start the FINAL node, if there is one that has not run; nothing else starts then."""
    final = p.dag.final
    if final == NONE or p.states[final] != NodeState.NOT_READY or p.course.has_lost_log:
        return False
    p.say("Starting final node...", QUIET)
    waiting = p.scripts["PRE"].forget_waiting()
    p.states.count_pre(-len(waiting))
    for node in (*p.ready.forget(), *waiting):
        p.states.become(node, NodeState.NOT_READY)
    p.states.become(final, NodeState.READY)
    nodes.start(p, final)
    p.course.start_final()
    return True


def check(p: Progress) -> None:
    """See whether the DAG is over, or only its FINAL node is left."""
    if p.course.is_over:
        return
    if succeeded(p, with_final=True):
        _all_done(p)
    elif has_failed(p, with_final=True):
        p.say("ERROR: the following job(s) failed:", QUIET)
        _list(p, failed(p))
        break_off(p, EXIT_ERROR, p.course.status)
    elif _final_is_over(p):
        text = "ERROR: DAGMan FINAL node has terminated but DAGMan thinks"
        p.say(f"{text} {p.counts.submitted} job(s) are still running.", QUIET)
        break_off(p, EXIT_ABORT, p.course.status)
    elif succeeded(p, with_final=False):
        start_final(p)
    elif p.course.is_halted and not p.counts.submitted and not p.counts.postrun and not p.course.has_final:
        p.say("Exiting because DAG is halted and no jobs or scripts are running", QUIET)
        p.say("ERROR: the following Node(s) failed:", QUIET)
        _list(p, failed(p))
        break_off(p, EXIT_ERROR, DagStatus.HALTED)
    elif stands_still(p, with_final=False):
        break_off(p, EXIT_ERROR, _why_it_stands(p))


def _list(p: Progress, lines: list[str], level: int = QUIET) -> None:
    for line in lines:
        p.say(line, level)


def _all_done(p: Progress) -> None:
    for node in p.dag.services:
        if p.states[node] == NodeState.SUBMITTED:
            p.act(RemoveJobs(node, p.jobs[node].cluster, _SERVICE_ENDS))
            nodes.succeed(p, node)
    p.say("All jobs Completed!")
    tell_deferrals(p)
    finish(p, EXIT_OKAY)


def _why_it_stands(p: Progress) -> DagStatus:
    if has_failed(p, with_final=False):
        p.say("ERROR: the following Node(s) failed:", QUIET)
        _list(p, failed(p))
        return DagStatus.NODE_FAILED
    p.say("ERROR: DAG finished but not all nodes are complete -- checking for a cycle...", QUIET)
    if walk(p.dag).is_cyclic:
        p.say("... ERROR: a cycle exists in the dag, please check input", QUIET)
        p.say(f"... the nodes of a cycle: {cycle_text(p.dag)}", QUIET)
        status = DagStatus.CYCLE
    else:
        p.say("... ERROR: no cycle found; unknown error condition", QUIET)
        status = DagStatus.ERROR
    _list(p, everything(p), NORMAL)
    return status


def stands_still(p: Progress, with_final: bool) -> bool:
    """Whether nothing is at work and nothing can start."""
    if with_final and p.dag.final != NONE and not p.course.has_final:
        return False
    if p.course.is_halted:
        post = p.counts.postrun > len(p.scripts["POST"].waiting)  # at work, or its event is still to be read
        return not (p.counts.submitted or p.scripts["PRE"].running or post)
    return not (p.counts.submitted or p.ready.count or p.counts.prerun or p.counts.postrun)


def _final_state(p: Progress) -> NodeState:
    return NodeState.NOT_READY if p.dag.final == NONE else p.state(p.dag.final)


def _final_is_over(p: Progress) -> bool:
    return p.course.has_final and _final_state(p) in (NodeState.DONE, NodeState.ERROR)


def succeeded(p: Progress, with_final: bool) -> bool:
    """Whether the DAG is over and has succeeded; without ``with_final`` but for its FINAL node."""
    if not stands_still(p, with_final):
        return False
    done, total = p.counts.done, p.total
    if not with_final and p.dag.final != NONE:
        total -= 1
        done -= _final_state(p) == NodeState.DONE
    return done == total or (with_final and _final_state(p) == NodeState.DONE)


def has_failed(p: Progress, with_final: bool) -> bool:
    """Whether the DAG is over and has failed; without ``with_final`` but for its FINAL node."""
    if not stands_still(p, with_final):
        return False
    if with_final and _final_state(p) == NodeState.DONE:
        return False
    return p.course.is_halted or p.counts.failed > 0


def tell_deferrals(p: Progress, always: bool = True, level: int = NORMAL) -> None:
    """Report how often limits made something wait."""
    counts, limits = p.counts, p.limits
    for count, what in (
        (counts.deferred_by_jobs, f"node deferrals because of -MaxJobs limit ({limits.max_jobs})"),
        (counts.deferred_by_idle, f"node deferrals because of -MaxIdle limit ({limits.max_idle})"),
        (counts.deferred_by_category, "node deferrals because of node category throttles"),
        *(
            (
                queue.deferrals,
                f"{kind} script deferrals because of -Max{kind.capitalize()} limit ({queue.most}) or DEFER",
            )
            for kind, queue in p.scripts.items()
        ),
    ):
        if count or always:
            p.say(f"Note: {count} total {what}", level)


def is_provisioner_without_leave(p: Progress, node: int) -> bool:
    """Whether a provisioner ended before it let the DAG begin; the DAG is over then, without a rescue file."""
    if p.dag.kinds[node] != Kind.PROVISIONER or p.course.is_provisioned:
        return False
    name = p.dag.names[node]
    p.say(f"ERROR: Provisioner node {name} job exited before giving DAGMan the go ahead!", QUIET)
    finish(p, EXIT_ERROR)
    return True


_RULE = "---------------------- Node ----------------------"
_END = "---------------------------------------\t<END>"
#: Status names are filled up to this width.
_WIDTH = 16
#: Nodes that are listed one by one; a million would fill the disk.
_MOST = 10_000


def failed(p: Progress) -> list[str]:
    """The nodes that failed, line by line."""
    return _listed(p, (node for node in p.dag.order if p.states[node] == NodeState.ERROR))


def everything(p: Progress) -> list[str]:
    """All nodes, line by line."""
    return _listed(p, p.dag.order)


def _listed(p: Progress, nodes: Iterable[int]) -> list[str]:
    lines: list[str] = []
    for count, node in enumerate(nodes):
        if count == _MOST:
            lines.append(f"... and more: only the first {_MOST} are listed")
            break
        lines += _node(p, node)
    return [*lines, _END]


def _node(p: Progress, node: int) -> list[str]:
    dag, jobs = p.dag, p.jobs.get(node)
    lines = [
        _RULE,
        f"      Node Name: {dag.names[node]}",
        f"           Noop: {'true' if dag.flags[node] & NOOP else 'false'}",
        f"         NodeID: {node}",
        f"    Node Status: {f'STATUS_{p.state(node).name}':{_WIDTH}}",
        f"Node return val: {p.results.values.get(node, -1)}",
    ]
    if p.states[node] == NodeState.ERROR:
        lines.append(f"          Error: {p.results.errors.get(node, '')}")
    lines.append(f"Job Submit File: {dag.submits[node]}")
    lines += [f"{kind:>8} Script: {dag.scripts[kind][node].line}" for kind in dag.scripts if node in dag.scripts[kind]]
    if p.tries.most(node) > 0:
        lines.append(f"          Retry: {p.tries.most(node)}")
    shown = f"({jobs.cluster}.{jobs.proc}.{jobs.subproc})" if jobs is not None else "[not yet submitted]"
    lines.append(f" HTCondor Job ID: {shown}")
    parents = " ".join(dag.names[parent] for parent in dag.parents_of(node))
    children = " ".join(dag.names[child] for child in dag.children_of(node))
    lines.append(f"PARENTS: {parents} WAITING: {int(p.states.waits[node] > 0)} CHILDREN: {children}")
    return lines

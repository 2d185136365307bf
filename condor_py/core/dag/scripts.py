"""The queues of PRE, POST and HOLD scripts, and the arguments that scripts get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from condor_py.core.dag.actions import RunScript
from condor_py.core.dag.progress import NodeJobs, Progress
from condor_py.lang.dag.graph import Kind
from condor_py.lang.dag.messages import QUIET


class BadArguments(Exception):
    """A script's arguments have a macro that does not exist, or not for this kind of script, and DAGMAN_USE_STRICT
    forbids that."""


def run(p: Progress, node: int, kind: str) -> None:
    """Start a script, or let it wait."""
    if not _start(p, node, kind):
        p.scripts[kind].wait(node)


def run_post(p: Progress, node: int, counts: bool = True) -> None:
    """The POST script's turn."""
    p.states.begin_post(node, counts)
    run(p, node, "POST")


def run_hold(p: Progress, node: int) -> None:
    """A job was held: the HOLD script's turn. It changes nothing of the node."""
    p.states.count_hold(1)
    run(p, node, "HOLD")


def run_waiting(p: Progress, kind: str, one: bool = False) -> None:
    """Start scripts that wait, as far as there is room and their time has come; with ``one`` only the first."""
    queue = p.scripts[kind]
    still: list[int] = []
    for at, node in enumerate(queue.waiting):
        if queue.not_before.get(node, 0) > p.now or not _start(p, node, kind):
            still.append(node)
        elif one:
            still += queue.waiting[at + 1 :]
            break
    queue.keep(still)


def _start(p: Progress, node: int, kind: str) -> bool:
    queue = p.scripts[kind]
    waits_for_resume = p.course.is_halted and kind == "PRE" and p.dag.kinds[node] != Kind.FINAL
    if waits_for_resume or not queue.has_room:
        queue.refuse()
        return False
    p.say(f"Running {kind} script of Node {p.dag.names[node]}...")
    words = arguments(p, node, kind)
    queue.start(node)
    p.note(node, f"{kind}_SCRIPT_STARTED")
    p.act(RunScript(node, kind, words))
    return True


def _rule(p: Progress, node: int, kind: str, code: int | None) -> tuple[int, int] | None:
    """The code and the seconds of DEFER, where a script has ended with that code."""
    rule = p.dag.scripts[kind][node].defer
    return rule if rule is not None and code == rule[0] else None


def is_deferred(p: Progress, node: int, kind: str, code: int | None) -> bool:
    """Whether a script that ended with ``code`` is to run again later."""
    return _rule(p, node, kind, code) is not None


def defer(p: Progress, node: int, kind: str, code: int | None) -> bool:
    """Whether a script that ended with ``code`` is to run again later; it waits then."""
    rule = _rule(p, node, kind, code)
    if rule is None:
        return False
    p.scripts[kind].defer(node, p.now + rule[1])
    name = p.dag.names[node]
    p.say(f"Deferring {kind} script of node {name} for {rule[1]} seconds (exit status was {rule[0]})...")
    return True


# ---- arguments ---------------------------------------------------------------------------------------------------


def arguments(p: Progress, node: int, kind: str) -> tuple[str, ...]:
    """The words of a script's command line, macros replaced. Raises BadArguments."""
    words = []
    for word in p.dag.scripts[kind][node].line.replace("\t", " ").split(" "):
        if not word:
            continue
        name = word.upper()
        if name in _ALWAYS:
            word = str(_ALWAYS[name](p, node))
        elif name in _AFTER_JOBS and kind != "PRE":
            word = str(_AFTER_JOBS[name](p, node))
        elif word.startswith("$"):
            _complain(p, node, kind, word)
        words.append(word)
    return tuple(words)


def _complain(p: Progress, node: int, kind: str, word: str) -> None:
    if word.upper() in _AFTER_JOBS:
        p.say(f"Warning: {word.upper()} macro should not be used as a PRE script argument!", QUIET)
    else:
        where = f"node {p.dag.names[node]} {kind} script arguments"
        p.say(f"Warning: unrecognized macro {word} in {where}", QUIET)
    if p.settings.language.strict >= 1:
        p.say("ERROR: Warning is fatal error because of DAGMAN_USE_STRICT setting", QUIET)
        raise BadArguments(word)


def _jobs(p: Progress, node: int) -> NodeJobs:
    return p.jobs.get(node) or NodeJobs(proc=-1)


def _codes(p: Progress, node: int) -> list[int]:
    return [code for code in _jobs(p, node).codes.values() if code is not None]


def _code_list(p: Progress, node: int) -> str:
    """The exit codes in the order of the jobs, nothing for those that were removed."""
    return ",".join("" if code is None else str(code) for _, code in sorted(_jobs(p, node).codes.items()))


def _frequencies(p: Progress, node: int) -> str:
    return ",".join(f"{code}:{count}" for code, count in sorted(Counter(_codes(p, node)).items()))


_Value = Callable[[Progress, int], object]
_ALWAYS: dict[str, _Value] = {
    "$NODE": lambda p, node: p.dag.names[node],
    "$JOB": lambda p, node: p.dag.names[node],
    "$RETRY": lambda p, node: p.tries.retries.get(node, 0),
    "$MAX_RETRIES": lambda p, node: p.tries.most(node),
    "$DAG_STATUS": lambda p, node: int(p.course.status),
    "$FAILED_COUNT": lambda p, node: p.counts.failed,
    "$FUTILE_COUNT": lambda p, node: p.counts.futile,
    "$DONE_COUNT": lambda p, node: p.counts.done,
    "$QUEUED_COUNT": lambda p, node: p.counts.submitted,
    "$NODE_COUNT": lambda p, node: p.total,
    "$DAGID": lambda p, node: p.dagman_id,
}
_AFTER_JOBS: dict[str, _Value] = {
    "$JOBID": lambda p, node: f"{_jobs(p, node).cluster}.{_jobs(p, node).proc}",
    "$CLUSTERID": lambda p, node: _jobs(p, node).cluster,
    "$JOB_COUNT": lambda p, node: _jobs(p, node).total,
    "$SUCCESS": lambda p, node: node not in p.results.unsuccessful,
    "$RETURN": lambda p, node: p.results.job_values.get(node, -1),
    "$EXIT_CODES": lambda p, node: ",".join(map(str, sorted(set(_codes(p, node))))),
    "$EXIT_CODE_COUNTS": _frequencies,
    "$EXIT_CODE_LIST": lambda p, node: _code_list(p, node),
    "$PRE_SCRIPT_RETURN": lambda p, node: p.results.script_values.get(node, -1),
    "$JOB_ABORT_COUNT": lambda p, node: sum(1 for code in _jobs(p, node).codes.values() if code is None),
}
#: What a line of a script may name, all spellings.
MACROS = (*_ALWAYS, *_AFTER_JOBS)

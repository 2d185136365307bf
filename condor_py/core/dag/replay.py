"""Ends of PRE scripts before condor_dagman was restarted: no event of the nodes log records them.

Each try of a node begins with one end of its PRE script. In recovery the ends are taken one by one: up to the first
success by a submit, one by a POST script that ran without a job and by a node that was skipped. The remaining ends
belong to tries that had come no further: these continue from there, and their scripts do not run again.
"""

from __future__ import annotations

from condor_py.core.dag import outcomes
from condor_py.core.dag.progress import Progress


def submitted(p: Progress, node: int) -> None:
    """The nodes log has the submit of a try: what was before it is over."""
    while (end := p.replays.take(node)) is not None:
        if end.is_success:
            p.results.set_by_script(node, 0)
            return
        p.tries.retry(node)


def without_job(p: Progress, node: int) -> None:
    """The nodes log has the end of a try that had no job."""
    end = p.replays.take(node)
    if end is not None:
        p.results.set_by_script(node, end.value)


def go_on(p: Progress) -> None:
    """Act on the ends that nodes have found when they were started."""
    while p.replays.due:
        node, end = p.replays.take_due()
        p.say(f"PRE script of node {p.dag.names[node]} had ended before condor_dagman was started again")
        outcomes.script_ended(p, node, "PRE", end.code, end.signal)

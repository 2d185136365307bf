"""What the log says of single nodes when a DAG ends badly."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import NodeState
from condor_py.lang.dag.graph import NOOP

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
        f"Node return val: {p.results.get(node, -1)}",
    ]
    if p.states[node] == NodeState.ERROR:
        lines.append(f"          Error: {p.errors.get(node, '')}")
    lines.append(f"Job Submit File: {dag.submits[node]}")
    lines += [f"{kind:>8} Script: {dag.scripts[kind][node].line}" for kind in dag.scripts if node in dag.scripts[kind]]
    if p.most_retries(node) > 0:
        lines.append(f"          Retry: {p.most_retries(node)}")
    shown = f"({jobs.cluster}.{jobs.proc}.{jobs.subproc})" if jobs is not None else "[not yet submitted]"
    lines.append(f" HTCondor Job ID: {shown}")
    parents = " ".join(dag.names[parent] for parent in dag.parents_of(node))
    children = " ".join(dag.names[child] for child in dag.children_of(node))
    lines.append(f"PARENTS: {parents} WAITING: {int(p.waits[node] > 0)} CHILDREN: {children}")
    return lines

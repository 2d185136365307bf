"""Estimate of the time that a DAG still takes, from the run times of its nodes that are done.

A node that is not done is expected to run as long as the nodes with the same submit description did on average; where
none of those is done, as long as all did. Two bounds follow: the longest chain of nodes that are left, on however
large a machine, and the work that is left divided by the number of nodes that run at a time. The longer one counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from condor_py.core.dag.paths import Times, critical_path
from condor_py.lang.dag.graph import JOIN, NOOP, Dag


class Estimate(NamedTuple):
    """``left``, ``chain`` and ``work``: seconds left, of the longest chain and of all nodes one after the other.

    ``left`` is None while no run time is known. ``critical`` is the longest chain of the whole DAG, done nodes
    included. ``known`` and ``like`` count the nodes that are done with a run time, and the nodes left that have such a
    node with the same submit description.
    """

    left: float | None
    chain: float
    work: float
    at_a_time: float
    known: int
    like: int
    critical: list[int]


def estimate(
    dag: Dag, ran: Mapping[int, float], since: Mapping[int, float], over: Sequence[bool], at_a_time: float
) -> Estimate:
    """``ran``: seconds of each node that is done; ``since``: seconds for which a node runs now; ``over``: whether a
    node needs no more time. ``at_a_time`` is the number of nodes that run at a time."""
    typical, usual = _typical(dag, ran)
    left, whole = Times(len(dag)), Times(len(dag))
    work, like = 0.0, 0
    for node in range(len(dag)):
        empty = bool(dag.flags[node] & (NOOP | JOIN))
        expected = 0.0 if empty else typical.get(dag.submits[node], usual)
        whole.begun[node] = left.begun[node] = 0.0
        whole.ended[node] = ran.get(node, max(expected, since.get(node, 0.0)))
        if over[node]:
            continue
        like += not empty and dag.submits[node] in typical
        left.ended[node] = max(0.0, expected - since.get(node, 0.0))
        work += left.ended[node]
    chain = critical_path(dag, left)
    seconds = max(chain.seconds, work / max(1.0, at_a_time)) if ran else None
    return Estimate(seconds, chain.seconds, work, at_a_time, len(ran), like, critical_path(dag, whole).nodes)


def _typical(dag: Dag, ran: Mapping[int, float]) -> tuple[dict[str, float], float]:
    """Mean seconds by submit description, and of all nodes; 1 where no node is done, so that chains are counted."""
    groups: dict[str, list[float]] = {}
    for node, seconds in ran.items():
        groups.setdefault(dag.submits[node], []).append(seconds)
    return {name: fmean(found) for name, found in groups.items()}, fmean(ran.values()) if ran else 1.0


def concurrency(ran: Mapping[int, float], first: float, last: float, running: int) -> float:
    """Nodes that run at a time: the mean from ``first`` to ``last`` (Unix seconds), at least those that run now."""
    elapsed = last - first
    return max(float(running), sum(ran.values()) / elapsed if elapsed > 0 else 0.0)

"""Lines for terminals: jobs that this pool will never run, and machines that are drained."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.cli.waiting.abilities import LOOKED_AT, may_lack
from condor_py.cli.waiting.finding import Around, drained_machines, slots_of, why_it_waits
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.q.source import Source
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView

#: Those that tell when a job may start.
_TIMES = ("deferraltime", "deferralpreptime", "scheddinterval", "jobcooldownexpiration")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_IDLE = str(int(JobStatus.IDLE))
#: A table of condor_q is not kept waiting for more.
_MOST_CLUSTERS = 1000
#: So many of the newest clusters have all of their Requirements evaluated.
_MOST_EVALUATED = 50
#: So many jobs of a cluster are judged where they differ.
_MOST_OF_CLUSTER = 50


def say_what_cannot_run(pool: Pool, clusters: Sequence[int]) -> None:
    """On a terminal, a line for each reason why jobs of new clusters will wait for ever, and for drained machines."""
    if not sys.stderr.isatty():
        return
    around = Around(slots_of(pool), pool.now())
    view = pool.read_queue()
    waiting = {cluster: idle for cluster in clusters if (idle := _idle(view, cluster, view.procs(cluster)))}
    never: dict[str, list[str]] = {}
    for cluster, idle in waiting.items() if around.slots else ():
        _judge(view, cluster, idle, around, never)
    for text, jobs in never.items():
        whole = jobs == [str(cluster) for cluster in waiting]
        sys.stderr.write(f"WARNING: nothing here will run {'this' if whole else _some(jobs)}: {text}\n")
    for reason in drained_machines(around.slots) if waiting else ():
        sys.stderr.write(f"WARNING: {reason.text}; {reason.help} ends that\n")


def waiting_in_vain(source: Source) -> str:
    """Lines for a terminal: idle jobs that this pool cannot run, and machines that are drained; "" where none are."""
    view, pool = source.view, source.pool
    if view is None or pool is None:
        return ""
    around = Around(slots_of(pool), pool.now())
    never: dict[str, list[str]] = {}
    idle = False
    groups = source.groups(mine=not source.superuser)[-_MOST_CLUSTERS:]
    for left, (cluster, procs) in zip(range(len(groups), 0, -1), groups, strict=True):
        if not source.states(cluster, procs).get(JobStatus.IDLE):
            continue
        idle = True
        texts = {key: view.cluster_text(cluster, key) or "" for key in LOOKED_AT}
        if around.slots and (left <= _MOST_EVALUATED or may_lack(texts)):
            _judge(view, cluster, _idle(view, cluster, procs), around, never)
    lines = [f"Will never run: {_some(jobs)} ({reason})\n" for reason, jobs in never.items()]
    for reason in drained_machines(around.slots) if idle else ():
        lines.append(f"{reason.text[0].upper()}{reason.text[1:]}: {reason.help} ends that\n")
    return "".join(lines)


def _idle(view: QueueView, cluster: int, procs: Sequence[int]) -> list[int]:
    """Those of the procs whose jobs are idle."""
    states = view.texts("JobStatus", [(cluster, procs)]) if procs else []
    return [proc for proc, state in zip(procs, states, strict=True) if state == _IDLE]


def _judge(view: QueueView, cluster: int, idle: Sequence[int], around: Around, never: dict[str, list[str]]) -> None:
    """Add to ``never``, by reason, the idle jobs of a cluster that will never run, or its number for all of them.

    Where no job has values of its own in what decides, one represents the others. Jobs that a factory has still to
    make may differ.
    """
    own = view.table.mentioned(cluster, tuple(_deciding(view, cluster)))
    columns = view.table.own_texts(cluster, idle, own) if own else []
    alike = all(text is None for column in columns for text in column)
    is_factory = view.cluster_text(cluster, "jobmaterializedigestfile") is not None
    whole = not is_factory and len(idle) == view.table.count(cluster)
    names = [f"{cluster}.{proc}" for proc in idle]
    for proc, name in zip(idle[: 1 if alike else _MOST_OF_CLUSTER], names, strict=False):
        job = view.job(JobId(cluster, proc))
        final = [reason.text for reason in why_it_waits(job, around) if reason.final] if job is not None else []
        if final:
            found = [str(cluster)] if whole and (alike or len(idle) == 1) else names if alike else [name]
            never.setdefault(final[0], []).extend(found)


def _deciding(view: QueueView, cluster: int) -> set[str]:
    """The keys of the attributes that may decide whether a job of a cluster runs: those in its Requirements, in what it
    requests, and in what these refer to."""
    ad = view.table.cluster(cluster)
    found = {*LOOKED_AT, *_TIMES}
    if ad is not None:
        found.update(key for key in ad.attrs if key.startswith("request"))
    work = list(found)
    while work:
        words = {word.lower() for word in _NAME.findall(view.cluster_text(cluster, work.pop()) or "")} - found
        found |= words
        work += words
    return found


def _some(jobs: Sequence[str]) -> str:
    more = f" and {len(jobs) - 5} more" if len(jobs) > 5 else ""
    return ", ".join(jobs[:5]) + more

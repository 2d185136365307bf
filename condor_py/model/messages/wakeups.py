"""Wakeups of a daemon, answered at most by ``Done``. A module by itself, as most tools need nothing else."""

from __future__ import annotations

from condor_py.model.messages.codec import Answer, Message, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from condor_py.model.ids import JobId
    from condor_py.model.messages.kinds import Jobs, Pairs
    from condor_py.model.texts import Line

#: Jobs and clusters that a change names one by one.
MOST_NAMED = 20


class Done(Answer):
    """It is done."""


class Change(Message, kw_only=True):
    """A change of the queue that a tool of the pool's account has written itself, for the log of such changes.

    ``kind`` is "submit", "edit", "spooled" or an action on jobs, clusters or records of users (``records``: "Owner" or
    "Project"). ``count`` is how many ``jobs`` and ``clusters`` there are; of more than MOST_NAMED the first are named,
    of a submit the first and the last cluster. The account of the tool is known from the connection.
    """

    kind: str
    jobs: Jobs = ()
    clusters: Sequence[int] = ()
    count: int = 0
    constraint: str | None = None
    assignments: Pairs = ()
    records: str = ""
    reason: Line | None = None


class Ring(Message, op="ring"):
    """A wakeup: read what is new on disk. It has no answer. ``change`` is what the sender has changed in the queue;
    older tools say that in words (``changed``)."""

    change: Change | None = None
    changed: str = ""


class Sync(Request[Done], op="sync"):
    """A wakeup with an answer: what was in the queue before it has been read, its events are in the event logs.
    Removed jobs that nothing keeps are gone. ``change`` and ``changed`` are those of Ring."""

    change: Change | None = None
    changed: str = ""


def submitted(clusters: Sequence[int]) -> Change:
    """Return the change that a submit of these clusters is."""
    ends = {min(clusters, default=0), max(clusters, default=0)}
    return Change(kind="submit", clusters=sorted(ends), count=len(clusters))


def named(kind: str, jobs: Sequence[JobId], clusters: Sequence[int] = (), **more: Any) -> Change:
    """Return the change of ``kind`` to these jobs and clusters, of which the first are named."""
    shown = list(jobs[:MOST_NAMED])
    rest = list(clusters[: MOST_NAMED - len(shown)])
    return Change(kind=kind, jobs=shown, clusters=rest, count=len(jobs) + len(clusters), **more)

"""Messages between schedd and negotiator, and requests of condor_userprio to the negotiator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.codec import Message, Refused, Request, Vocabulary
from condor_py.model.messages.common import BY_EVERYBODY
from condor_py.model.messages.kinds import Natural
from condor_py.model.messages.wakeups import Done


class SubmitterWants(Message):
    """The demand of one submitter. ``requests`` are [autocluster, [[cluster, proc], ...]] in the order of the jobs; one
    of a parallel job has its other parts, in the same form, and whether it wants slots of one group."""

    name: str
    requests: Sequence[Any]
    running_weight: float
    idle_weight: float
    running: Natural
    idle: Natural
    job_prio: int


class Demand(Message, op="demand"):
    """The demand of the schedd. ``submitters`` are SubmitterWants, ``ads`` the ads of autoclusters that the negotiator
    does not know, ``promises`` what ``core.jobs.demand.promises`` makes: they are read when a cycle uses them, as the
    next demand often comes before. ``elsewhere`` are [submitter, weight in use outside of the pool], ``gangs`` the
    names of the slots of each running parallel job."""

    submitters: Sequence[Any]
    ads: dict[str, Any]
    promises: Sequence[Any] = ()
    elsewhere: Sequence[Any] = ()
    gangs: Sequence[Any] = ()


class PlanMade(Message, op="plan"):
    """The decisions of a cycle: rows of matches and rejections (``daemons.common.demand``), the attributes that
    NEGOTIATOR_MATCH_EXPRS gives the ads of matched jobs, and whether the startd is to be notified of matches;
    ``reserved`` is the cluster of the parallel job that free slots are kept for."""

    matches: Sequence[Any]
    rejections: Sequence[Any]
    match_exprs: dict[str, str]
    inform_startd: bool = False
    reserved: Natural = 0


class Call(Message, op="call"):
    """Tell your demand."""


class Significant(Message, op="significant"):
    """The attributes of jobs that the slots read: new autoclusters, and a new demand."""

    names: Sequence[str]


class EditPriorities(Request[Done], op="userprio"):
    """An edit of ``client.priority_edits``, with its arguments."""

    edit: str
    arguments: Sequence[Any]


BY_NEGOTIATOR = Vocabulary(*BY_EVERYBODY, Demand, EditPriorities, Refused)
FROM_NEGOTIATOR = Vocabulary(PlanMade, Call, Significant, Refused)

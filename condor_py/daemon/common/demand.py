"""What the schedd and the negotiator tell each other, as JSON: demand one way, the plan the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from condor_py.model.ids import JobId
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.negotiator.snapshot import Promise
from condor_py.schedd.core import Schedd
from condor_py.schedd.demand import demand, promises


def demand_message(core: Schedd, sent: set[int]) -> dict[str, Any]:
    """The demand of every submitter with idle jobs or claims. ``sent`` has the autoclusters whose ad the negotiator
    knows.
    """
    ads: dict[str, Mapping[str, str]] = {}
    submitters = []
    for wanted in demand(core):
        for request in wanted.requests:
            if request.autocluster not in sent:
                sent.add(request.autocluster)
                ads[str(request.autocluster)] = dict(request.ad.text_items())
        submitters.append(
            {
                "name": wanted.name,
                "idle": core.idle.count(wanted.name),
                "running": wanted.running,
                "job_prio": wanted.job_prio,
                "idle_weight": wanted.idle_weight,
                "running_weight": wanted.running_weight,
                "requests": [[request.autocluster, list(request.jobs)] for request in wanted.requests],
            }
        )
    return {"op": "demand", "submitters": submitters, "ads": ads, "promises": promises(core)}


def promises_of(message: Mapping[str, Any]) -> list[Promise]:
    """What a demand says is promised already."""
    return [
        Promise(submitter, slot, tuple(victims), weight, tuple((name, amount) for name, amount in amounts))
        for submitter, slot, victims, weight, amounts in message.get("promises", ())
    ]


def plan_message(
    plan: Plan, match_exprs: Iterable[tuple[str, str]] = (), inform_startd: bool = False
) -> dict[str, Any]:
    """A plan as JSON, with the attributes that NEGOTIATOR_MATCH_EXPRS gives the ads of matched jobs, and whether the
    startd is to hear of matches (NEGOTIATOR_INFORM_STARTD)."""
    return {
        "op": "plan",
        "match_exprs": dict(match_exprs),
        "inform_startd": inform_startd,
        "matches": [
            [
                match.job,
                match.submitter,
                match.slot,
                match.weight,
                int(match.preemption),
                match.victims,
                match.group,
                match.autoregroup,
                match.own_group,
            ]
            for match in plan.matches
        ],
        "rejections": [[r.job, r.submitter, r.autocluster, r.reason, r.fault] for r in plan.rejections],
    }


def plan_of(message: Mapping[str, Any]) -> Plan:
    """The plan of a message."""
    matches = tuple(
        Match(JobId(*job), submitter, slot, weight, Preemption(preemption), tuple(victims), *groups)
        for job, submitter, slot, weight, preemption, victims, *groups in message["matches"]
    )
    rejections = tuple(
        Rejection(JobId(*job), submitter, autocluster, reason, fault)
        for job, submitter, autocluster, reason, fault in message["rejections"]
    )
    return Plan(matches, rejections)

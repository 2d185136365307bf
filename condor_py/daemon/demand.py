"""What the schedd and the negotiator tell each other, as JSON: demand one way, the plan the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from condor_py.model.ids import JobId
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.schedd.core import Schedd

#: Jobs of one submitter that one cycle gets to see; the rest waits for the next.
JOBS_A_CYCLE = 2000


def demand_message(core: Schedd, sent: set[int]) -> dict[str, Any]:
    """The demand of every submitter with idle jobs or claims. ``sent`` has the autoclusters whose ad the negotiator
    knows.
    """
    running: dict[str, list[float]] = {}
    for claim in core.claims.values():
        totals = running.setdefault(claim.info.submitter, [0, 0.0])
        totals[0] += 1
        totals[1] += claim.weight
    ads: dict[str, Mapping[str, str]] = {}
    submitters = []
    for name in sorted({*core.idle.submitters(), *running}):
        requests = []
        for group in core.idle.requests(name, JOBS_A_CYCLE):
            requests.append([group.autocluster, group.jobs])
            if group.autocluster not in sent:
                sent.add(group.autocluster)
                ads[str(group.autocluster)] = dict(core.autoclusters.representative(group.autocluster).text_items())
        count, weight = running.get(name, (0, 0.0))
        submitters.append(
            {
                "name": name,
                "idle": core.idle.count(name),
                "running": count,
                "idle_weight": core.idle.weight(name),
                "running_weight": weight,
                "requests": requests,
            }
        )
    return {"op": "demand", "submitters": submitters, "ads": ads}


def plan_message(plan: Plan) -> dict[str, Any]:
    """A plan as JSON."""
    return {
        "op": "plan",
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
            ]
            for match in plan.matches
        ],
        "rejections": [[r.job, r.submitter, r.autocluster, r.reason] for r in plan.rejections],
    }


def plan_of(message: Mapping[str, Any]) -> Plan:
    """The plan of a message."""
    matches = tuple(
        Match(JobId(*job), submitter, slot, weight, Preemption(preemption), tuple(victims), group, autoregroup)
        for job, submitter, slot, weight, preemption, victims, group, autoregroup in message["matches"]
    )
    rejections = tuple(
        Rejection(JobId(*job), submitter, autocluster, reason)
        for job, submitter, autocluster, reason in message["rejections"]
    )
    return Plan(matches, rejections)

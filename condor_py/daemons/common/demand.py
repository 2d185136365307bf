"""Messages between the schedd and the negotiator: demand one way, the plan the other, and their conversion from and to
the types of the cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from condor_py.core.match.snapshot import Promise, Request, SubmitterDemand
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages import kinds
from condor_py.model.messages.codec import BadMessage, fields_of, read
from condor_py.model.messages.cycles import Demand, PlanMade, SubmitterWants
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.model.submitters import shown

if TYPE_CHECKING:
    from condor_py.core.jobs.core import Schedd

#: Receives what is left out of a message, and why, for the log.
Say = Callable[[str], object]


def demand_message(core: Schedd, sent: set[int]) -> Demand:
    """The demand of every submitter with idle jobs or claims. ``sent`` has the autoclusters whose ad the negotiator
    knows.
    """
    from condor_py.core.jobs.demand import (
        demand,
        elsewhere,
        promises,
        running_gangs,
    )  # the negotiator does without that room

    ads: dict[str, Mapping[str, str]] = {}
    submitters = []
    for wanted in demand(core.state):
        for request in [part for whole in wanted.requests for part in whole.parts]:
            if request.autocluster not in sent:
                sent.add(request.autocluster)
                ads[str(request.autocluster)] = dict(request.ad.text_items())
        submitters.append(
            SubmitterWants(
                name=wanted.name,
                idle=core.idle.count(wanted.name),
                running=wanted.running,
                job_prio=wanted.job_prio,
                idle_weight=wanted.idle_weight,
                running_weight=wanted.running_weight,
                requests=list(map(_request_fields, wanted.requests)),
            )
        )
    used = [[name, weight] for name, weight in elsewhere(core.state).items()]
    return Demand(list(map(fields_of, submitters)), ads, promises(core.state), used, running_gangs(core.state))


def _request_fields(request: Request) -> list[Any]:
    """A request as it is sent; that of a parallel job with its other parts, and whether it wants one group of slots."""
    fields = [request.autocluster, list(request.jobs)]
    if request.others is None:
        return fields
    return [*fields, [[part.autocluster, list(part.jobs)] for part in request.others], request.one_group]


def _request(fields: Sequence[Any], job_ads: Mapping[int, ClassAd]) -> Request:
    """Read what ``_request_fields`` made."""
    number, jobs, *together = fields
    ids, ad = [JobId(*job) for job in jobs], job_ads[number]
    if not together:
        return Request(number, ids, ad)
    others, one_group = together
    return Request(number, ids, ad, tuple(_request(part, job_ads) for part in others), bool(one_group))


def job_ads_of(demand: Demand, say: Say) -> dict[int, ClassAd]:
    """The ads of a demand, by autocluster, without those that cannot be understood; ``say`` receives a line about
    each."""
    found: dict[int, ClassAd] = {}
    for number, items in demand.ads.items():
        with _left_out(f"the ad of autocluster {number}", say):
            found[int(number)] = ClassAd.from_text_items(items.items())
    return found


def wants_slots(demand: Demand) -> bool:
    """Whether anything waits for a slot: a job, or a match for others to give way. What cannot be read may."""
    return bool(demand.promises) or any(
        not isinstance(item, dict) or item.get("requests") for item in demand.submitters
    )


def submitters_of(demand: Demand, job_ads: Mapping[int, ClassAd], schedd: str, say: Say) -> list[SubmitterDemand]:
    """Read the submitters of a demand. One that cannot be understood is left out, and ``say`` is called about it."""
    found: list[SubmitterDemand] = []
    for item in demand.submitters:
        with _left_out(f"submitter {_name_of(item)}", say):
            found.append(_submitter(read(SubmitterWants, item), job_ads, schedd))
    return found


def _name_of(item: Any) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return shown(name) if isinstance(name, str) else "without a name"


def _submitter(wants: SubmitterWants, job_ads: Mapping[int, ClassAd], schedd: str) -> SubmitterDemand:
    return SubmitterDemand(
        name=wants.name,
        requests=[_request(fields, job_ads) for fields in wants.requests],
        running_weight=wants.running_weight,
        idle_weight=wants.idle_weight,
        running=wants.running,
        job_prio=wants.job_prio,
        schedd=schedd,
    )


def promises_of(demand: Demand, say: Say) -> list[Promise]:
    """Read the promises of a demand. One that cannot be understood is left out, and ``say`` is called about it."""
    found: list[Promise] = []
    for promise in demand.promises:
        with _left_out("a promise", say):
            submitter, slot, victims, weight, amounts = promise
            numbers = tuple([(name, kinds.number(amount)) for name, amount in amounts])
            found.append(Promise(submitter, slot, tuple(victims), kinds.number(weight), numbers))
    return found


def elsewhere_of(demand: Demand, say: Say) -> dict[str, float]:
    """Read the slot weight that submitters use outside of the pool out of a demand. An entry that cannot be understood
    is left out, and ``say`` is called with a line about it."""
    found: dict[str, float] = {}
    for entry in demand.elsewhere:
        with _left_out("what a submitter uses elsewhere", say):
            name, weight = entry
            found[str(name)] = round(max(0.0, kinds.number(weight)), 6)
    return found


def gangs_of(demand: Demand, say: Say) -> list[tuple[str, ...]]:
    """Read the names of the slots of running parallel jobs out of a demand, as ``promises_of`` does."""
    found: list[tuple[str, ...]] = []
    for names in demand.gangs:
        with _left_out("a parallel job that runs", say):
            found.append(tuple([str(name) for name in names]))
    return found


@contextmanager
def _left_out(what: str, say: Say) -> Iterator[None]:
    """Leave out one part of a message that is not as it should be: it must not take the others with it."""
    try:
        yield
    except (AttributeError, BadMessage, KeyError, TypeError, ValueError, kinds.WrongValue) as error:
        say(f"{what} is left out of this cycle: {error if isinstance(error, CondorError) else type(error).__name__}")


@contextmanager
def _understood(what: str) -> Iterator[None]:
    """BadMessage for what is inside of a field and is not as it should be."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadMessage(f"{what} cannot be understood ({type(error).__name__})") from None


def plan_message(plan: Plan, match_exprs: Iterable[tuple[str, str]] = (), inform_startd: bool = False) -> PlanMade:
    """A plan, with the attributes that NEGOTIATOR_MATCH_EXPRS gives the ads of matched jobs, and whether the startd is
    to be informed of matches (NEGOTIATOR_INFORM_STARTD)."""
    return PlanMade(
        match_exprs=dict(match_exprs),
        inform_startd=inform_startd,
        matches=[
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
        reserved=plan.reserved,
        rejections=[[r.job, r.submitter, r.autocluster, r.reason, r.fault] for r in plan.rejections],
    )


def plan_of(message: PlanMade) -> Plan:
    """The plan of a message. BadMessage."""
    with _understood("plan"):
        matches = tuple(
            Match(JobId(*job), submitter, slot, weight, Preemption(preemption), tuple(victims), *groups)
            for job, submitter, slot, weight, preemption, victims, *groups in message.matches
        )
        rejections = tuple(
            Rejection(JobId(*job), submitter, autocluster, reason, fault)
            for job, submitter, autocluster, reason, fault in message.rejections
        )
    return Plan(matches, rejections, reserved=message.reserved)

"""The schedd's demand in a negotiation cycle: its submitters, their idle jobs in order, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from condor_py.core.jobs import gangs, ocu
from condor_py.core.jobs.index import OrderKey
from condor_py.core.jobs.jobad import cpus_wanted, submitter_of
from condor_py.core.jobs.quotas import Room
from condor_py.core.jobs.state import ScheddState
from condor_py.core.match.snapshot import Promise, Request, SubmitterDemand
from condor_py.lang.classad import ClassAd
from condor_py.model.states import JobStatus

#: Jobs of one kind (autocluster) of a submitter that one cycle gets to see; the rest waits for the next.
JOBS_A_CYCLE = 2000


def demand(core: ScheddState, schedd: str = "local", limit: int = JOBS_A_CYCLE) -> list[SubmitterDemand]:
    """The demand of every submitter with idle jobs or claims, by name. ``schedd`` is the address for the log."""
    running: dict[str, tuple[int, float]] = {}
    for claim in core.claims.values():
        if not claim.info.submitter:
            continue  # the schedd's own claims are no submitter's share
        count, weight = running.get(claim.info.submitter, (0, 0.0))
        running[claim.info.submitter] = count + 1, weight + claim.weight
    result = []
    units = ocu.waiting(core)
    room = Room(core.quotas, core.claims, core.jobs)
    together = _parallel(core, room)
    for name in sorted({*core.idle.submitters(), *running, *units, *together}):
        count, weight = running.get(name, (0, 0.0))
        requests = []
        for group in core.idle.requests(name, limit):
            ad = core.autoclusters.representative(group.autocluster)
            if count_now := room.take(ad, len(group.jobs)):
                requests.append(Request(group.autocluster, group.jobs[:count_now], ad))
        if name in together:
            requests = _in_order(core, requests, together[name])
        for unit in units.get(name, ()):
            number = core.autoclusters.number(unit.ad)
            requests.insert(0, Request(number, (unit.asker,), core.autoclusters.representative(number)))
        result.append(
            SubmitterDemand(
                name,
                requests,
                running_weight=weight,
                idle_weight=core.idle.weight(name) + sum(gang.cpus for gang in together.get(name, ())),
                running=count,
                schedd=schedd,
                job_prio=_best_prio(core, requests),
            )
        )
    return result


def _parallel(core: ScheddState, room: Room) -> dict[str, list[gangs.Waiting]]:
    """The parallel jobs that wait and may start, by submitter."""
    found: dict[str, list[gangs.Waiting]] = {}
    first = gangs.spoolers(core)
    for gang in gangs.waiting(core):
        if gang.cluster < first.get(gang.submitter, gang.cluster + 1) and room.take(gang.request.ad, 1):
            found.setdefault(gang.submitter, []).append(gang)
    return found


def _in_order(core: ScheddState, requests: list[Request], together: list[gangs.Waiting]) -> list[Request]:
    """The requests of a submitter with those of its parallel jobs, in the order of the jobs."""
    places: list[tuple[OrderKey, Request]] = [(gang.order, gang.request) for gang in together]
    for request in requests:
        entry = core.idle.get(request.jobs[0])
        assert entry is not None, "it was idle a moment ago"
        places.append(((entry.prios, request.jobs[0]), request))
    return [request for _, request in sorted(places, key=itemgetter(0))]


def _best_prio(core: ScheddState, requests: list[Request]) -> int:
    """The best JobPrio of the idle jobs (USE_GLOBAL_JOB_PRIOS)."""
    entries = [core.idle.get(request.jobs[0]) for request in requests if request.jobs]
    return max((-entry.prios[2] for entry in entries if entry is not None), default=0)


def elsewhere(core: ScheddState) -> dict[str, float]:
    """Usage of each submitter's jobs outside of this pool, in the weight of slots here (REMOTE_USAGE_WEIGHT)."""
    weight = core.settings.remote_usage_weight
    found: dict[str, float] = {}
    for job in core.grid.jobs if weight > 0 else ():
        ad = core.jobs.job(job) if core.known[job].status == JobStatus.RUNNING else None
        if ad is not None:
            name = submitter_of(ad, core.settings.submitter_domain)
            found[name] = found.get(name, 0.0) + weight * cpus_wanted(ad)
    return found


def promises(core: ScheddState) -> list[Promise]:
    """Matches whose slots are not free yet, because the jobs that hold them are leaving."""
    found = []
    for request_id, match in core.claims.yielding.items():
        asked = request_id in core.claims.asked
        ad = (core.jobs.job(match.job) or gangs.request_ad(core, match.job)) if asked else None
        if ad is not None:
            amounts = [(name[len("Request") :], ad.eval_real(name, 0.0)) for name in _requests(ad)]
            found.append(Promise(match.submitter, match.slot, match.victims, match.weight, tuple(amounts)))
    return found


def running_gangs(core: ScheddState) -> list[tuple[str, ...]]:
    """The names of the slots of each parallel job that runs and could make room for another."""
    return [
        tuple(core.claims[node.claim_id].info.slot for node in gang.left if node.claim_id in core.claims)
        for gang in core.gangs.each()
        if gang.runs and not gang.dissolves
    ]


def _requests(ad: ClassAd) -> Iterator[str]:
    """The attributes by which a job asks for resources."""
    for name, _ in ad.text_items():
        if name.startswith("Request"):
            yield name

"""Parallel jobs that wait: which of them can be matched, their requests for slots, and the ads of their nodes. Pure.

The procs of a cluster are one parallel job (universe parallel, or WantParallelScheduling): each asks for as many slots
as its MaxHosts (machine_count) says, all of them are numbered through as nodes, and all start together or none does.
``gangruns`` has what follows a match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.jobs.actions import hold_records, rejection_records
from condor_py.core.jobs.index import OrderKey, prios_of
from condor_py.core.jobs.jobad import MOST_NODES, cpus_wanted, hosts_of, is_away, status_of, submitter_of
from condor_py.core.jobs.parts import Gang, Node, members
from condor_py.core.jobs.spooled import awaits_input
from condor_py.core.match.snapshot import Request
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import PARALLEL_NODE, JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Parallel jobs of a submitter that one cycle gets to see.
_A_CYCLE = 1000


class Waiting(NamedTuple):
    """A parallel job that can be matched: its place among the jobs of its submitter, its request, and the cpus that all
    nodes ask for."""

    submitter: str
    order: OrderKey
    request: Request
    cpus: float

    @property
    def cluster(self) -> int:
        """Its cluster."""
        return self.request.jobs[0].cluster


def _is_ready(core: ScheddState, job: JobId, ad: ClassAd) -> bool:
    return (
        status_of(ad) == JobStatus.IDLE
        and job in core.known
        and job not in core.waiting.cooling
        and job not in core.reach.orphans
        and not is_away(ad)
    )


def formed(core: ScheddState, cluster: int) -> Gang | None:
    """The nodes of a parallel job that waits; None where one of its procs is not idle."""
    procs = members(core.jobs, cluster)
    if not procs or not all(_is_ready(core, job, ad) for job, ad in procs):
        return None
    nodes: list[Node] = []
    for job, ad in procs:
        nodes += (Node(number, job) for number in range(len(nodes), len(nodes) + max(0, hosts_of(ad))))
    return Gang(procs[0][0], nodes) if 0 < len(nodes) <= MOST_NODES else None


def waiting(core: ScheddState) -> Iterator[Waiting]:
    """The parallel jobs to be matched."""
    found: Counter[str] = Counter()
    for cluster in core.gangs.waiting:
        lead = core.jobs.job(JobId(cluster, 0)) if core.gangs.of(cluster) is None else None
        if lead is None or status_of(lead) != JobStatus.IDLE:
            continue
        if (gang := formed(core, cluster)) is not None:
            asked = _asked(core, gang, lead)
            found[asked.submitter] += 1
            if found[asked.submitter] <= _A_CYCLE:
                yield asked


def spoolers(core: ScheddState) -> dict[str, int]:
    """The cluster of each submitter's first parallel job that is held until its files are in the spool, if later ones
    wait for it (DEDICATED_SCHEDULER_WAIT_FOR_SPOOLER)."""
    found: dict[str, int] = {}
    for cluster in sorted(core.gangs.spooling, reverse=True) if core.settings.wait_for_spooler else ():
        lead = core.jobs.job(JobId(cluster, 0))
        if lead is None or not awaits_input(lead):
            core.gangs.spooled(cluster)
        else:
            found[submitter_of(lead, core.settings.submitter_domain)] = cluster
    return found


def tell_held_back(core: ScheddState) -> None:
    """Tell the parallel jobs that wait for one whose files are not in the spool yet: no cycle gets to see them."""
    first = spoolers(core)
    for one in waiting(core) if first else ():
        cluster, job = first.get(one.submitter, one.cluster), JobId(one.cluster, 0)
        ad = core.jobs.job(job)
        if cluster < one.cluster and ad is not None:
            reason = f"the nodes of the parallel job {cluster} get their slots first, when its files are in the spool"
            core.out.apply(ad, rejection_records(job, ad, reason, core.now))


def _asked(core: ScheddState, gang: Gang, lead: ClassAd) -> Waiting:
    parts: dict[JobId, list[JobId]] = {}
    for node in gang.nodes:
        parts.setdefault(node.job, []).append(node.asker)
    requests, cpus = [], 0.0
    for job, askers in parts.items():
        ad = core.jobs.job(job)
        assert ad is not None, "it was there a moment ago"
        number = core.autoclusters.number(ad)
        requests.append(Request(number, tuple(askers), core.autoclusters.representative(number)))
        cpus += len(askers) * cpus_wanted(ad)
    first, *others = requests
    one_group = lead.eval_bool("WantParallelSchedulingGroups", False) is True
    request = Request(first.autocluster, first.jobs, first.ad, tuple(others), one_group)
    submitter = submitter_of(lead, core.settings.submitter_domain)
    return Waiting(submitter, (prios_of(lead), gang.lead), request, cpus)


def held_as(core: ScheddState, job: JobId, ad: ClassAd, other: ClassAd) -> list[Change]:
    """Records that hold a proc as another one of its parallel job is held."""
    code, subcode = (other.eval_int(name, 0) for name in ("HoldReasonCode", "HoldReasonSubCode"))
    return hold_records(job, ad, code, subcode, other.eval_str("HoldReason", ""), core.now)


# -- the ads of nodes ---------------------------------------------------------------------------------------------


def request_ad(core: ScheddState, asker: JobId) -> ClassAd | None:
    """Ad that the startd gets with the request for the slot of a node."""
    node = core.gangs.of_asker(asker)
    return None if node is None else core.jobs.job(node.job)


def node_ad(core: ScheddState, claim_id: str) -> ClassAd | None:
    """Ad of the node that has a claim: that of its proc, with its number for ``$(Node)``. None for other claims."""
    node = core.gangs.of_claim(claim_id)
    ad = None if node is None else core.jobs.job(node.job)
    gang = None if node is None else core.gangs.of(node.job.cluster)
    if node is None or ad is None or gang is None:
        return None
    own = ad.flat_copy()
    for name, text in list(own.text_items()):
        if PARALLEL_NODE in text:
            own.set_text(name, text.replace(PARALLEL_NODE, str(node.number)))
    own.set_int("Node", node.number)
    own.set_int("CurrentHosts", len(gang.nodes))
    own.set_str("ClaimId", claim_id)
    claim = core.claims.get(claim_id)
    if claim is not None:
        own.set_str("RemoteHost", claim.info.slot)
    return own

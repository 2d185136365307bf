"""Parallel jobs from their match to their end: all nodes start together, and end together. Pure.

A match is for all nodes. Each asks the startd for its slot; when one of them is refused, all slots go back, so that no
two jobs ever hold half of what each needs. The job runs as proc 0, on the slot of node 0, and the run of that node is
the run of the job. The end of node 0 ends the job; with the ParallelShutdownPolicy WAIT_FOR_ALL the end of the last
node does. The reports of all nodes are acknowledged only then: a schedd that dies before gets them again. Another node
that is lost ends nothing, as in HTCondor; one that asks for a hold has the job held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import begun, dissolving, finish, gangs, jobevents, moves, policing
from condor_py.core.jobs.actions import set_string, set_text
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.jobad import is_gang, submitter_of, was_executed
from condor_py.core.jobs.lifecycle import given_by, machine_records, start_records
from condor_py.core.jobs.parts import Claim, ClaimInfo, Gang, Node, Run, members
from condor_py.core.jobs.quotas import holders_of, may_start
from condor_py.core.jobs.starting import next_run
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge, Activate, ClaimLost, RequestClaim
from condor_py.model.messages.runs import RunEnded, RunStarted
from condor_py.model.plan import Match
from condor_py.model.report import ExitReport
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


# -- from the match to the start ----------------------------------------------------------------------------------


def ask(core: ScheddState, cluster: int, matches: Sequence[Match]) -> None:
    """Ask the startd for the slots of all nodes, unless the job is not to be had any more."""
    gang = gangs.formed(core, cluster) if core.gangs.of(cluster) is None else None
    by_asker = {match.job: match for match in matches}
    if gang is None or by_asker.keys() != {node.asker for node in gang.nodes}:
        return
    if len(core.runs) + len(core.claims.asked) + len(gang.nodes) > core.settings.max_jobs_running:
        return
    core.gangs.form(gang)
    for node in gang.nodes:
        match = by_asker[node.asker]
        groups = match.group, match.autoregroup, match.own_group
        request_id = core.claims.ask(node.asker, match if match.victims else None)
        core.out.emit(RequestClaim(request_id, match.slot, node.asker, match.submitter, match.victims, False, groups))


def granted(core: ScheddState, asker: JobId, claim: Claim) -> bool:
    """Whether a claim was asked for by a node, which has it now; with the last one the job starts."""
    node = core.gangs.of_asker(asker)
    gang = core.gangs.of(asker.cluster)
    if node is None or gang is None:
        return False
    core.gangs.claim(node, claim.info.claim_id)
    claim.reserve(gang.lead)
    if all(each.claim_id for each in gang.nodes):
        _start(core, gang)
    return True


def refused(core: ScheddState, asker: JobId, reason: str) -> None:
    """A node gets no slot: the job waits again, with none."""
    lead = JobId(asker.cluster, 0)
    core.out.emit(Note(f"claim for a node of the parallel job {lead} refused: {reason}"))
    core.withdraw(lead)
    core.agenda.want_cycle()


def _start(core: ScheddState, gang: Gang) -> None:
    """Commit the job to its claims; the activations leave after the commit. A ``$$()`` that fails holds the job."""
    lead = core.jobs.job(gang.lead)
    assert lead is not None, "requests for jobs that wait no more are withdrawn"
    first = core.claims[gang.nodes[0].claim_id]
    submitter = submitter_of(lead, core.settings.submitter_domain)
    if not may_start(core.quotas, core.claims, lead):
        core.withdraw(gang.lead)
        return
    for job, nodes in _by_proc(gang).items():
        ad = core.jobs.job(job)
        slot = core.claims[nodes[0].claim_id].info.slot_ad
        if ad is None or (core.autoclusters.has_dollars(ad) and not policing.expanded(core, job, ad, slot)):
            core.withdraw(gang.lead)
            return
    for job, nodes in _by_proc(gang).items():
        _commit(core, gang, job, nodes)
    gang.runs = True
    core.gangs.forget(gang.lead.cluster)
    first.free()
    core.record_run("SPAWN", gang.lead, lead, core.spawn_names)
    core.pace.started(lead, submitter, core.settings, core.now)
    run = Run(gang.lead, first.info.claim_id, gang.nodes[0].run, submitter, holders=holders_of(lead))
    core.claims.begin(first, run)
    core.counters.began(core.now, max(0, core.now - lead.eval_int("QDate", core.now)), len(core.runs))
    for node in gang.nodes:
        core.out.emit(Activate(node.claim_id, node.job, node.run, ()))


def _by_proc(gang: Gang) -> dict[JobId, list[Node]]:
    found: dict[JobId, list[Node]] = {}
    for node in gang.nodes:
        found.setdefault(node.job, []).append(node)
    return found


def _slots(core: ScheddState, gang: Gang) -> Iterable[str]:
    """Return the names of the slots of all nodes, each once, in the order of the nodes."""
    return dict.fromkeys(core.claims[node.claim_id].info.slot for node in gang.nodes)


def _commit(core: ScheddState, gang: Gang, job: JobId, nodes: Sequence[Node]) -> None:
    """Write that a proc runs on the claims of its nodes."""
    ad = core.jobs.job(job)
    assert ad is not None
    claims = [core.claims[node.claim_id] for node in nodes]
    info, number = claims[0].info, next_run(ad)
    for node, claim in zip(nodes, claims, strict=True):
        node.run = number
        claim.take_job(ad)
    given = given_by(info.slot_ad)
    changes = list(start_records(job, ad, info, given, number, core.settings.schedd_address, core.now))
    moves.move(core, job, ad, JobStatus.RUNNING, changes)
    more = [
        set_text(job, "CurrentHosts", str(len(gang.nodes))),
        set_string(job, "ClaimIds", ",".join(node.claim_id for node in nodes)),
        set_string(job, "RemoteHosts", ",".join(claim.info.slot for claim in claims)),
        set_string(job, "AllRemoteHosts", ",".join(_slots(core, gang))),
    ]
    core.out.apply(ad, more)
    names, length = core.settings.job_machine_attrs, core.settings.job_machine_attrs_history_length
    core.out.apply(ad, machine_records(job, ad, info.slot_ad, names, length))


# -- while it runs ------------------------------------------------------------------------------------------------


def started(core: ScheddState, event: RunStarted) -> None:
    """The program of a run, or of a node, was executed."""
    node = core.gangs.of_claim(event.claim)
    gang = None if node is None else core.gangs.of(node.job.cluster)
    if node is None or gang is None or not gang.runs:
        begun.started(core, event)
    elif event.run == node.run and not node.begun:
        _node_started(core, gang, node, event)


def _node_started(core: ScheddState, gang: Gang, node: Node, event: RunStarted) -> None:
    """Event 014, and with the last node event 001."""
    lead = core.jobs.job(gang.lead)
    if lead is None:
        return
    node.begin()
    info = core.claims[event.claim].info
    if node.number == 0:
        begun.started(core, event, is_node=True)
    jobevents.node_executing(core, gang.lead, node.number, lead, info.slot, info.slot_ad, event.scratch, event.when)
    if all(each.begun or each.over for each in gang.nodes):
        dissolving.tell_begun(core, gang, event.when)


# -- its end ------------------------------------------------------------------------------------------------------


def ended(core: ScheddState, event: RunEnded) -> None:
    """Take the report of a run, or of a node."""
    node = core.gangs.of_claim(event.report.claim_id)
    gang = None if node is None else core.gangs.of(node.job.cluster)
    if node is None or gang is None or not gang.runs:
        finish.run_ended(core, event)
        return
    report = event.report
    if report.run != node.run or node.over:
        if node.number and not any(one.claim_id == report.claim_id and one.run == report.run for one in gang.reports):
            core.out.emit(Acknowledge(report.claim_id, report.job, report.run))
        return
    if report.pid and report.exec_time:
        transfer = report.input_transfer
        started(core, RunStarted(report.claim_id, node.job, node.run, report.pid, report.exec_time, "", transfer))
    node.end()
    lead = core.jobs.job(gang.lead)
    if lead is not None and dissolving.exited(report):
        _node_ended(core, gang, node, lead, report)
    if node.number == 0:
        gang.last = event
    else:
        gang.reports.append(report)
        if report.hold_code and gang.fault is None:
            gang.fault = report
    dissolving.settle(core, gang)


def _node_ended(core: ScheddState, gang: Gang, node: Node, lead: ClassAd, report: ExitReport) -> None:
    """Event 015, once: EndedNodes has the nodes that the log already tells of when a report comes again."""
    told = lead.eval_str("EndedNodes", "")
    if str(node.number) not in told.split(","):
        jobevents.node_terminated(core, gang.lead, node.number, lead, report)
        number = str(node.number)
        core.out.apply(lead, [set_string(gang.lead, "EndedNodes", f"{told},{number}" if told else number)])


def lost(core: ScheddState, event: ClaimLost, node: Node) -> None:
    """The slot of a node is gone, with what ran there."""
    gang = core.gangs.of(node.job.cluster)
    if gang is None:
        return
    if not gang.runs:
        core.claims.drop(event.claim)
        refused(core, node.asker, event.reason)
        return
    core.out.emit(Note(f"node {node.number} of the parallel job {gang.lead} is lost: {event.reason}"))
    node.end()
    if node.number:
        core.claims.drop(event.claim)
    else:  # its run has it until all nodes are over
        gang.lost = (event.code, event.reason)
    dissolving.settle(core, gang)


# -- the startd is lost and found again ---------------------------------------------------------------------------


def out_of_reach(core: ScheddState) -> None:
    """The startd is out of reach: what runs of the parallel jobs is found again by their ads."""
    for gang in core.gangs.each():
        core.gangs.drop(gang.lead.cluster)
        for job, ad in core.jobs.procs_of(gang.lead.cluster) if gang.runs else ():
            if job != gang.lead and core.live(ad):
                core.reach.orphan(job, told=True)


def adopt(core: ScheddState, infos: Sequence[ClaimInfo]) -> tuple[list[Gang], list[ClaimInfo]]:
    """Take the claims of parallel jobs back: these jobs, and the other claims."""
    by_claim = {info.claim_id: info for info in infos}
    found = []
    for lead in sorted(job for job in core.reach.orphans if job.proc == 0):
        ad = core.jobs.job(lead)
        gang = _found(core, lead) if ad is not None and is_gang(ad) else None
        if ad is not None and gang is not None and gang.nodes[0].claim_id in by_claim:
            _adopt(core, gang, ad, by_claim)
            found.append(gang)
    return found, list(by_claim.values())


def _found(core: ScheddState, lead: JobId) -> Gang | None:
    """A parallel job that runs, as the ads of its procs tell it."""
    nodes: list[Node] = []
    for job, ad in members(core.jobs, lead.cluster):
        ids = [claim_id for claim_id in ad.eval_str("ClaimIds", "").split(",") if claim_id]
        run = ad.eval_int("NumShadowStarts", 0)
        nodes += [Node(number, job, claim_id, run) for number, claim_id in enumerate(ids, len(nodes))]
    return Gang(lead, nodes, runs=True) if nodes and nodes[0].job == lead else None


def _adopt(core: ScheddState, gang: Gang, ad: ClassAd, by_claim: dict[str, ClaimInfo]) -> None:
    executed = was_executed(ad)
    for node in gang.nodes:
        info = by_claim.pop(node.claim_id, None)
        node.begun = executed
        if info is None or (node.number and not info.job):
            node.end()
        if info is not None:
            claim = core.claims.take(info, core.now, used=True)
            claim.take_back(ad)
            if node.number:
                claim.reserve(gang.lead)
    core.gangs.form(gang)
    first = core.claims[gang.nodes[0].claim_id]
    run = Run(gang.lead, first.info.claim_id, gang.nodes[0].run, first.info.submitter, holders=holders_of(ad))
    if executed:
        run.begin()
    core.claims.begin(first, run)
    gang.told = executed and not core.reach.is_unlogged(gang.lead)
    if executed:
        dissolving.tell_begun(core, gang, core.now)

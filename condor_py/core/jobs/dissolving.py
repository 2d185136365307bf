"""The end of parallel jobs: the nodes that are left are ended, and all procs of the cluster end as one job. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from condor_py.core.jobs import finish, gangs, jobevents, moves
from condor_py.core.jobs.actions import remove_records, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.lifecycle import cleanup_records, exit_records
from condor_py.core.jobs.parts import Gang, Node
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge, Deactivate
from condor_py.model.report import ExitReport, Usage, sum_of_protocols
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: The value of ParallelShutdownPolicy that has the job wait for all nodes.
_WAIT_FOR_ALL = "WAIT_FOR_ALL"
_ENDED = "The parallel job has ended"


def exited(report: ExitReport) -> bool:
    """Whether a program ended by itself."""
    by_itself = report.exit_code is not None or report.exit_signal is not None
    return by_itself and not (report.vacated or report.error or report.hold_code)


def tell_begun(core: ScheddState, gang: Gang, when: float) -> None:
    """Write event 001, once."""
    lead, claim = core.jobs.job(gang.lead), core.claims.get(gang.nodes[0].claim_id)
    if not gang.told and lead is not None and claim is not None:
        gang.told = True
        jobevents.executing(core, gang.lead, lead, claim.info.slot, claim.info.slot_ad, "", when)


def settle(core: ScheddState, gang: Gang) -> None:
    """End the nodes that the job does not wait for, and the job when all are over."""
    left = gang.left
    if not left:
        _finish(core, gang)
    elif not gang.dissolves and _is_at_its_end(core, gang):
        gang.dissolves = True
        for node in left:
            core.out.emit(Deactivate(node.claim_id, False, int(VacateCode.CLAIM_DEACTIVATED), _ENDED))


def _is_at_its_end(core: ScheddState, gang: Gang) -> bool:
    """Whether the job does not wait for the nodes that are left."""
    if gang.fault is not None:
        return True
    if gang.last is None:
        return gang.lost is not None
    lead = core.jobs.job(gang.lead)
    policy = "" if lead is None else lead.eval_str("ParallelShutdownPolicy", "")
    return policy != _WAIT_FOR_ALL or not exited(gang.last.report)


def _finish(core: ScheddState, gang: Gang) -> None:
    """All nodes are over: the run of the job ends as that of node 0, and the procs go where proc 0 goes."""
    if any(node.begun for node in gang.nodes):
        tell_begun(core, gang, core.now)
    core.gangs.drop(gang.lead.cluster)
    run = core.runs.get(gang.lead)
    if gang.lost is not None:
        core.claims.drop(gang.nodes[0].claim_id)
    acknowledge(core, gang)
    for node in gang.nodes[1:]:
        _give_back(core, node)
    if gang.last is not None:
        report = _with_faults(gang, gang.last.report)
        finish.run_ended(core, gang.last.but(report=report))
        claim = core.claims.get(report.claim_id)
        if claim is not None:  # the next parallel job may be matched with all of them
            core.give_back(claim)
    elif run is not None:
        code, reason = gang.lost or (int(VacateCode.RECONNECT_FAILED), finish.LOST)
        finish.run_lost(core, run, code, reason)
    _take_along(core, gang, gang.last.report if gang.last is not None else None)
    core.agenda.want_cycle()


def acknowledge(core: ScheddState, gang: Gang) -> None:
    """Tell the startd, after the commit, that the reports of the nodes other than 0 have been counted."""
    for report in gang.reports:
        core.out.emit(Acknowledge(report.claim_id, report.job, report.run))


def _give_back(core: ScheddState, node: Node) -> None:
    claim = core.claims.get(node.claim_id)
    if claim is not None:
        claim.free()
        core.give_back(claim)


def _with_faults(gang: Gang, report: ExitReport) -> ExitReport:
    """The report of node 0 with what the other nodes used, and the hold that one of them asked for."""
    usage, others = report.usage, [one.usage for one in gang.reports]
    report = replace(report, usage=_summed(usage, others)) if others else report
    if gang.fault is None or report.hold_code:
        return report
    fault = gang.fault
    return replace(
        report, hold_code=fault.hold_code, hold_subcode=fault.hold_subcode, hold_reason=fault.hold_reason,
        exit_code=None, exit_signal=None,
    )  # fmt: skip


def _summed(first: Usage, others: Iterable[Usage]) -> Usage:
    """CPU and traffic of all nodes together; sizes are those of the largest."""
    total = first
    for one in others:
        total = replace(
            total,
            user_cpu=total.user_cpu + one.user_cpu,
            sys_cpu=total.sys_cpu + one.sys_cpu,
            max_rss_kb=max(total.max_rss_kb, one.max_rss_kb),
            image_kb=max(total.image_kb, one.image_kb),
            disk_kb=max(total.disk_kb, one.disk_kb),
            bytes_sent=total.bytes_sent + one.bytes_sent,
            bytes_received=total.bytes_received + one.bytes_received,
            files_sent=total.files_sent + one.files_sent,
            files_received=total.files_received + one.files_received,
            sent_by_url=sum_of_protocols(total.sent_by_url, one.sent_by_url),
            received_by_url=sum_of_protocols(total.received_by_url, one.received_by_url),
        )
    return total


def _take_along(core: ScheddState, gang: Gang, report: ExitReport | None) -> None:
    """The procs behind proc 0 go where it went: its run is over."""
    ad = core.jobs.job(gang.lead)
    status = status_of(ad) if ad is not None else int(JobStatus.REMOVED)
    for job in dict.fromkeys(node.job for node in gang.nodes if node.job != gang.lead):
        own = core.jobs.job(job)
        if own is not None and own.local_text("ClaimId") is not None:
            _follow(core, job, own, ad, status, report)


def _follow(
    core: ScheddState, job: JobId, ad: ClassAd, lead: ClassAd | None, status: int, report: ExitReport | None
) -> None:
    core.reach.forget(job)
    core.out.apply(ad, cleanup_records(job, ad, ad.eval_str("ClaimId", ""), 1.0, core.now))
    if not core.live(ad):  # its user has held or removed it
        finish.after_stop(core, job, ad)
    elif status == JobStatus.COMPLETED:
        if report is not None:
            core.out.apply(ad, exit_records(job, ad, report))
        moves.move(core, job, ad, JobStatus.COMPLETED)
        core.out.apply(ad, [set_text(job, "CompletionDate", str(core.now))])
        finish.leave_when_allowed(core, job)
    elif status == JobStatus.HELD and lead is not None:
        moves.move(core, job, ad, JobStatus.HELD, gangs.held_as(core, job, ad, lead))
        finish.held_event(core, job, ad)
    elif status == JobStatus.REMOVED:
        reason = "" if lead is None else lead.eval_str("RemoveReason", "")
        moves.move(core, job, ad, JobStatus.REMOVED, remove_records(job, ad, reason, core.now))
        finish.removed(core, job, ad)
    else:
        moves.to_idle(core, job, ad)


def abandon(core: ScheddState, gang: Gang) -> None:
    """A job that cannot be handled is given up: its nodes are killed, and their slots go back."""
    core.gangs.drop(gang.lead.cluster)
    for node in gang.nodes:
        core.out.emit(Deactivate(node.claim_id, False, int(VacateCode.REMOVED), "The job cannot be handled"))
    acknowledge(core, gang)
    core.claims.end(gang.lead)
    for node in gang.nodes:
        _give_back(core, node)
    _take_along(core, gang, None)

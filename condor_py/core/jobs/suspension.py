"""Jobs that are stopped for a while and go on, and the marks that condor_suspend, condor_continue and condor_vacate
leave in running jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents, moves
from condor_py.core.jobs.actions import delete, plus, set_text
from condor_py.core.jobs.jobad import is_gang, status_of
from condor_py.core.jobs.parts import Run
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import ContinueClaim, SuspendClaim
from condor_py.model.messages.runs import RunSuspended
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def reported(core: ScheddState, event: RunSuspended) -> None:
    """Handle a suspension by the startd's policy; one on our command is known already."""
    ad = core.jobs.job(event.job)
    if ad is None or core.run_of(event.job, event.claim, event.run) is None:
        return
    suspended, status = event.processes is not None, status_of(ad)
    if suspended and status in (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT):
        mark(core, event.job, ad, True, event.processes or 0)
    elif not suspended and status == JobStatus.SUSPENDED:
        mark(core, event.job, ad, False)


def mark(core: ScheddState, job: JobId, ad: ClassAd, suspended: bool, processes: int = 0) -> None:
    """Writes that a job with so many processes is suspended, or continues; events 010 and 011."""
    before = JobStatus.TRANSFERRING_OUTPUT if ad.eval_bool("TransferringOutput", False) else JobStatus.RUNNING
    moves.move(core, job, ad, JobStatus.SUSPENDED if suspended else before)
    if is_gang(ad):
        _with_the_others(core, job, JobStatus.SUSPENDED if suspended else JobStatus.RUNNING)
    if suspended:
        since = set_text(job, "LastSuspensionTime", str(core.now))
        core.out.apply(ad, [plus(job, ad, "TotalSuspensions"), since])
        jobevents.suspended(core, job, ad, processes)
    else:
        lasted = max(0, core.now - ad.eval_int("LastSuspensionTime", core.now))
        changes = [plus(job, ad, f"{kind}SuspensionTime", lasted) for kind in ("Cumulative", "Uncommitted")]
        core.out.apply(ad, [*changes, set_text(job, "LastSuspensionTime", "0")])
        jobevents.unsuspended(core, job, ad)


def _with_the_others(core: ScheddState, lead: JobId, status: JobStatus) -> None:
    """The other procs of a parallel job are what proc 0 is; its log tells of all."""
    for job, ad in core.jobs.procs_of(lead.cluster):
        if job != lead and status_of(ad) in (JobStatus.RUNNING, JobStatus.SUSPENDED):
            moves.move(core, job, ad, status)


#: The states in which a job can be stopped for a while, and go on.
_FROM = {"suspend": (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT), "continue": (JobStatus.SUSPENDED,)}


def obey(core: ScheddState, run: Run, job: JobId, ad: ClassAd, verb: str) -> None:
    """Do what the mark of condor_suspend, condor_continue or condor_vacate asks for to the run of a job. The mark of
    another proc of a parallel job is for the whole job."""
    if verb in _FROM and not run.executing:
        return  # there is no process yet: it is done when there is one
    core.out.apply(ad, [delete(job, "RunCommand")])
    if job != run.job:
        lead = core.jobs.job(run.job)
        if lead is None:
            return
        job, ad = run.job, lead
    if verb in _FROM:
        if status_of(ad) not in _FROM[verb]:
            return  # held or removed at the same time: it is being stopped
        for claim_id in core.claims_of(run):
            core.out.emit(SuspendClaim(claim_id) if verb == "suspend" else ContinueClaim(claim_id))
        mark(core, job, ad, verb == "suspend", max(1, ad.eval_int("NumPids", 1) or 1))
    else:
        graceful = verb == "vacate"
        core.stop_run(run, graceful, VacateCode.VACATED_BY_SCHEDD, "Job vacated by schedd")

"""The marks that condor_suspend, condor_continue and condor_vacate leave in a running job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import suspension
from condor_py.core.jobs.actions import delete
from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import ContinueClaim, SuspendClaim
from condor_py.model.states import JobStatus, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: The states in which a job can be stopped for a while, and go on.
_FROM = {"suspend": (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT), "continue": (JobStatus.SUSPENDED,)}


def obey(core: ScheddState, job: JobId, ad: ClassAd, verb: str) -> None:
    """Does what the mark of condor_suspend, condor_continue or condor_vacate asks for to the run of a job."""
    run = core.runs[job]
    if verb in _FROM and not run.executing:
        return  # there is no process yet: it is done when there is one
    core.out.apply(ad, [delete(job, "RunCommand")])
    if verb in _FROM:
        if status_of(ad) not in _FROM[verb]:
            return  # held or removed at the same time: it is being stopped
        core.out.emit(SuspendClaim(run.claim_id) if verb == "suspend" else ContinueClaim(run.claim_id))
        suspension.mark(core, job, ad, verb == "suspend", max(1, ad.eval_int("NumPids", 1) or 1))
    else:
        graceful = verb == "vacate"
        core.stop_run(run, graceful, VacateCode.VACATED_BY_SCHEDD, "Job vacated by schedd")

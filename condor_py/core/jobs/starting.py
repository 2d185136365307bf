"""A job starts on a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import moves, policing, staging
from condor_py.core.jobs.autorequests import kept_records
from condor_py.core.jobs.jobad import submitter_of
from condor_py.core.jobs.lifecycle import given_by, machine_records, start_records
from condor_py.core.jobs.parts import Claim, Run, is_local
from condor_py.core.jobs.quotas import holders_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: A user may write any number into a job; this one plus one is a number for every reader.
_MOST_RUNS = 2**62


def start(core: ScheddState, job: JobId, ad: ClassAd, claim: Claim) -> None:
    """Commits a job to a claim; the activation leaves after the commit. A ``$$()`` that fails holds the job."""
    if core.autoclusters.has_dollars(ad) and not policing.expanded(core, job, ad, claim.info.slot_ad):
        return
    if (common := staging.common(core, job, ad, claim)) is None:
        return
    number = next_run(ad)
    info = claim.info
    if claim.given is None:
        claim.knows(given_by(info.slot_ad))
    if core.sizing.is_wanted:
        core.out.apply(ad, list(kept_records(job, ad)))
    changes = start_records(job, ad, info, claim.given or (), number, core.settings.schedd_address, core.now)
    moves.move(core, job, ad, JobStatus.RUNNING, changes)
    if not is_local(info.claim_id):
        names, length = core.settings.job_machine_attrs, core.settings.job_machine_attrs_history_length
        core.out.apply(ad, machine_records(job, ad, info.slot_ad, names, length))
    core.record_run("SPAWN", job, ad, core.spawn_names)
    core.idle.discard((job,))
    claim.take_job(ad)
    submitter = submitter_of(ad, core.settings.submitter_domain)
    core.pace.started(ad, submitter, core.settings, core.now)
    run = Run(job, info.claim_id, number, submitter, common=common, holders=holders_of(ad))
    core.claims.begin(claim, run)
    core.counters.began(core.now, max(0, core.now - ad.eval_int("QDate", core.now)), len(core.runs))
    core.out.emit(Activate(info.claim_id, job, number, common))


def next_run(ad: ClassAd) -> int:
    """The number of the next run of a job."""
    return min(max(0, ad.eval_int("NumShadowStarts", 0)), _MOST_RUNS) + 1


def start_next(core: ScheddState, job: JobId, claim: Claim) -> None:
    """The same for a job that was first in the line."""
    ad = core.jobs.job(job)
    assert ad is not None, "a job that leaves the queue leaves the index of idle jobs"
    start(core, job, ad, claim)

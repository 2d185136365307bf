"""What always holds between the books of the schedd's core, at the end of every batch."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe
from condor_py.schedd.core import Schedd
from condor_py.schedd.external import is_away


def validate(core: Schedd) -> None:
    """AssertionError when the books do not add up. For tests; needs the records applied."""
    core.claims.validate()
    core.idle.validate()
    _runs(core)
    _stagings(core)
    _files(core)
    for job, ad in core.jobs.jobs():
        _job(core, job, ad)


def _runs(core: Schedd) -> None:
    for job, run in core.runs.items():
        ad, claim = core.jobs.job(job), core.claims[run.claim_id]
        assert job not in core.idle, f"{job} runs and is idle"
        assert job not in core.orphans, f"{job} runs and is an orphan"
        assert not claim.releasing, f"{job} runs on a claim that is given back"
        assert ad is None or ad.eval_int("NumShadowStarts", 0) == run.number, f"run {run.number} of {job} is another's"
        assert ad is None or ad.eval_str("ClaimId", None) == run.claim_id, f"{job} runs on another claim than it says"


def _stagings(core: Schedd) -> None:
    for claim_id, stage in core.stagings.stages.items():
        assert stage.claim_id == claim_id, f"the data slot {claim_id} is filed as {stage.claim_id}"
        assert core.claims[claim_id].reserved is not None, f"the data slot {claim_id} is there for jobs"
    for job, claim_id in core.stagings.waiting.items():
        assert not claim_id or core.claims[claim_id].reserved == job, f"{job} waits on a claim that is not its own"
    for key, claim_id in core.stagings.providers.items():
        assert key in core.stagings.stages[claim_id].keys, f"a catalog is said to be where it is not: {claim_id}"


def _files(core: Schedd) -> None:
    """Where jobs are filed: everybody there is known, and known is who is in the queue."""
    for job in core.known:
        assert core.jobs.job(job) is not None, f"{job} is known and not in the queue"
    places = {
        "idle": core.idle.jobs(),
        "an orphan": core.orphans,
        "waiting to leave": core.waiting_to_leave,
        "judged": core.periodic_jobs,
        "blocked": core.stagings.waiting,
    }
    for place, jobs in places.items():
        for job in jobs:
            assert job in core.known, f"{job} is {place} and not known"
    for job in core.disconnected | core.unlogged_starts:
        assert job in core.orphans, f"{job} is remembered as out of reach and is not"


def _job(core: Schedd, job: JobId, ad: ClassAd) -> None:
    """One job against what is known of it: nobody is lost, nobody is in two places."""
    status = ad.eval_int("JobStatus", 0)
    assert job in core.known, f"{job} is in the queue and not known"
    assert core.known[job].status == status, f"{job} is {status} and was last seen {core.known[job].status}"
    blocked, waits = status == JobStatus.BLOCKED, job in core.stagings.waiting
    assert blocked == waits, f"{job} is {status} and {'waits' if waits else 'does not wait'} for files"
    if core.live(ad):
        assert job in core.runs or job in core.orphans, f"{job} is {status} and has no run"
    if job in core.leaving:
        assert status in (JobStatus.COMPLETED, JobStatus.REMOVED), f"{job} leaves and is {status}"
    if job in core.idle:
        assert status == JobStatus.IDLE, f"{job} waits for a slot with status {status}"
        assert not core.claims.asks_for(job), f"{job} waits and is asked for"
        assert job not in core.reassignments, f"{job} waits and is to get the slots of others"
    elif status == JobStatus.IDLE:
        assert _waits_elsewhere(core, job, ad), f"{job} is idle and nobody will ever look at it"


def _waits_elsewhere(core: Schedd, job: JobId, ad: ClassAd) -> bool:
    """Whether something will make an idle job run that is not in the index of idle jobs."""
    return (
        core.claims.asks_for(job)
        or job in core.runs
        or job in core.orphans
        or job in core.cooling
        or job in core.local_waiting
        or job in core.reassignments
        or is_away(ad)
        or ad.eval_int("JobUniverse", 5) != Universe.VANILLA
    )

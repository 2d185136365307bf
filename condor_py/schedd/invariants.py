"""What always holds between the books of the schedd's core."""

from __future__ import annotations

from condor_py.model.states import JobStatus
from condor_py.schedd.core import Schedd


def validate(core: Schedd) -> None:
    """AssertionError when the books do not add up. For tests; needs the records applied."""
    for job, run in core.runs.items():
        assert run.job == job, f"{job} has the run of {run.job}"
        claim = core.claims.get(run.claim_id)
        assert claim is not None, f"{job} runs on a claim that is not ours"
        assert claim.job == job, f"{job} runs on a claim that has {claim.job}"
        assert job not in core.idle, f"{job} runs and is idle"
        assert job not in core.orphans, f"{job} runs and is an orphan"
    for claim in core.claims.values():
        assert claim.job is None or claim.job in core.runs, f"a claim has {claim.job}, which does not run"
        assert claim.job is None or claim.reserved is None, f"a claim has {claim.job} and is kept for {claim.reserved}"
    for job, claim_id in core.stagings.waiting.items():
        assert not claim_id or core.claims[claim_id].reserved == job, f"{job} waits on a claim that is not its own"
    for key, claim_id in core.stagings.providers.items():
        assert key in core.stagings.stages[claim_id].keys, f"a catalog is said to be where it is not: {claim_id}"
    for job, ad in core.jobs.jobs():
        assert job in core.known, f"{job} is in the queue and not known"
        status = ad.eval_int("JobStatus", 0)
        assert core.known[job].status == status, f"{job} is {status} and was last seen {core.known[job].status}"
        blocked, waits = status == JobStatus.BLOCKED, job in core.stagings.waiting
        assert blocked == waits, f"{job} is {status} and {'waits' if waits else 'does not wait'} for files"
        if job in core.idle:
            assert status == JobStatus.IDLE, f"{job} waits for a slot with status {status}"
            assert job not in core.asked_jobs, f"{job} waits and is asked for"
    assert set(core.asked.values()) == core.asked_jobs

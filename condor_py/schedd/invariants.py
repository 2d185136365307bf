"""What always holds between the books of the schedd's core."""

from __future__ import annotations

from condor_py.model.states import JobStatus
from condor_py.schedd.core import Schedd


def validate(core: Schedd) -> None:
    """AssertionError when the books do not add up. For tests; needs the records applied."""
    core.claims.validate()
    for job in core.runs:
        assert job not in core.idle, f"{job} runs and is idle"
        assert job not in core.orphans, f"{job} runs and is an orphan"
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
            assert not core.claims.asks_for(job), f"{job} waits and is asked for"

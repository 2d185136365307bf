"""Invariants of the state of the schedd's core, which hold at the end of every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs.jobad import is_away, needs_slot, status_of, universe_of
from condor_py.core.jobs.parts import is_local
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import IN_SLOTS, SLOTLESS, JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def check(core: ScheddState) -> None:
    """AssertionError when the state is inconsistent. Needs the records applied."""
    core.claims.validate()
    core.idle.validate()
    core.reach.validate()
    core.ocus.validate()
    core.tally.validate({job: known.status for job, known in core.known.items()})
    _runs(core)
    _slots(core)
    _stagings(core)
    _gangs(core)
    _files(core)
    for job, ad in core.jobs.jobs():
        _job(core, job, ad)


def _runs(core: ScheddState) -> None:
    for job, run in core.runs.items():
        ad, claim = core.jobs.job(job), core.claims[run.claim_id]
        assert job not in core.idle, f"{job} runs and is idle"
        assert job not in core.reach.orphans, f"{job} runs and is an orphan"
        assert not claim.releasing, f"{job} runs on a claim that is given back"
        assert ad is None or ad.eval_int("NumShadowStarts", 0) == run.number, f"run {run.number} of {job} is another's"
        assert ad is None or ad.eval_str("ClaimId", None) == run.claim_id, f"{job} runs on another claim than it says"


def _slots(core: ScheddState) -> None:
    """Claims of the schedd itself are for jobs that need no slot; the others need a startd."""
    for claim_id, claim in core.claims.items():
        assert core.reach.up or is_local(claim_id), f"the startd is not there, and {claim_id} is said to be ours"
        ad = None if claim.job is None else core.jobs.job(claim.job)
        here = ad is not None and not needs_slot(ad)
        assert ad is None or here == is_local(claim_id), f"{claim.job} of another universe runs on {claim_id}"


def _stagings(core: ScheddState) -> None:
    for claim_id, stage in core.stagings.stages.items():
        assert stage.claim_id == claim_id, f"the data slot {claim_id} is filed as {stage.claim_id}"
        assert core.claims[claim_id].reserved is not None, f"the data slot {claim_id} is there for jobs"
    for job, claim_id in core.stagings.waiting.items():
        assert not claim_id or core.claims[claim_id].reserved == job, f"{job} waits on a claim that is not its own"
    for key, claim_id in core.stagings.providers.items():
        assert key in core.stagings.stages[claim_id].keys, f"a catalog is said to be where it is not: {claim_id}"


def _gangs(core: ScheddState) -> None:
    """Every slot of a parallel job is kept for it, and node 0 has the run."""
    for gang in core.gangs.each():
        assert not gang.runs or gang.lead in core.runs, f"{gang.lead} runs and has no run"
        for node in gang.nodes:
            claim = core.claims.get(node.claim_id)
            holder = None if claim is None else claim.reserved or claim.job
            assert claim is None or holder == gang.lead, f"node {node.number} of {gang.lead} has the slot of {holder}"


def _files(core: ScheddState) -> None:
    """Check the indexes of jobs: every job in one is known, and every known job is in the queue."""
    for job in core.known:
        assert core.jobs.job(job) is not None, f"{job} is known and not in the queue"
    places = {
        "idle": core.idle.jobs(),
        "an orphan": core.reach.orphans,
        "waiting to leave": core.departing.kept,
        "judged": core.watched.jobs,
        "leaving": core.departing.leaving,
        "cooling down": core.waiting.cooling,
        "to start here": core.waiting.here,
        "on a schedule": core.waiting.repeating,
        "blocked": core.stagings.waiting,
        "elsewhere": core.grid.jobs,
    }
    for place, jobs in places.items():
        for job in jobs:
            assert job in core.known, f"{job} is {place} and not known"


def _job(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """One job against what is known of it: no job is lost, and none is in two places."""
    status = status_of(ad)
    assert job in core.known, f"{job} is in the queue and not known"
    assert core.known[job].status == status, f"{job} is {status} and was last seen {core.known[job].status}"
    blocked, waits = status == JobStatus.BLOCKED, job in core.stagings.waiting
    assert blocked == waits, f"{job} is {status} and {'waits' if waits else 'does not wait'} for files"
    if core.live(ad) and not is_away(ad) and universe_of(ad) != Universe.GRID:
        assert core.run_for(job) or job in core.reach.orphans, f"{job} is {status} and has no run"
    if job in core.departing.leaving:
        assert status in (JobStatus.COMPLETED, JobStatus.REMOVED), f"{job} leaves and is {status}"
    if job in core.departing.kept:
        assert status in (JobStatus.COMPLETED, JobStatus.REMOVED), f"{job} waits to leave and is {status}"
    assert not core.claims.asks_for(job) or status == JobStatus.IDLE, f"{job} is {status} and is asked for"
    assert not (job in core.idle and job in core.waiting.here), f"{job} waits for a slot and for none"
    assert not core.departing.is_going(job), f"{job} is on its way out and known"
    if job in core.idle:
        assert status == JobStatus.IDLE, f"{job} waits for a slot with status {status}"
        assert not core.claims.asks_for(job), f"{job} waits and is asked for"
        assert job not in core.reassignments, f"{job} waits and is to get the slots of others"
        entry = core.idle.get(job)
        assert entry is not None, f"{job} waits and is not in the index of idle jobs"
        assert entry.autocluster == core.autoclusters.number(ad), f"{job} waits in another autocluster"
    elif status == JobStatus.IDLE:
        assert _waits_elsewhere(core, job, ad), f"{job} is idle and nobody will ever look at it"


def _waits_elsewhere(core: ScheddState, job: JobId, ad: ClassAd) -> bool:
    """Whether something will make an idle job run that is not in the index of idle jobs, or nothing here ever can: of
    other universes are jobs of a spool that was taken over, and what expressions without sense say."""
    return (
        core.claims.asks_for(job)
        or job in core.runs
        or job in core.reach.orphans
        or job in core.waiting.cooling
        or job in core.waiting.here
        or job in core.reassignments
        or job in core.grid
        or job.cluster in core.gangs.waiting
        or core.gangs.of(job.cluster) is not None
        or is_away(ad)
        or universe_of(ad) not in (*IN_SLOTS, *SLOTLESS)
    )

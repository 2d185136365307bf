"""The moves of a job from one JobStatus to another: one table, and the one door through which the core moves a job.

What tools and other clients write is true already when the core hears of it: it is noted here, and not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs.actions import enter_status
from condor_py.core.jobs.jobad import is_gang, status_of
from condor_py.core.jobs.parts import Known
from condor_py.core.jobs.spooled import awaits_input
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: How many of its last moves a job remembers for the message of an illegal one.
STORY = 8

_IDLE, _RUNNING, _REMOVED, _COMPLETED = JobStatus.IDLE, JobStatus.RUNNING, JobStatus.REMOVED, JobStatus.COMPLETED
_HELD, _OUTPUT, _SUSPENDED = JobStatus.HELD, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED
_BLOCKED = JobStatus.BLOCKED
_END = frozenset((_IDLE, _HELD, _REMOVED, _COMPLETED))

#: Where the core may take a job from each state. A job whose JobStatus was edited to an invalid one may go to any.
MOVES: dict[int, frozenset[JobStatus]] = {
    # It is idle while its run is still being stopped, too, when it was held and released: that run may yet complete.
    _IDLE: frozenset((_RUNNING, _BLOCKED)) | _END,
    _BLOCKED: frozenset((_IDLE, _RUNNING, _HELD, _REMOVED)),
    _RUNNING: frozenset((_OUTPUT, _SUSPENDED)) | _END,
    _OUTPUT: frozenset((_SUSPENDED,)) | _END,
    _SUSPENDED: frozenset((_RUNNING, _OUTPUT)) | _END,
    _HELD: frozenset((_IDLE, _REMOVED)),
    # Kept in the queue it may be judged; idle is the one that was edited to be completed while it ran, and was evicted.
    _COMPLETED: frozenset((_REMOVED, _HELD, _IDLE)),
    _REMOVED: frozenset(),
}


class IllegalMove(CondorError):
    """A job was to make a move that does not exist. The text tells the job's story so far."""


def move(
    core: ScheddState, job: JobId, ad: ClassAd, status: JobStatus, changes: Iterable[Change] | None = None
) -> None:
    """Moves a job. ``changes`` are all records of the move when it is more than JobStatus and its time.

    IllegalMove, and nothing is changed, when there is no such move.
    """
    before = status_of(ad)
    if before != status and before in MOVES and status not in MOVES[before]:
        raise IllegalMove(f"job {job} cannot go from {_word(before)} to {_word(status)}. Story: {_story(core, job)}")
    known = core.known[job]
    core.out.apply(ad, enter_status(job, ad, status, core.now) if changes is None else changes)
    _moved(core, job, known, int(status))


def to_idle(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Back in the queue, to run again."""
    if status_of(ad) != JobStatus.IDLE:
        move(core, job, ad, JobStatus.IDLE)
    core.make_idle(job, ad)


def meet(core: ScheddState, job: JobId, ad: ClassAd) -> Known:
    """Remembers a job that was not known."""
    known = Known(status_of(ad), ad.eval_int("JobPrio", 0), ad.eval_int("NumHolds", 0))
    core.remember((job,), known)
    if job.proc == 0 and awaits_input(ad) and is_gang(ad):
        core.gangs.spool(job.cluster)
    return known


def seen(core: ScheddState, job: JobId, status: int) -> int:
    """Note that another process moved a job to ``status``, as its ad says already; return its former status."""
    known = core.known[job]
    before = known.status
    _moved(core, job, known, status)
    return before


def follow(core: ScheddState, jobs: Sequence[JobId], before: Known, after: Known) -> None:
    """Jobs of which all that is known was ``before``: now it is ``after``, as of another that they are like."""
    _note(core, jobs, before.status, after)


def prio_told(core: ScheddState, job: JobId, prio: int) -> None:
    """The event log has a job's new priority."""
    core.note((job,), core.known[job]._replace(prio=prio))


def hold_told(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """The event log has a job's last hold."""
    if (known := core.known.get(job)) is not None:
        core.note((job,), known._replace(holds=ad.eval_int("NumHolds", 0)))


def _moved(core: ScheddState, job: JobId, known: Known, status: int) -> None:
    if status != known.status:
        story = (*known.story, core.now, known.status)[-2 * STORY :]
        _note(core, (job,), known.status, Known(status, known.prio, known.holds, story))


def _note(core: ScheddState, jobs: Sequence[JobId], before: int, after: Known) -> None:
    core.note(jobs, after)
    if after.status != before:
        core.tally.leave(jobs, before)
        core.tally.enter(core, jobs, after.status)


def _word(status: int) -> str:
    return JobStatus(status).name if status in MOVES else f"JobStatus {status}"


def _story(core: ScheddState, job: JobId) -> str:
    """History of a job: its last states with the end of each (Unix seconds), and the indexes that contain it."""
    known, run = core.known.get(job), core.runs.get(job)
    if known is None:
        return "none, the job is not known"
    pairs = zip(known.story[::2], known.story[1::2], strict=True)
    story = [f"{_word(status)} until {when}" for when, status in pairs] + [f"{_word(known.status)} at {core.now}"]
    if run is not None:
        story.append(f"run {run.number} on {run.claim_id.rpartition('#')[0]}{', executing' if run.executing else ''}")
    places = {
        "in the index of idle jobs": job in core.idle,
        "a claim is asked for for it": core.claims.asks_for(job),
        "its run is out of reach": job in core.reach.orphans,
        "it waits for common files": job in core.stagings.waiting,
        "it is cooling down": job in core.waiting.cooling,
        "it is leaving": job in core.departing.leaving,
    }
    return "; ".join([*story, *(place for place, there in places.items() if there)])

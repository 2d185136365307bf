"""What goes wrong with one job puts that job aside: nothing looks at it again, and the others do not notice."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs import guard
from condor_py.core.jobs.effects import Leave, Note, UserEvent
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    Dispatch,
    Event,
    FilesStaged,
    GridReported,
    OrderRefused,
    PoliciesDue,
    StartdConnected,
    StartdLost,
    Tick,
    UserLine,
)
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.lang.events import JobHeld
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate, Deactivate
from condor_py.model.messages.grid import GridReport
from condor_py.model.messages.runs import RunEnded, RunNotice
from condor_py.model.record import NEW_AD, SET, Change
from condor_py.model.report import ExitReport


def fail() -> None:
    raise RuntimeError("its  ad\nis odd")


def put_aside(world: World, job: JobId) -> None:
    assert guard.take(world.core.state, job, fail) is False
    world.turn()


def test_a_turn_that_goes_well_says_so() -> None:
    world = World()
    (job,) = world.submit(1)
    done: list[int] = []
    assert guard.take(world.core.state, job, done.append, 7) is True
    assert done == [7]


def test_it_is_held_once_with_the_reason_in_one_line() -> None:
    world = World()
    (job,) = world.submit(1)
    put_aside(world, job)
    reason = "The schedd could not handle this job: RuntimeError: its ad is odd"
    assert world.queue.procs[job].eval_str("HoldReason") == reason
    assert world.queue.procs[job].eval_int("HoldReasonCode") == 0
    told = [effect.event for effect in world.told(UserEvent) if isinstance(effect.event, JobHeld)]
    assert [one.reason for one in told] == [reason]
    world.written([Change(SET, str(job), "Color", '"red"')])
    assert world.events(job) == [0, 12], "the hold is told once"
    put_aside(world, job)
    assert (world.status(job), world.events(job)) == (5, [0, 12])


def test_one_that_nobody_has_seen_yet_is_known_from_then_on() -> None:
    world = World()
    world.submit(1)
    world.queue.apply([Change(NEW_AD, "1.1", "Job", "Machine"), Change(SET, "1.1", "JobStatus", "1")])
    put_aside(world, JobId(1, 1))
    assert world.core.known[JobId(1, 1)].status == 5


def test_one_that_is_no_more_is_passed_over() -> None:
    world = World()
    assert guard.take(world.core.state, JobId(9, 9), fail) is False
    assert world.core.take()[0] == []


@pytest.mark.parametrize("status", [3, 4])
def test_one_that_is_done_leaves(status: int) -> None:
    world = World()
    (job,) = world.submit(1, LeaveJobInQueue="true")
    world.written([Change(SET, str(job), "JobStatus", str(status))])
    assert world.status(job) == status
    put_aside(world, job)
    assert [effect.jobs[0] for effect in world.told(Leave)] == [job]
    assert world.status(job) is None


def test_one_that_cannot_be_held_stays_where_it_is() -> None:
    """An illegal move is a fault of the schedd: it says so, and goes on with the others."""
    world = World()
    (job,) = world.submit(1)
    world.core.state.forget(job)
    world.queue.procs[job].set_text("JobStatus", "5")
    books = world.core.state
    books.out.take()
    del books.known  # nobody can be remembered
    guard.put_aside(books, job, "odd")
    notes = [effect.text for effect in books.out.take()[1] if isinstance(effect, Note)]
    assert len(notes) == 1
    assert notes[0].startswith("ERROR job 1.0 cannot be held either: AttributeError")


def test_its_policy_is_not_asked_any_more() -> None:
    world = World()
    (job,) = world.submit(1, PeriodicRelease="true")
    put_aside(world, job)
    world.handle(PoliciesDue())
    assert world.status(job) == 5


def test_it_does_not_wait_for_the_end_of_its_pause() -> None:
    world = World()
    (job,) = world.submit(1, JobCoolDownExpiration="5000")
    assert world.core.ticks
    put_aside(world, job)
    assert not world.core.ticks


def test_its_run_is_killed_and_its_slot_given_back() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    put_aside(world, job)
    (told,) = world.told(Deactivate)
    assert (told.graceful, told.code, told.reason) == (False, 1023, "The job cannot be handled")
    assert world.core.claims["<addr>#1#1#secret"].releasing
    assert job not in world.core.runs


def test_a_run_out_of_reach_is_not_taken_back() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    slot = world.core.claims["<addr>#1#1#secret"].info.slot_ad
    world.handle(StartdLost())
    put_aside(world, job)
    world.connect(ClaimInfo("<addr>#1#1#secret", "slot1_1@vm", "alice@example.net", slot, str(job), 1))
    assert (world.status(job), world.events(job)) == (5, [0, 1, 22, 12])
    assert world.core.claims["<addr>#1#1#secret"].releasing


def test_its_gridmanager_has_nothing_to_do_with_it() -> None:
    world = World()
    (job,) = world.submit(1, JobUniverse="9", GridResource='"batch slurm"')
    put_aside(world, job)
    assert world.core.grid_jobs("alice") == []


def report_of(job: str) -> ExitReport:
    return ExitReport("<addr>#1#1#secret", job, 1)


JOB, OTHER = JobId(1, 0), JobId(2, 0)
CLAIM = "<addr>#1#1#secret"


@pytest.mark.parametrize(
    ("event", "job"),
    [
        (UserLine(OTHER, "a word"), OTHER),
        (RunNotice(CLAIM, OTHER, 1, "a word", False), OTHER),
        (GridReported("alice", OTHER, GridReport(OTHER, "idle")), OTHER),
        (RunEnded(report_of("2.0")), OTHER),
        (RunEnded(report_of("2.-3")), None),
        (ClaimRefused("2", "no"), OTHER),
        (ClaimRefused("9", "no"), None),
        (ClaimLost(CLAIM, 1, "gone"), JOB),
        (OrderRefused(CLAIM, job="", reason="no"), JOB),
        (FilesStaged(CLAIM), JOB),
        (FilesStaged("<addr>#1#2#secret"), None),
        (Tick(), None),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, JobId | None) else str(value),
)
def test_which_job_an_event_is_about(event: Event, job: JobId | None) -> None:
    """The one that it names; else that of the request or of the claim: 1.0 runs on one, 2.0 asks for another."""
    world = World()
    world.connect()
    world.submit(1)
    world.match(JOB)
    world.submit(2)
    world.core.state.ask_slot(OTHER, "slot1@vm", "alice@example.net")
    assert guard.job_of(world.core.state, event) == job


def test_books_that_lag_behind_the_queue_cost_one_job_and_not_the_others() -> None:
    """A job that is not in the queue any more, and nobody has said so: it is put aside, and the next one starts."""
    world = World()
    world.connect()
    first, gone, last = (world.submit(cluster)[0] for cluster in (1, 2, 3))
    world.match(first)
    world.started(first)
    world.queue.procs.pop(gone)
    run = world.core.runs[first]
    world.core.handle(RunEnded(ExitReport(run.claim_id, str(first), run.number, exit_code=0)), world.now)
    world.core.handle(Dispatch(), world.now)
    effects = world.core.take()[1]
    assert [effect.job for effect in effects if isinstance(effect, Activate)] == [last]
    assert [effect.text.split(":")[0] for effect in effects if isinstance(effect, Note)] == [
        f"ERROR job {gone} is put aside"
    ]


@pytest.mark.parametrize("back", [True, False])
def test_a_run_whose_job_is_gone_keeps_no_other_from_being_given_up(back: bool) -> None:
    world = World()
    world.connect()
    gone, other = world.submit(1, 2, JobLeaseDuration="10")
    world.match(gone, other)
    world.handle(StartdLost())
    world.queue.procs.pop(gone)
    world.now += 60
    world.core.handle(StartdConnected(()) if back else PoliciesDue(), world.now)
    assert world.queue.procs[other].eval_int("JobStatus") == 1
    assert not world.core.state.reach.orphans

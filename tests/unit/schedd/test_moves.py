"""A job moves from status to status by one table, through one door."""

import ast
from pathlib import Path

import pytest
from world import World

import condor_py.core.jobs
from condor_py.core.jobs import guard, moves
from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.events import JobsRecorded
from condor_py.core.jobs.moves import IllegalMove
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate, SuspendClaim
from condor_py.model.states import JobStatus


def running() -> tuple[World, JobId]:
    world = World()
    (job,) = world.submit(1)
    world.connect()
    world.match(job)
    world.started(job)
    return world, job


def test_a_move_that_does_not_exist_changes_nothing_and_tells_the_story_of_the_job() -> None:
    world, job = running()
    ad = world.queue.procs[job]
    world.now += 60
    world.core.state.now = world.now
    with pytest.raises(IllegalMove) as caught:
        moves.move(world.core.state, job, ad, JobStatus.BLOCKED)
    text = str(caught.value)
    assert "job 1.0 cannot go from RUNNING to BLOCKED" in text
    assert "IDLE until 1000; RUNNING at 1060; run 1 on <addr>#1#1, executing" in text
    assert "secret" not in text
    assert world.status(job) == JobStatus.RUNNING
    assert world.core.take() == ([], [])


def test_an_illegal_move_in_a_turn_holds_the_job_with_its_story() -> None:
    world, job = running()
    ad = world.queue.procs[job]
    assert not guard.take(world.core.state, job, moves.move, world.core.state, job, ad, JobStatus.BLOCKED)
    assert world.status(job) == JobStatus.HELD
    assert "IllegalMove: job 1.0 cannot go from RUNNING to BLOCKED" in (ad.eval_str("HoldReason", "") or "")


@pytest.mark.parametrize("before", list(JobStatus))
@pytest.mark.parametrize("status", list(JobStatus))
def test_the_table_is_what_decides(before: JobStatus, status: JobStatus) -> None:
    world = World()
    (job,) = world.submit(1)
    ad = world.queue.procs[job]
    ad.set_int("JobStatus", int(before))
    moves.seen(world.core.state, job, int(before))
    if status == before or status in moves.MOVES[before]:
        moves.move(world.core.state, job, ad, status)
        assert world.core.known[job].status == world.status(job) == status
    else:
        with pytest.raises(IllegalMove):
            moves.move(world.core.state, job, ad, status)


def test_every_state_has_its_row() -> None:
    assert moves.MOVES.keys() == set(JobStatus)


def test_a_state_that_is_none_may_go_anywhere() -> None:
    world = World()
    (job,) = world.submit(1, status=42)
    moves.move(world.core.state, job, world.queue.procs[job], JobStatus.HELD)
    assert world.status(job) == JobStatus.HELD


def test_a_job_remembers_only_its_last_moves() -> None:
    world, job = running()
    ad = world.queue.procs[job]
    for _ in range(20):
        moves.move(world.core.state, job, ad, JobStatus.SUSPENDED)
        moves.move(world.core.state, job, ad, JobStatus.RUNNING)
    assert len(world.core.known[job].story) == 2 * moves.STORY


@pytest.mark.parametrize("action", ["hold", "remove"])
def test_a_job_that_is_suspended_and_held_at_once_stays_held(action: str) -> None:
    world, job = running()
    ad = world.queue.procs[job]
    _, suspend = perform("suspend", job, ad, actor="alice", reason=None, subcode=None, now=world.now)
    _, stop = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=world.now)
    world.written([*suspend, *stop])
    assert world.status(job) == (JobStatus.HELD if action == "hold" else JobStatus.REMOVED)
    assert world.told(Deactivate)
    assert not world.told(SuspendClaim), "a job that is being stopped is not suspended"
    assert ad.text("RunCommand") is None
    assert 10 not in world.events(job)


def _writes_a_status(node: ast.AST) -> bool:
    """``known.status = ...`` of what the core remembers, or a call of ``enter_status`` that writes JobStatus."""
    if isinstance(node, ast.Assign):
        targets = [name for target in node.targets for name in ast.walk(target)]
        return any(isinstance(one, ast.Attribute) and one.attr == "status" for one in targets)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enter_status"


def test_nobody_in_the_core_writes_a_status_but_the_moves_and_what_makes_their_records() -> None:
    rooms = Path(condor_py.core.jobs.__file__).parent
    writers = {
        path.name for path in rooms.glob("*.py") if any(map(_writes_a_status, ast.walk(ast.parse(path.read_text()))))
    }
    assert writers == {"moves.py", "actions.py", "lifecycle.py"}


def test_a_job_that_left_is_judged_no_more() -> None:
    world = World()
    (job,) = world.submit(1, PeriodicHold="JobPrio > 100", status=4, LeaveJobInQueue="true")
    world.core.state.departing.keep(job)
    assert job in world.core.state.watched.jobs
    world.core.handle(JobsRecorded([job]), world.now)
    world.turn()
    assert world.status(job) is None
    assert job not in world.core.state.watched.jobs
    assert job not in world.core.state.departing.kept

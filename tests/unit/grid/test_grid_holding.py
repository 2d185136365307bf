"""Jobs of another pool: what is held, released and edited here is so there, and what is held there is held here."""

from __future__ import annotations

import pytest
from grid_world import World

from condor_py.core.grid.actions import Submit
from condor_py.core.grid.events import Stand
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

JOB = JobId(1, 0)


@pytest.fixture
def world() -> World:
    """One job, which has begun there."""
    made = World(resource="condor there pool")
    made.settle()
    made.run("1")
    made.notices()
    made.settle()
    return made


def held(world: World) -> None:
    world.change(JOB, JobStatus.HELD)
    world.settle()
    assert world.remote["1"].stand is Stand.HELD


def test_a_hold_and_a_release_here_are_one_there(world: World) -> None:
    held(world)
    assert (world.queue[JOB].grid_status, world.queue[JOB].status) == ("HELD", JobStatus.HELD)
    world.change(JOB, JobStatus.IDLE)
    world.settle()
    assert world.remote["1"].stand is Stand.WAITS
    assert (world.queue[JOB].attempt, list(world.remote)) == (1, ["1"])
    world.run("1")
    world.end("1", 3)
    world.notices()
    world.settle()
    assert world.last.exit_code == 3


def test_a_held_job_that_is_removed_is_removed_there(world: World) -> None:
    held(world)
    world.change(JOB, JobStatus.REMOVED)
    world.settle()
    assert world.remote["1"].stand is Stand.STOPPED
    assert not world.queue


def test_a_hold_there_is_one_here_with_its_reason_and_its_release_is_one_there(world: World) -> None:
    world.remote["1"].stand, world.remote["1"].reason = Stand.HELD, "disk full"
    world.began.clear()
    world.runs.clear()
    world.pass_time(61)
    world.settle()
    assert (world.queue[JOB].status, world.queue[JOB].reason) == (JobStatus.HELD, "disk full")
    assert world.remote["1"].stand is Stand.HELD
    world.change(JOB, JobStatus.IDLE)
    world.settle()
    assert world.remote["1"].stand is Stand.WAITS


@pytest.mark.parametrize("status", [JobStatus.HELD, JobStatus.IDLE, JobStatus.REMOVED])
def test_the_next_gridmanager_knows_who_has_released_what(world: World, status: JobStatus) -> None:
    held(world)
    world.queue[JOB].status = status
    world.start()
    world.settle()
    expected = {JobStatus.HELD: Stand.HELD, JobStatus.IDLE: Stand.WAITS, JobStatus.REMOVED: Stand.STOPPED}
    assert world.remote["1"].stand is expected[status]
    assert (JOB in world.queue) == (status != JobStatus.REMOVED)


def test_a_pool_that_is_away_hears_of_a_hold_later(world: World) -> None:
    world.up = False
    world.change(JOB, JobStatus.HELD)
    world.settle()
    assert world.remote["1"].stand is Stand.RUNS
    world.up = True
    world.pass_time(11)
    world.settle()
    assert world.remote["1"].stand is Stand.HELD


def test_one_that_ends_before_the_hold_arrives_has_ended_when_it_is_released(world: World) -> None:
    world.end("1", 4)
    held_or_not = world.remote["1"]
    world.change(JOB, JobStatus.HELD)
    world.settle()
    assert held_or_not.stand is Stand.OVER
    world.change(JOB, JobStatus.IDLE)
    world.settle()
    world.notices()
    world.settle()
    assert world.last.exit_code == 4
    assert list(world.remote) == ["1"]


@pytest.mark.parametrize("when", ["running", "held", "nobody there"])
def test_an_edit_reaches_it(world: World, when: str) -> None:
    if when == "held":
        held(world)
    world.queue[JOB].value = 7
    if when == "nobody there":
        world.start()
    else:
        world.tell_of(JOB)
    world.settle()
    assert world.remote["1"].value == 7


def test_an_edit_while_it_is_being_submitted_reaches_it() -> None:
    world = World(resource="condor there pool")
    while not isinstance(world.pending[0], Submit):
        world.do(world.pending.pop(0))
    world.queue[JOB].value = 7
    world.tell_of(JOB)
    world.settle()
    assert world.remote["1"].value == 7

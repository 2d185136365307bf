"""The gridmanager's core: nothing is lost and nothing runs twice, whoever dies when."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from grid_world import World

from condor_py.core.grid import actions as do
from condor_py.core.grid.events import Began, Ended, Stand, SubmitFailed
from condor_py.core.grid.naming import grid_job_id, name_of, normal, remote_of
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings, Limits
from condor_py.model.states import JobStatus

JOB = JobId(1, 0)


@pytest.fixture
def world() -> Iterator[World]:
    return World()


def there(world: World) -> str:
    """The job is at the remote system."""
    world.settle()
    assert len(world.remote) == 1
    return next(iter(world.remote))


@pytest.mark.usefixtures("universal_time")
def test_life_of_a_job(world: World) -> None:
    number = there(world)
    assert world.queue[JOB].grid_id == f"batch slurm NoPool_schedd_1.0_7 slurm/19700101/{number}"
    world.run(number)
    world.notices()
    world.settle()
    assert world.queue[JOB].status == JobStatus.RUNNING
    world.end(number, 3)
    world.notices()
    world.settle()
    assert not world.queue
    assert world.last.exit_code == 3
    assert world.last.steps == ["update", "submitted", "running", "ended"]
    assert not world.staged
    assert not world.manager.state.jobs


def test_its_name_is_in_the_queue_before_anybody_else_hears_of_it(world: World) -> None:
    for action in [action for action in world.pending if not isinstance(action, do.Tell)]:
        world.pending.remove(action)
        world.do(action)
    assert not any(isinstance(action, do.StageIn | do.Submit) for action in world.pending)


@pytest.mark.parametrize(("edits", "asked"), [(0, 1), (1, 2)])
def test_its_ad_is_asked_for_again_only_when_it_was_edited(world: World, edits: int, asked: int) -> None:
    number = there(world)
    world.run(number)
    for _ in range(edits):
        world.tell_of(JOB)
    world.end(number)
    world.notices()
    world.settle()
    assert not world.queue
    assert world.asked == asked


@pytest.mark.parametrize("status", [JobStatus.HELD, JobStatus.REMOVED])
def test_what_its_owner_stops_is_cancelled(world: World, status: JobStatus) -> None:
    number = there(world)
    world.run(number)
    world.notices()
    world.settle()
    world.change(JOB, status)
    world.settle()
    assert world.remote[number].stand is Stand.STOPPED
    assert not world.staged
    assert (JOB in world.queue) == (status == JobStatus.HELD)


def test_released_while_it_is_being_cancelled_it_runs_again_under_another_name(world: World) -> None:
    number = there(world)
    world.change(JOB, JobStatus.HELD)
    world.change(JOB, JobStatus.IDLE)
    world.settle()
    assert [job.name for job in world.remote.values()] == ["NoPool_schedd_1.0_7", "NoPool_schedd_1.0_7_2"]
    assert world.remote[number].stand is Stand.STOPPED


def test_a_cancel_there_holds_it_with_the_reason(world: World) -> None:
    number = there(world)
    world.run(number)
    world.remote[number].stand = Stand.STOPPED
    world.pass_time(61)
    world.settle()
    assert world.queue[JOB].status == JobStatus.HELD
    assert world.queue[JOB].reason == "Job removed from batch queue manually"


def test_a_signal_that_was_the_batch_systems_holds_it(world: World) -> None:
    number = there(world)
    world.run(number)
    world.end(number, signal=15)
    world.remote[number].stand = Stand.STOPPED
    world.notices()
    world.settle()
    assert world.queue[JOB].status == JobStatus.HELD


def test_a_signal_of_its_own_is_its_end(world: World) -> None:
    number = there(world)
    world.run(number)
    world.end(number, signal=15)
    world.notices()
    world.settle()
    assert not world.queue
    assert world.last.exit_code == -1


def test_a_job_that_vanishes_is_held_after_a_while(world: World) -> None:
    number = there(world)
    world.remote[number].lists = False
    world.pass_time(61)
    world.settle()
    assert world.queue[JOB].status == JobStatus.IDLE
    for _ in range(8):
        world.pass_time(2)
        world.settle()
    assert world.queue[JOB].status == JobStatus.HELD
    assert "disappeared" in world.queue[JOB].reason


def runs(world: World) -> str:
    """The job runs at the remote system, and its wrapper has told so."""
    number = there(world)
    world.run(number)
    world.notices()
    world.settle()
    return number


def test_an_answer_that_is_older_than_the_beginning_is_no_eviction(world: World) -> None:
    """Or one of a batch system that was started again, and has not heard of its nodes yet."""
    number = runs(world)
    for stand in (Stand.WAITS, Stand.RUNS, Stand.WAITS):
        world.remote[number].stand = stand
        world.pass_time(61)
        world.settle()
    world.end(number)
    world.notices()
    world.settle()
    assert world.last.steps == ["update", "submitted", "running", "ended"]


def test_a_job_that_waits_again_is_evicted(world: World) -> None:
    number = runs(world)
    world.remote[number].stand = Stand.WAITS
    world.pass_time(61)
    for _ in range(6):
        world.settle()
        world.pass_time(2)
    assert world.queue[JOB].status == JobStatus.IDLE
    world.give(Began(JOB, number, 1100.0, "other", again=True))
    world.settle()
    assert world.queue[JOB].steps == ["update", "submitted", "running", "idle", "running"]


def test_a_job_that_is_started_anew_was_evicted(world: World) -> None:
    """Its batch system was quicker than a look."""
    number = runs(world)
    world.give(Began(JOB, number, 1100.0, "other", again=True))
    world.settle()
    assert world.queue[JOB].status == JobStatus.RUNNING
    assert world.queue[JOB].steps == ["update", "submitted", "running", "idle", "running"]


def test_why_it_waits_is_told_when_that_is_out_of_the_ordinary(world: World) -> None:
    number = there(world)
    for reason in ("", "PartitionConfig", "PartitionConfig", "", "QOSNotAllowed"):
        world.remote[number].waits = reason
        world.pass_time(61)
        world.settle()
        assert world.queue[JOB].wait_reason == reason
    assert world.queue[JOB].steps == ["update", "submitted", "update", "update", "update"]
    world.run(number)
    world.notices()
    world.settle()
    assert world.queue[JOB].wait_reason == ""


def test_a_system_that_is_away_is_waited_for_and_its_jobs_are_told(world: World) -> None:
    world.up = False
    world.settle()
    assert world.queue[JOB].steps == ["update", "down"]
    for _ in range(10):
        world.pass_time(300)
        world.settle()
    world.up = True
    world.pass_time(300)
    there(world)
    assert world.queue[JOB].steps == ["update", "down", "up", "submitted"]
    assert world.queue[JOB].attempt == 1


@pytest.mark.parametrize("status", [JobStatus.HELD, JobStatus.REMOVED])
@pytest.mark.parametrize("certain", [False, True])
def test_what_a_system_that_is_away_has_certainly_not_got_leaves_at_once(
    world: World, status: JobStatus, certain: bool
) -> None:
    while not isinstance(world.pending[0], do.Submit):
        world.do(world.pending.pop(0))
    del world.pending[0]
    world.up = False
    world.give(SubmitFailed(JOB, "not executed", away=True, certain=certain))
    world.change(JOB, status)
    world.settle()
    assert (JOB not in world.queue or not world.queue[JOB].grid_id) is certain
    world.up = True
    world.pass_time(300)
    world.settle()
    assert JOB not in world.queue or not world.queue[JOB].grid_id


def test_what_was_taken_in_spite_of_an_error_is_followed(world: World) -> None:
    world.grumbles = "takes"
    world.settle()
    assert len(world.remote) == 1
    assert world.queue[JOB].steps == ["update", "submitted"]


@pytest.mark.parametrize("away", [False, True])
def test_what_began_while_its_submit_failed_has_begun(world: World, away: bool) -> None:
    """It has ended as well, and is told of both once."""
    while not isinstance(world.pending[0], do.Submit):
        world.do(world.pending.pop(0))
    number = world.submit(world.pending.pop(0).name)
    world.run(number)
    world.end(number, 3)
    world.notices()
    world.began.clear()
    world.ended.clear()
    world.give(SubmitFailed(JOB, "a warning", away=away, certain=False))
    world.settle()
    assert not world.queue
    assert world.last.exit_code == 3
    assert [step for step in world.last.steps if step not in ("down", "up")] == [
        "update", "submitted", "running", "ended"
    ]  # fmt: skip


def test_what_was_refused_and_is_not_there_is_held_with_the_reason(world: World) -> None:
    world.grumbles = "refuses"
    world.settle()
    assert (world.queue[JOB].status, world.queue[JOB].reason) == (JobStatus.HELD, "a warning")
    assert world.queue[JOB].steps == ["update", "hold"]


@pytest.mark.parametrize("resource", ["", "  ", "batch"])
def test_a_job_without_a_resource_is_taken_as_any_other(resource: str) -> None:
    """Only messages past all tools can make one; its engine refuses it, and the job is held with the reason."""
    world = World(resource=resource)
    world.grumbles = "refuses"
    world.settle()
    assert world.queue[JOB].status == JobStatus.HELD


def test_submitted_by_one_who_died_it_is_found(world: World) -> None:
    while not isinstance(world.pending[0], do.Submit):
        world.do(world.pending.pop(0))
    number = world.submit(world.pending[0].name)
    world.start()
    world.settle()
    assert list(world.remote) == [number]
    assert world.queue[JOB].grid_id.rpartition("/")[2] == number


def test_submitted_twice_one_runs_and_the_other_goes(world: World) -> None:
    number = there(world)
    other = world.submit(world.remote[number].name)
    world.run(other)
    world.notices()
    world.settle()
    assert world.queue[JOB].grid_id.rpartition("/")[2] == other
    assert world.remote[number].stand is Stand.STOPPED
    world.end(other)
    world.notices()
    world.settle()
    assert not world.queue


def test_submitted_twice_either_may_begin_whatever_looks_have_shown(world: World) -> None:
    """An order to cancel the one that waits would meet it when it has just begun."""
    number = there(world)
    other = world.submit(world.remote[number].name)
    for _ in range(3):
        world.pass_time(60)
        world.settle()
    assert {job.stand for job in world.remote.values()} == {Stand.WAITS}
    world.run(other)
    world.notices()
    world.settle()
    assert (world.remote[number].stand, world.remote[other].stand) == (Stand.STOPPED, Stand.RUNS)
    world.end(other)
    world.notices()
    world.settle()
    assert not world.queue


def test_submitted_twice_the_other_goes_at_the_end_though_nobody_heard_of_the_beginning(world: World) -> None:
    """The gridmanager has begun anew since."""
    number = there(world)
    other = world.submit(world.remote[number].name)
    world.pass_time(60)
    world.settle()
    world.end(number)
    world.give(Ended(JOB, world.ended[world.remote[number].name]))
    world.settle()
    assert world.remote[other].stand is Stand.STOPPED
    assert not world.queue


def test_submitted_twice_and_removed_neither_stays(world: World) -> None:
    number = there(world)
    other = world.submit(world.remote[number].name)
    world.pass_time(60)
    world.settle()
    world.change(JOB, JobStatus.REMOVED)
    world.settle()
    assert (world.remote[number].stand, world.remote[other].stand) == (Stand.STOPPED, Stand.STOPPED)
    assert not world.queue


def test_what_belongs_to_nobody_is_cleaned() -> None:
    world = World()
    world.staged = {"NoPool_schedd_9.9_7"}
    world.settle()
    assert world.staged == {"NoPool_schedd_1.0_7"}


def test_limits_count() -> None:
    settings = GridSettings(max_submitted={"": Limits(4, (("slurm", 3),))}, max_pending_submits=2)
    world = World(settings, jobs=10)
    assert sum(isinstance(action, do.AskAd) for action in world.pending) == 2
    world.settle()
    assert len(world.remote) == 3
    world.run("1")
    world.end("1")
    world.notices()
    world.settle()
    assert len(world.remote) == 4


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("batch Slurm", "batch slurm"),
        ("pbs", "batch pbs"),
        ("condor  A@b  C", "condor A@b C"),
        ("SGE q", "batch sge q"),
    ],
)
def test_names_of_resources(resource: str, expected: str) -> None:
    assert normal(resource) == expected
    name = name_of("host:9618, other", "a@b#1.0#5", 2)
    assert name == "host_9618_a_b_1.0_5_2"
    for number in ("", "17"):
        told = grid_job_id(resource, name, number)
        assert remote_of(resource, told, name) == (name, number)


@pytest.mark.parametrize("told", ["..", "../../etc", "/etc"])
def test_a_name_that_somebody_has_edited_leads_nowhere_else(told: str) -> None:
    assert remote_of("batch slurm", f"batch slurm {told} slurm/20260101/7", "ours") == ("ours", "7")


@pytest.mark.parametrize("resource", ["batch slurm", "condor there pool"])
@pytest.mark.parametrize("seed", range(int(os.environ.get("CONDOR_PY_WALKS", "60"))))
def test_random_walk(seed: int, resource: str) -> None:
    """Whatever happens: an attempt runs once, and in the end every job has left or is held."""
    dice = random.Random(seed)
    world = World(jobs=4, resource=resource)
    for _ in range(300):
        world.random_step(dice)
        assert all(count == 1 for count in world.runs.values())
    world.up = True
    for _ in range(200):
        world.settle()
        for number, job in list(world.remote.items()):
            if job.stand is Stand.WAITS:
                world.run(number)
            elif job.stand is Stand.RUNS:
                world.end(number)
        world.notices()
        world.settle()
        for job_id, ad in list(world.queue.items()):
            if ad.status == JobStatus.HELD:
                world.change(job_id, JobStatus.IDLE)
        world.pass_time(30)
        if not world.queue:
            break
    world.settle()
    assert not world.queue, {job: (ad.status, ad.steps[-6:]) for job, ad in world.queue.items()}
    assert all(count == 1 for count in world.runs.values())
    assert not world.staged

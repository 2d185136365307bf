"""When a job has ended by itself: periodic expressions are judged first, and how often it may try at once."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.events import Tick, UpdatesDue
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunUpdate
from condor_py.model.settings.schedd import PolicyRule, SystemPolicy


def world_with_running_job(**attributes: str) -> tuple[World, JobId]:
    """One job, executing."""
    world = World()
    world.connect()
    (job,) = world.submit(1, **attributes)
    world.match(job)
    world.started(job)
    return world, job


def test_periodic_expressions_are_judged_first_when_a_job_exits() -> None:
    """Between two looks at the policy a job may have run thousands of times."""
    removed, job = world_with_running_job(OnExitRemove="false", PeriodicRemove="NumShadowStarts >= 2")
    removed.ended(job, exit_code=0)
    removed.started(job)
    removed.ended(job, exit_code=0)
    assert removed.status(job) is None
    assert removed.events(job) == [0, 1, 4, 1, 9]
    held, job = world_with_running_job(OnExitRemove="false", PeriodicHold="ExitCode == 3")
    held.ended(job, exit_code=3)
    ad = held.queue.job(job)
    assert ad is not None
    assert (held.status(job), ad.eval_int("HoldReasonCode"), held.events(job)) == (5, 3, [0, 1, 12])


def test_the_systems_periodic_hold_counts_when_a_job_exits() -> None:
    rule = PolicyRule("SYSTEM_PERIODIC_HOLD", "NumJobStarts >= 1")
    world = World(system_periodic=SystemPolicy(hold=(rule,)))
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    world.ended(job, exit_code=0)
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_int("HoldReasonCode")) == (5, 26)


@pytest.mark.parametrize(("limit", "code"), [({"AllowedExecuteDuration": "3"}, 47), ({"AllowedJobDuration": "4"}, 46)])
def test_a_job_that_ran_too_long_is_held_though_it_ended_between_two_looks(limit: dict[str, str], code: int) -> None:
    world, job = world_with_running_job(**limit)
    world.now += 4
    world.ended(job, exit_code=0)
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_int("HoldReasonCode")) == (5, code)


def test_a_job_that_is_sent_back_at_once_again_and_again_is_slowed_down() -> None:
    world, job = world_with_running_job(OnExitRemove="false")
    for _ in range(9):
        world.ended(job, exit_code=0)
        assert world.status(job) == 2, "a few tries cost nothing"
        world.started(job)
    world.ended(job, exit_code=0)
    assert world.status(job) == 1
    world.now += 1
    world.core.handle(Tick(), world.now)
    world.match(job)
    world.started(job)
    world.now += 2
    world.ended(job, exit_code=0)
    assert world.status(job) == 2, "a run that took its time is followed by the next"


def test_what_a_starter_tells_has_the_policy_of_its_job_looked_at() -> None:
    """Long before the next look at all jobs."""
    world, job = world_with_running_job(AllowedExecuteDuration="3")
    (other,) = world.submit(2, PeriodicHold="true")
    run = world.core.runs[job]
    world.now += 4
    world.handle(RunUpdate(run.claim_id, job, run.number, {"RemoteUserCpu": "1.0"}))
    world.core.handle(UpdatesDue(), world.now)
    world.turn()
    assert (world.status(job), world.status(other)) == (5, 1), "only that job"
    assert not world.core.updates_left

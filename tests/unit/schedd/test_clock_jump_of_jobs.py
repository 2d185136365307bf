"""A machine that slept for a night: what the schedd makes of its leases, and of times that expressions ask for."""

from __future__ import annotations

import pytest
from told_jobs import check, running, said
from world import Deactivate, World

from condor_py.core.jobs.events import ClockJumped, StartdLost, Tick
from condor_py.model.ids import JobId

NIGHT = 8 * 3600
HOUR = 3600


def night(world: World) -> None:
    world.now += NIGHT
    world.handle(ClockJumped(NIGHT))


def one_after_the_other(world: World) -> tuple[JobId, JobId]:
    """Two jobs with slots, the second of which starts a minute after the first."""
    world.connect()
    first, second = JobId(1, 0), JobId(2, 0)
    for job in (first, second):
        world.submit(job.cluster, NextJobStartDelay="60")
    world.match(first)
    world.match(second)
    return first, second


def test_a_run_out_of_reach_has_as_much_of_its_lease_left_as_before() -> None:
    """The startd does not count the night either: a schedd that did would run the job a second time beside it."""
    world = World()
    job = running(world, JobLeaseDuration="30")
    world.handle(StartdLost())
    check(world, 20)
    night(world)
    check(world, 10)
    assert (world.status(job), world.events(job)) == (2, [0, 1, 22])
    check(world, 1)
    assert (world.status(job), world.events(job)) == (1, [0, 1, 22, 24])


def test_a_run_within_reach_goes_on_and_its_later_lease_is_whole() -> None:
    world = World()
    job = running(world, JobLeaseDuration="30")
    night(world)
    check(world)
    world.handle(StartdLost())
    check(world, 30)
    assert world.status(job) == 2


def late_world() -> World:
    """One in which an hour earlier is a time, too."""
    world = World()
    world.now += 10 * HOUR
    return world


def back(world: World) -> None:
    world.now -= HOUR
    world.handle(ClockJumped(-HOUR))


def test_a_clock_set_back_makes_no_lease_longer() -> None:
    world = late_world()
    job = running(world, JobLeaseDuration="30")
    world.handle(StartdLost())
    check(world, 20)
    back(world)
    check(world, 10)
    assert world.status(job) == 2
    check(world, 1)
    assert (world.status(job), world.events(job)) == (1, [0, 1, 22, 24])


def test_a_run_is_as_long_as_it_was_where_the_clock_was_set_back() -> None:
    """Its limits hold, and what it has used is counted."""
    world = late_world()
    job = running(world, LeaveJobInQueue="true")
    world.now += 1000
    back(world)
    world.now += 100
    world.ended(job, exit_code=0)
    (wall,) = said(world, job, "RemoteWallClockTime")
    assert wall == 1100
    limited = running(world, cluster=2, AllowedJobDuration="500")
    world.now += 300
    back(world)
    check(world, 100)
    assert world.status(limited) == 2
    check(world, 101)
    world.ended(limited, vacated=True)
    assert world.status(limited) == 5


def test_no_pause_is_longer_where_the_clock_was_set_back() -> None:
    world = late_world()
    _, second = one_after_the_other(world)
    back(world)
    world.now += 60
    world.handle(Tick())
    assert world.status(second) == 2


def test_a_job_cools_down_no_longer_where_the_clock_was_set_back() -> None:
    world = late_world()
    world.connect()
    (job,) = world.submit(1, JobCoolDownExpiration=str(world.now + 60))
    assert not world.core.idle.count("alice@example.net")
    back(world)
    (until,) = said(world, job, "JobCoolDownExpiration")
    assert until == world.now + 60


@pytest.mark.parametrize("rule", ["time() - JobCurrentStartDate > 3600", "time() - EnteredCurrentStatus > 3600"])
def test_an_expression_about_the_time_sees_the_clock(rule: str) -> None:
    world = World()
    job = running(world, PeriodicHold=rule)
    night(world)
    check(world)
    world.ended(job, vacated=True)
    assert world.status(job) == 5


def test_the_time_of_a_run_is_that_of_the_clock() -> None:
    world = World()
    job = running(world, LeaveJobInQueue="true")
    night(world)
    world.now += 100
    world.ended(job, exit_code=0)
    (wall,) = said(world, job, "RemoteWallClockTime")
    assert isinstance(wall, float)
    assert wall >= NIGHT + 100


def test_a_job_that_repeats_has_its_next_time_after_the_night() -> None:
    world = World()
    (job,) = world.submit(1, CronMinute='"0"', DeferralWindow="30")
    night(world)
    check(world)
    (due,) = said(world, job, "DeferralTime")
    assert isinstance(due, int)
    assert world.now < due <= world.now + 3600


def test_a_pause_is_over_when_the_night_is() -> None:
    world = World()
    first, second = one_after_the_other(world)
    assert (world.status(first), world.status(second)) == (2, 1)
    night(world)
    world.handle(Tick())
    assert world.status(second) == 2


def test_a_job_that_repeats_has_its_next_time_where_the_clock_was_set_back() -> None:
    world = late_world()
    (job,) = world.submit(1, CronMinute='"*"', DeferralWindow="30")
    (before,) = said(world, job, "DeferralTime")
    back(world)
    check(world)
    (due,) = said(world, job, "DeferralTime")
    assert isinstance(due, int)
    assert isinstance(before, int)
    assert world.now < due <= world.now + 60 < before


def test_a_job_that_waits_in_its_starter_for_a_later_time_comes_back() -> None:
    world = late_world()
    world.connect()
    (job,) = world.submit(1, CronMinute='"*"')
    world.match(job)
    assert world.status(job) == 2
    back(world)
    assert world.told(Deactivate)
    world.ended(job, vacated=True)
    assert world.status(job) == 1
    check(world)
    (due,) = said(world, job, "DeferralTime")
    assert isinstance(due, int)
    assert due <= world.now + 60


def test_a_repetition_that_runs_is_not_disturbed() -> None:
    world = late_world()
    job = running(world, CronMinute='"*"')
    back(world)
    check(world, 1)
    assert not world.told(Deactivate)
    assert world.status(job) == 2
